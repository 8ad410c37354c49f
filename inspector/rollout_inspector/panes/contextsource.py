"""What the model had at a turn: the turns that a compaction left, and its summary (key `b`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rollout_loaders.model import Compaction, Invocation
from rollout_views.block import Block, Section

from .blocksource import BlockSource


@dataclass(frozen=True, slots=True)
class Context:
    """Which turns the model had when it made turn `turn`."""

    turn: int
    first_turn: int
    compaction: Compaction | None
    certain: bool
    """False where the record does not say which turns a compaction kept."""

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if self.compaction is None:
            return f"what the model had at turn {self.turn}: nothing was compacted before it, so turns 1 to {self.turn}"
        kept = f"the summary and turns {self.first_turn} to {self.turn}"
        if not self.certain:
            return f"what the model had at turn {self.turn}: {kept}; which earlier turns were kept is not recorded"
        return f"what the model had at turn {self.turn}: {kept}"


def context_at(invocation: Invocation, turn: int) -> Context:
    """Apply the last completed compaction before a turn (CONTRACT 4.5)."""
    before = [
        one
        for one in invocation.compactions
        if one.outcome == "completed" and one.after_turn is not None and one.after_turn < turn
    ]
    if not before:
        return Context(turn, 1, None, True)
    last = before[-1]
    after = (last.after_turn or 0) + 1
    if last.first_kept_turn is None:
        return Context(turn, after, last, False)
    return Context(turn, min(last.first_kept_turn, turn), last, True)


class ContextSource:
    """The sections of another source that the model had at a turn."""

    def __init__(self, whole: BlockSource, context: Context) -> None:
        self.whole = whole
        self.context = context
        self.kept = [index for index, section in enumerate(whole.sections) if self._keeps(section)]
        self.sections: Sequence[Section] = [whole.sections[index] for index in self.kept]

    def _keeps(self, section: Section) -> bool:
        if section.kind == "compaction":
            return self.context.compaction is not None and section.ident == self.context.compaction.id
        if section.kind == "head":
            return True
        return section.turn is not None and self.context.first_turn <= section.turn <= self.context.turn

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return the blocks of one section."""
        return self.whole.blocks(self.kept[index])
