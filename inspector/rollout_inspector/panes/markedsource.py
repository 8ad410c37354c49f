"""A transcript whose blocks say where they differ from what a fixture expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rollout_loaders.model import Place, Rollout
from rollout_views.block import Block, Lens

from .blocksource import TranscriptSource


class MarkedSource(TranscriptSource):
    """A `TranscriptSource` with marks by place; a mark of a turn as a whole stands on its head."""

    def __init__(self, rollout: Rollout, lens: Lens, invocation: str | None, marks: Mapping[Place, str]) -> None:
        super().__init__(rollout, lens, invocation)
        root = rollout.root.id if rollout.root is not None else None
        self.marks = {replace(place, invocation=place.invocation or root): said for place, said in marks.items()}

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return the blocks of one section, those that differ marked."""
        return tuple(self._marked(block) for block in super().blocks(index))

    def _marked(self, block: Block) -> Block:
        place = block.place
        said = self.marks.get(place) if place.item_id is not None else None
        if said is None and block.label == "turn":
            said = self.marks.get(Place(place.invocation, place.turn))
        if said is None:
            return block
        return replace(block, tone="problem", mark=f"{block.mark}; {said}" if block.mark else said)
