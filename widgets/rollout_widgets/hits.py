"""The search of a view: where a text occurs in a rollout, folded and clipped text too, as sections to go to."""

from __future__ import annotations

import re
from typing import NamedTuple

from rollout_loaders.model import Rollout
from rollout_views.block import Lens
from rollout_views.block_html import html_line
from rollout_views.inert_math import inert_math
from rollout_views.pattern import compile_pattern
from rollout_views.searching import Match, find
from rollout_views.transcript import section_blocks, sections

MOST_HITS = 1_000


class Hit(NamedTuple):
    """One occurrence: the conversation and the section it stands in."""

    invocation: str | None
    section: int
    match: Match


class Hits(NamedTuple):
    """All occurrences in the order of the conversations; `more` tells that counting stopped at a thousand."""

    found: tuple[Hit, ...]
    more: bool

    def after(self, order: list[str | None], invocation: str | None, section: int) -> int:
        """Return the index of the first hit at or after a place, the first one of all when none follows."""
        here = (order.index(invocation) if invocation in order else 0, section)
        for index, hit in enumerate(self.found):
            if (order.index(hit.invocation), hit.section) >= here:
                return index
        return 0


def conversations(rollout: Rollout, lens: Lens) -> list[str | None]:
    """Return what a lens can be turned to: the root (None) and every subagent; one reading for all in `scored`."""
    return [None] if lens == "scored" else [None, *(one.id for one in rollout.invocations[1:])]


def search(rollout: Rollout, lens: Lens, text: str) -> Hits:
    """Return where `text` occurs, its case ignored unless it holds an upper-case letter."""
    pattern: re.Pattern[str] = compile_pattern(text)
    found: list[Hit] = []
    for invocation in conversations(rollout, lens):
        for index, section in enumerate(sections(rollout, lens, invocation)):
            for match in find(section_blocks(rollout, lens, section), pattern):
                if len(found) == MOST_HITS:
                    return Hits(tuple(found), True)
                found.append(Hit(invocation, index, match))
    return Hits(tuple(found), False)


def hit_html(hit: Hit, number: int, hits: Hits) -> str:
    """Return the line that stands above the page of a hit: the place of it in its own line, marked."""
    total = f"{len(hits.found):,}{' or more' if hits.more else ''}"
    block, match = hit.match.block, hit.match
    words = f"match {number + 1:,} of {total}: {html_line(block.label)} "
    line = f"{html_line(match.before)}<mark>{html_line(match.text)}</mark>{html_line(match.after)}"
    return inert_math(f"<p><em>{words}</em> {line}</p>\n")
