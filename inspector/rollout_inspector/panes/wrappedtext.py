"""A text in as many lines as it needs: for what may not be cut, such as what is wrong with a filter."""

from __future__ import annotations

from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from rollout_views.foreign import visible_line

from .tones import tone_style
from .wrapping import clip, wrap

_MARGIN = 1
"""Cells left free on either side, as in a bar of words."""


def fits(text: str, width: int) -> bool:
    """Say whether one line of `width` cells holds a text."""
    return cell_len(visible_line(text)) <= width - 2 * _MARGIN


class WrappedText(Widget):
    """Text that wraps, up to half of the terminal's height; what a megabyte of text has beyond that is an ellipsis."""

    DEFAULT_CSS = """
    WrappedText { height: auto; width: 1fr; background: $surface; color: $foreground; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._text = ""
        self._style = ""
        self._keeps_end = False
        self._wrapped: tuple[tuple[int, int], list[str]] = ((0, 0), [])

    def say(self, text: str, style: str = "bar--normal", *, keep_end: bool = False) -> None:
        """Show another text; `keep_end`: if it must be cut, then at its start."""
        self._text, self._style, self._keeps_end = visible_line(text), style, keep_end
        self._wrapped = ((0, 0), [])
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's own
        """Return how many lines are drawn."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        lines = self._lines(width)
        text = lines[y] if y < len(lines) else ""
        strip = Strip([Segment(" " * _MARGIN), Segment(text, tone_style(self, self._style))])
        return strip.adjust_cell_length(width).apply_style(self.rich_style)

    def _lines(self, width: int) -> list[str]:
        height = self.screen.size.height
        if self._wrapped[0] != (width, height):
            self._wrapped = ((width, height), self._wrap(width - 2 * _MARGIN, max(height // 2, 1)))
        return self._wrapped[1]

    def _wrap(self, width: int, most: int) -> list[str]:
        starts = [*wrap(self._text, width), len(self._text)]
        lines = [self._text[start:end].rstrip() for start, end in pairwise(starts)]
        if len(lines) <= most:
            return lines
        if self._keeps_end:
            return [f"…{lines[-most][1:]}", *lines[len(lines) - most + 1 :]]
        return [*lines[: most - 1], clip(f"{lines[most - 1]} …", max(width - 1, 1)) + "…"]
