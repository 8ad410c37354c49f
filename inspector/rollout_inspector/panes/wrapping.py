"""Where the lines of a text start at a width: measured in cells, never inside a grapheme.

The index holds offsets only, so that a 300 kB tool result costs a few kilobytes and a line is cut out when it is drawn.
"""

from __future__ import annotations

from array import array

from rich.cells import cell_len, split_graphemes

TAB = 4
"""Tab stops in cells. A tab of its own would move the terminal's cursor and break every column after it."""

_SHORT_BREAK = 3
"""A break at a space is taken only past this share of the line (1/3): else one long word would leave ragged holes."""


def expand_tabs(text: str) -> str:
    """Replace tabs by spaces up to the next stop, counted in cells from the start of each line."""
    if "\t" not in text:
        return text
    return "\n".join(_expand_line(line) if "\t" in line else line for line in text.split("\n"))


def _expand_line(line: str) -> str:
    if line.isascii():
        return line.expandtabs(TAB)
    pieces = line.split("\t")
    done = ""
    column = 0
    for piece in pieces[:-1]:
        column += cell_len(piece)
        gap = TAB - column % TAB
        done += piece + " " * gap
        column += gap
    return done + pieces[-1]


def wrap(text: str, width: int) -> array[int]:
    """Give the offset at which each line starts when `text` is laid out in `width` cells.

    Args:
        text: Display text: no control characters but newlines, no tabs.
        width: Cells a line; at least 2, or a wide character could never be placed.

    Returns:
        One offset a line. A line ends where the next starts; its newline, if any, belongs to it.
    """
    width = max(width, 2)
    starts = array("L")
    position = 0
    length = len(text)
    while True:
        newline = text.find("\n", position)
        end = length if newline < 0 else newline
        starts.append(position)
        if end - position > width or not text.isascii():
            _wrap_line(text, position, end, width, starts)
        if newline < 0:
            return starts
        position = newline + 1


def _wrap_line(text: str, position: int, end: int, width: int, starts: array[int]) -> None:
    while True:
        cut = _cut(text, position, end, width)
        if cut >= end:
            return
        starts.append(cut)
        position = cut


def _cut(text: str, position: int, end: int, width: int) -> int:
    """Return where the line that starts at `position` ends."""
    window = text[position : min(end, position + width + 1)]
    if window.isascii() or cell_len(window) == len(window):
        if len(window) <= width:
            return position + len(window)
        hard = position + width
    else:
        hard = position + _grapheme_cut(text[position : min(end, position + width + 17)], width)
        if hard >= end:
            return end
    space = text.rfind(" ", position, hard + 1)
    if space - position <= width // _SHORT_BREAK:
        return hard
    return space + 1


def _grapheme_cut(window: str, width: int) -> int:
    """Return how many characters of `window` fit into `width` cells; at least one."""
    spans, total = split_graphemes(window)
    if total <= width:
        return len(window)
    used = 0
    for start, _, cells in spans:
        if used + cells > width:
            return max(start, 1)
        used += cells
    return len(window)


def clip(text: str, width: int) -> str:
    """Cut `text` to `width` cells, with an ellipsis where something was cut."""
    if width <= 0:
        return ""
    if (len(text) <= width and text.isascii()) or (len(text) <= width * 4 and cell_len(text) <= width):
        return text
    return text[: _grapheme_cut(text[: width * 4 + 17], width - 1)] + "…" if width > 1 else "…"


def pad(text: str, width: int) -> str:
    """Cut or fill `text` to exactly `width` cells."""
    text = clip(text, width)
    return text + " " * (width - cell_len(text))
