"""The sections that the model had at a turn: its turns, and the summary of the rest (key `b`)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_views.block import Block, Section
from rollout_views.context import ContextAt

from .blocksource import BlockSource


class ContextSource:
    """The sections of another source that the model had at a turn."""

    def __init__(self, whole: BlockSource, context: ContextAt) -> None:
        self.whole = whole
        self.context = context
        self.kept = [index for index, section in enumerate(whole.sections) if self._keeps(section)]
        self.sections: Sequence[Section] = [whole.sections[index] for index in self.kept]

    def _keeps(self, section: Section) -> bool:
        if section.kind == "compaction":
            return self.context.summary is not None and section.ident == self.context.summary.id
        if section.kind == "head":
            return True
        return section.turn is not None and self.context.holds(section.turn)

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return the blocks of one section."""
        return self.whole.blocks(self.kept[index])
