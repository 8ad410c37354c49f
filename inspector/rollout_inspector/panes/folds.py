"""Which blocks are folded: what the view proposes, what the user said for all, for a kind, for one."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.block import Block, Section

PartKey = tuple[str | None, str, str]
"""Conversation, section and block: records repeat ids, so a block's own tells it from others of its section only."""


@dataclass(slots=True)
class Folds:
    """The most particular wish wins: one block, then its kind (`r`, `t`), then all (`e`, `x`), then the default."""

    blocks: dict[PartKey, bool] = field(default_factory=lambda: {})
    kinds: dict[str, bool] = field(default_factory=lambda: {})
    everything: bool | None = None

    def folded(self, section: Section, block: Block) -> bool:
        """Say whether a block of a section is folded now."""
        if not block.foldable:
            return False
        if self.blocks and (wish := self.blocks.get(part_key(section, block))) is not None:
            return wish
        if (kind := kind_of(block)) in self.kinds:
            return self.kinds[kind]
        return block.folded if self.everything is None else self.everything

    def fold_all(self, folded: bool) -> None:
        """Fold or unfold everything, forgetting particular wishes."""
        self.blocks.clear()
        self.kinds.clear()
        self.everything = folded

    def fold_kind(self, kind: str, folded: bool) -> None:
        """Fold or unfold one kind of block, forgetting wishes for single blocks of any kind."""
        self.blocks.clear()
        self.kinds[kind] = folded


def part_key(section: Section, block: Block) -> PartKey:
    """Return what tells a block from every other of the rollout in its lens."""
    return section.invocation, section.key, block.id


def kind_of(block: Block) -> str:
    """Return the kind that `r` and `t` fold: `reasoning`, `tool` or the gutter word."""
    if block.tone == "reasoning" or block.label == "think":
        return "reasoning"
    if block.label in {"tool", "result"}:
        return "tool"
    return block.label
