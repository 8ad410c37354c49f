"""What differs between two texts, as stretches of each: by words while they are short, by lines when they are not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

Stretches = list[tuple[int, int]]

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_WORDS = 1_500
_MOST_LINES = 3_000
"""Beyond these the matcher takes seconds; the texts are then said to differ as a whole."""


def differing(left: str, right: str) -> tuple[Stretches, Stretches]:
    """Return the stretches of each text that the other does not have."""
    if left == right:
        return [], []
    words = (_WORDS.findall(left), _WORDS.findall(right))
    if max(map(len, words)) <= _MOST_WORDS:
        return _stretches(*words)
    lines = (left.splitlines(keepends=True), right.splitlines(keepends=True))
    if max(map(len, lines)) <= _MOST_LINES:
        return _stretches(*lines)
    return [(0, len(left))], [(0, len(right))]


def _stretches(left: Sequence[str], right: Sequence[str]) -> tuple[Stretches, Stretches]:
    starts = _starts(left), _starts(right)
    found: tuple[Stretches, Stretches] = ([], [])
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if b > a:
            found[0].append((starts[0][a], starts[0][b]))
        if d > c:
            found[1].append((starts[1][c], starts[1][d]))
    return found


def _starts(pieces: Sequence[str]) -> list[int]:
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts
