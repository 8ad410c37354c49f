"""The lines of one section: its blocks one below the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from rollout_views.block import Block

from .blocklines import BlockLines


class SectionLines:
    """Blocks laid out at one width."""

    def __init__(
        self,
        blocks: Sequence[Block],
        width: int,
        folded: Callable[[Block], bool],
        lead: int,
        *,
        pretty: bool = True,
        stacked: bool = False,
    ) -> None:
        self.blocks = [BlockLines(block, width, folded(block), pretty=pretty, stacked=stacked) for block in blocks]
        self.lead = lead
        """Blank lines above the first block."""
        self.starts: list[int] = []
        line = lead
        for block in self.blocks:
            self.starts.append(line)
            line += block.height
        self.height = max(line, 1)

    def find(self, line: int) -> tuple[int, int]:
        """Return the block that holds a line, and the line within it; `(-1, …)` for a blank one."""
        index = bisect_right(self.starts, line) - 1
        if index < 0:
            return -1, line
        return index, line - self.starts[index]

    def block_height(self, index: int) -> int:
        """Return the lines of one block."""
        return self.blocks[index].height
