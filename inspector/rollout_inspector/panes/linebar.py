"""One line of words: the bar at the top, the hints at the bottom, the tabs of the evidence pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rollout_views.foreign import visible_line

from .tones import tone_style
from .wrapping import clip


class Word(NamedTuple):
    """A piece of a bar: its text, its component class, whether it may be clipped, and what a click on it says."""

    text: str
    style: str = "bar--normal"
    shrinks: bool = False
    name: str = ""
    keep_end: bool = False
    """Whether its end matters more than its start, as of a path."""


def _shortened(word: Word, width: int) -> str:
    if not word.keep_end or cell_len(word.text) <= width:
        return clip(word.text, width)
    text = word.text
    while cell_len(text) > width - 1:
        text = text[max(len(text) // 50, 1) :]
    return f"…{text}"


class LineBar(Widget):
    """Words from the left and from the right; what does not fit is left out from the right end of the left side."""

    DEFAULT_CSS = """
    LineBar {
        height: 1;
        width: 1fr;
        background: $surface;
        color: $foreground;
    }
    """

    class Pressed(Message):
        """A named word was clicked."""

        def __init__(self, bar: LineBar, name: str) -> None:
            super().__init__()
            self.bar = bar
            self.name = name

        @property
        def control(self) -> LineBar:
            """The bar."""
            return self.bar

    def __init__(self, *, gap: int = 2, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, classes=classes)
        self.gap = gap
        self._left: Sequence[Word] = ()
        self._right: Sequence[Word] = ()
        self._spots: list[tuple[int, int, str]] = []

    def say(self, left: Sequence[Word], right: Sequence[Word] = ()) -> None:
        """Put other words on the bar."""
        left, right = tuple(left), tuple(right)
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    @property
    def text(self) -> str:
        """What the bar says, whether it fits or not."""
        return "  ".join(word.text for word in (*self._left, *self._right))

    def render_line(self, y: int) -> Strip:
        """Draw the bar."""
        width = self.size.width
        if y or width < 1:
            return Strip.blank(width, self.rich_style)
        right = [word._replace(text=visible_line(word.text)) for word in self._right if word.text]
        left = [word._replace(text=visible_line(word.text)) for word in self._left if word.text]
        while right and self._width(right) > max(width // 2, width - 30):
            right.pop(0)
        left = self._fit(left, width - 2 - (self._width(right) + self.gap if right else 0))
        self._spots = []
        segments = [Segment(" ", Style())]
        at = self._put(left, segments, 1)
        blank = width - 1 - at - self._width(right)
        segments.append(Segment(" " * max(blank, 0), Style()))
        self._put(right, segments, at + max(blank, 0))
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style)

    def _width(self, words: Sequence[Word]) -> int:
        return sum(cell_len(word.text) for word in words) + self.gap * max(len(words) - 1, 0)

    def _fit(self, words: list[Word], width: int) -> list[Word]:
        for index in range(len(words) - 1, -1, -1):
            over = self._width(words) - width
            if over <= 0:
                break
            if words[index].shrinks:
                keep = max(cell_len(words[index].text) - over, 6)
                words[index] = words[index]._replace(text=_shortened(words[index], keep))
        while len(words) > 1 and self._width(words) > width:
            words.pop()
        if words and self._width(words) > width:
            words[0] = words[0]._replace(text=clip(words[0].text, width))
        return words

    def _put(self, words: Sequence[Word], segments: list[Segment], at: int) -> int:
        for index, word in enumerate(words):
            if index:
                segments.append(Segment(" " * self.gap, Style()))
                at += self.gap
            style = tone_style(self, word.style)
            segments.append(Segment(word.text, style))
            width = cell_len(word.text)
            if word.name:
                self._spots.append((at, at + width, word.name))
            at += width
        return at

    def on_click(self, event: events.Click) -> None:
        """Say which named word was clicked."""
        for start, end, name in self._spots:
            if start <= event.x < end:
                self.post_message(self.Pressed(self, name))
