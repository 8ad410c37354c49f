"""The order in which people count: s2 before s10."""

from __future__ import annotations

import re
from typing import TypeAlias

_DIGITS = re.compile(r"([0-9]+)")

NaturalKey: TypeAlias = tuple[tuple[int, int, str], ...]


def natural_key(text: str) -> NaturalKey:
    """Return a key that sorts runs of digits by their value and everything else by its text.

    Numbers are compared by length and digits, so that a run of a million digits costs no conversion.
    """
    key: list[tuple[int, int, str]] = []
    for index, piece in enumerate(_DIGITS.split(text)):
        if index % 2:
            digits = piece.lstrip("0")
            key.append((0, len(digits), digits))
        elif piece:
            key.append((1, 0, piece))
    return (*key, (-1, 0, text)) if key else ((-1, 0, text),)
