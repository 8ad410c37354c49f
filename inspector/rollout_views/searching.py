"""Full text over blocks and rollouts, folded text too: matches as places, in a generator that can be left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Place, Rollout

from .block import Block, Lens
from .pattern import text_pattern

FOREIGN_TITLES = frozenset({"tool", "error", "attached", "agent", "item", "part", "retry"})
"""Labels of blocks whose title holds words of the record; the titles of all others are ours and not searched."""
CONTEXT = 60
"""Characters of a match's line that an excerpt shows on each side."""


@dataclass(frozen=True, slots=True)
class Match:
    """One occurrence in one block."""

    block: Block
    in_title: bool
    start: int
    """Offset in the block's verbatim body, or in its title."""
    end: int
    before: str
    """What stands before it on its line, clipped."""
    text: str
    after: str

    @property
    def place(self) -> Place:
        """Where the block stands."""
        return self.block.place


def find(
    found_in: Iterable[Block], pattern: re.Pattern[str], cancelled: Callable[[], bool] | None = None
) -> Iterator[Match]:
    """Yield the matches of each block, title first. `cancelled` is asked once a block and once a match."""
    for block in found_in:
        titled = block.title if block.label in FOREIGN_TITLES else ""
        for text, in_title in ((titled, True), (block.body, False)):
            for match in pattern.finditer(text):
                if cancelled is not None and cancelled():
                    return
                if match.end() > match.start():
                    yield _match(block, in_title, text, match)
        if cancelled is not None and cancelled():
            return


def search_rollout(
    rollout: Rollout, pattern: re.Pattern[str], lens: Lens = "observed", cancelled: Callable[[], bool] | None = None
) -> Iterator[Match]:
    """Yield the matches in every conversation of a rollout, through `lens` or the next that shows something."""
    from .transcript import blocks, open_lens  # most rollouts are passed by without a look into them

    opened = open_lens(rollout, lens)
    if opened == "scored" or not rollout.invocations:
        yield from find(blocks(rollout, opened), pattern, cancelled)
        return
    for invocation in rollout.invocations:
        yield from find(blocks(rollout, opened, invocation.id), pattern, cancelled)


def holds_text(rollout: Rollout, wanted: str) -> bool:
    """Tell whether any text of the rollout holds `wanted`, whatever its case."""
    return next(search_rollout(rollout, text_pattern(wanted)), None) is not None


def _match(block: Block, in_title: bool, text: str, match: re.Match[str]) -> Match:
    start, end = match.span()
    line_start = max(text.rfind("\n", 0, start) + 1, start - CONTEXT)
    newline = text.find("\n", end)
    line_end = min(len(text) if newline < 0 else newline, end + CONTEXT)
    before = text[line_start:start]
    if line_start > 0 and text[line_start - 1] != "\n":
        before = "…" + before
    after = text[end:line_end]
    if line_end < len(text) and text[line_end] != "\n":
        after += "…"
    return Match(block, in_title, start, end, before, text[start : min(end, start + 4 * CONTEXT)], after)
