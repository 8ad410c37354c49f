"""From plain text and styled stretches to segments; the only place where a `Segment` of foreign text is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style

StyledSpan = tuple[int, int, Style]


def painted(text: str, base: Style, spans: Sequence[StyledSpan]) -> list[Segment]:
    """Cut `text` at the ends of `spans` and add up the styles; a later span lies over an earlier one.

    Rich's `Text` would do, at ten times the cost; and it parses nothing here, so foreign text stays text.
    """
    if not text:
        return []
    if not spans:
        return [Segment(text, base)]
    length = len(text)
    cuts = {0, length}
    for start, end, _ in spans:
        cuts.add(min(max(start, 0), length))
        cuts.add(min(max(end, 0), length))
    ordered = sorted(cuts)
    return [Segment(text[start:end], _sum(base, start, end, spans)) for start, end in pairwise(ordered) if start < end]


def _sum(base: Style, start: int, end: int, spans: Iterable[StyledSpan]) -> Style:
    style = base
    for span_start, span_end, added in spans:
        if span_start <= start and end <= span_end:
            style += added
    return style
