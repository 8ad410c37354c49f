"""Search through every block of a source, folded or not; runs in a worker and can be cancelled between sections."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import NamedTuple

from rollout_loaders.fast_dataclass import dataclass

from .blocklines import display_body, display_title
from .blocksource import BlockSource

_BATCH_SECONDS = 0.05
_BREATH = 0.002
"""The worker sleeps this long between batches: keys must answer while it runs, and Python runs one thread at a time."""
MOST = 200_000
"""Matches that are kept; beyond it the count says `200,000+`."""


class Match(NamedTuple):
    """Where a match begins: in the title or the body of a block."""

    section: int
    block: int
    in_body: bool
    offset: int


@dataclass(slots=True)
class Finding:
    """A search and what it found so far."""

    query: str
    pattern: re.Pattern[str]
    matches: list[Match] = field(default_factory=lambda: [])
    at: int = -1
    done: bool = False

    @property
    def words(self) -> str:
        """`3 of 17`, with a plus sign while more may come."""
        more = "" if self.done and len(self.matches) < MOST else "+"
        if not self.matches:
            return "no match" if self.done else "searching…"
        return f"match {self.at + 1:,} of {len(self.matches):,}{more}"


def find(
    source: BlockSource, pattern: re.Pattern[str], cancelled: Callable[[], bool], pretty: bool = True
) -> Iterator[list[Match]]:
    """Yield matches in order, in batches; `pretty` as the view draws JSON, for the offsets."""
    batch: list[Match] = []
    started = time.monotonic()
    kept = 0
    for section in range(len(source.sections)):
        if cancelled():
            return
        for index, block in enumerate(source.blocks(section)):
            title = display_title(block)
            batch += [Match(section, index, False, match.start()) for match in pattern.finditer(title)]
            if not block.rule:
                body = display_body(block, pretty)
                batch += [Match(section, index, True, match.start()) for match in pattern.finditer(body)]
        if time.monotonic() - started > _BATCH_SECONDS:
            kept += len(batch)
            yield batch
            if kept >= MOST:
                return
            batch = []
            time.sleep(_BREATH)
            started = time.monotonic()
    yield batch
