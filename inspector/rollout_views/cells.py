"""How many terminal cells a text takes, and wrapping by cells. Approximate where terminals themselves differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_NARROW = re.compile("[\x00-\u02ff⟨⟩⏎⇥…→]*")
"""Of one cell each: the letters of Europe, and what foreign text is written with when it is made visible."""


def cell_width(text: str) -> int:
    """Return the cells that `text` takes: wide characters two, combining ones none."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if char < "\u0300":
        return 1
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 0 if unicodedata.category(char) in ("Mn", "Me", "Cf") else 1


def wrap_cells(line: str, width: int) -> Iterator[str]:
    """Cut one line into pieces of at most `width` cells, after a space where there is one; nothing is left out."""
    start, length = 0, len(line)
    narrow = line.isascii() or _NARROW.fullmatch(line) is not None
    while start < length:
        end = min(start + max(width, 1), length) if narrow else _reach(line, start, width)
        if end < length:
            space = line.rfind(" ", start + 1, end)
            if space > start + (end - start) // 3:
                end = min(space + 1, length)
        yield line[start:end].rstrip(" ") if end < length else line[start:end]
        start = end
    if not length:
        yield ""


def _reach(line: str, start: int, width: int) -> int:
    """Return the end of the longest stretch from `start` that fits; at least one character."""
    end = min(start + width, len(line))
    if line[start:end].isascii():
        return end
    if _NARROW.fullmatch(line, start, end):
        return _with_marks(line, end)
    used = 0
    for index in range(start, end):
        used += _cells(line[index])
        if used > width:
            return max(index, start + 1)
    return _with_marks(line, end)


def _with_marks(line: str, end: int) -> int:
    """`end` moved behind the marks that belong to the character before it."""
    while end < len(line) and _cells(line[end]) == 0:
        end += 1
    return end


def fit_cells(text: str, width: int) -> str:
    """Return `text` in at most `width` cells, the last one `…` when something was left out."""
    if cell_width(text) <= width:
        return text
    kept = text[: _reach(text, 0, max(width - 1, 1))]
    return kept + "…" if width > 1 else "…"
