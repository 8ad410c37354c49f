"""What a block view draws: sections that are cheap to list, blocks that are made when they come into view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rollout_loaders.model import Place, Rollout
from rollout_views.block import Block, Lens, Section
from rollout_views.transcript import section_blocks, sections


class BlockSource(Protocol):
    """Sections, and the blocks of each."""

    @property
    def sections(self) -> Sequence[Section]:
        """Every section, in order."""
        ...

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return the blocks of one section."""
        ...


class TranscriptSource:
    """One invocation of a rollout in one lens."""

    def __init__(self, rollout: Rollout, lens: Lens, invocation: str | None = None) -> None:
        self.rollout = rollout
        self.lens: Lens = lens
        self.invocation = invocation
        self.sections: Sequence[Section] = sections(rollout, lens, invocation)

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return the blocks of one section."""
        return section_blocks(self.rollout, self.lens, self.sections[index])


class FixedSource:
    """A handful of blocks that are there already, each a section of its own: evidence tabs, help."""

    def __init__(self, given: tuple[Block, ...]) -> None:
        self.given = given
        self.sections: Sequence[Section] = [
            Section("items", block.id, index, block.tone, block.place.invocation, block.place.turn, block, _title)
            for index, block in enumerate(given)
        ]

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return the block as a section."""
        return (self.given[index],)


class GroupedSource:
    """Blocks in groups: a blank line stands between groups, none within."""

    def __init__(self, groups: Sequence[tuple[Block, ...]]) -> None:
        self.groups = [group for group in groups if group]
        self.sections: Sequence[Section] = [
            Section("items", group[0].id, index, group[0].tone, None, None, group[0], _title)
            for index, group in enumerate(self.groups)
        ]

    def blocks(self, index: int) -> tuple[Block, ...]:
        """Return a group."""
        return self.groups[index]


def _title(block: Block) -> str:
    return block.title


NOWHERE = Place()
