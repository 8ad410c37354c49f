"""Blocks as lines for a terminal: plain text in the tone of its block (a word before a colour)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

import click

from rollout_views import plain_text
from rollout_views.block import Block, Tone

_TONES: Mapping[Tone, Mapping[str, str | bool]] = {
    "user": {"bold": True},
    "reasoning": {"dim": True, "italic": True},
    "tool": {"fg": "cyan"},
    "problem": {"fg": "red"},
    "boundary": {"fg": "yellow"},
    "scored": {"reverse": True},
    "note": {"fg": "magenta"},
    "muted": {"dim": True},
}


def lines(blocks: Iterable[Block], width: int | None, *, colour: bool) -> Iterator[str]:
    """The blocks as lines. Without `colour`, or with NO_COLOR set, exactly as plain text."""
    if not colour or os.environ.get("NO_COLOR"):
        yield from plain_text.lines(blocks, width)
        return
    first = True
    for block in blocks:
        if block.rule and not first:
            yield ""
        first = False
        style = _TONES.get(block.tone)
        for line in plain_text.lines([block], width):
            yield line if style is None or not line else _styled(line, style)


def _styled(line: str, style: Mapping[str, str | bool]) -> str:
    # The gutter keeps its place: a reversed or coloured indent would draw a bar.
    text = line.lstrip(" ")
    foreground = style.get("fg")
    return line[: len(line) - len(text)] + click.style(
        text,
        fg=foreground if isinstance(foreground, str) else None,
        bold=bool(style.get("bold")) or None,
        dim=bool(style.get("dim")) or None,
        italic=bool(style.get("italic")) or None,
        reverse=bool(style.get("reverse")) or None,
    )
