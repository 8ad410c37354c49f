"""One named fact on a line of an evidence tab."""

from __future__ import annotations

from rollout_loaders.model import JsonValue, Place

from .block import Block, Link, Tone
from .formatting import UNKNOWN
from .json_text import compact, pretty

LONGEST = 120
"""Longest value that stands on the fact's own line."""


def fact(
    ident: str,
    label: str,
    value: object,
    *,
    tone: Tone = "normal",
    links: tuple[Link, ...] = (),
    place: Place | None = None,
) -> Block:
    """Return `label value`; unknown is `·`, never 0 or an empty place."""
    shown = UNKNOWN if value is None or value == "" else str(value)
    if isinstance(value, bool):
        shown = "yes" if value else "no"
    return Block(ident, label, "muted" if shown == UNKNOWN else tone, shown, place=place or Place(), links=links)


def json_fact(ident: str, label: str, value: JsonValue, *, folded: bool = True) -> Block:
    """Return a JSON value: on the line when it is short, else as a body that may fold."""
    line = compact(value)
    if len(line) <= LONGEST:
        return Block(ident, label, "normal", line)
    return Block(ident, label, "normal", "", pretty(value), "json", foldable=True, folded=folded)


def nothing(ident: str, sentence: str) -> Block:
    """Return the line of a tab that has nothing to show: what is missing, and why."""
    return Block(ident, "none", "muted", sentence)
