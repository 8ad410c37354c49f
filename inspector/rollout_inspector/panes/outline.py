"""The outline: one line a section, the tree of invocations above them; the Line API again, for 100,000 turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.block import Section
from rollout_views.foreign import visible_line

from .stripview import StripView
from .tones import tone_style
from .wrapping import clip


@dataclass(frozen=True, slots=True)
class Branch:
    """One invocation in the tree above the sections."""

    invocation: str
    text: str
    depth: int
    current: bool


class Outline(StripView, can_focus=True):
    """Sections and invocations to choose from."""

    DEFAULT_CSS = """
    Outline {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $surface;
        color: $foreground;
        padding: 0 0 0 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("pagedown,ctrl+f,space", "page(1)", "Page down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("g,home", "move_to(0)", "First", show=False),
        Binding("G,end", "move_to(-1)", "Last", show=False),
        Binding("enter", "choose", "Go there", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """A section or an invocation was chosen; `enter` says whether the keys go along."""

        section: int | None
        invocation: str | None
        enter: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._sections: Sequence[Section] = ()
        self._tree: tuple[Branch, ...] = ()
        self._cursor = 0

    def show(self, sections: Sequence[Section], tree: Sequence[Branch] = ()) -> None:
        """Show other sections; a tree of one invocation says nothing and is left out."""
        self._sections = sections
        self._tree = tuple(tree) if len(tree) > 1 else ()
        self._cursor = 0
        self._resize()
        self.redraw()

    @property
    def _above(self) -> int:
        return len(self._tree) + 1 if self._tree else 0

    @property
    def line_count(self) -> int:
        """Lines in all."""
        return self._above + len(self._sections)

    def _resize(self) -> None:
        self.virtual_size = Size(self.size.width, self.line_count)

    def on_resize(self) -> None:
        """Draw again at the new width."""
        self.strips.clear()
        self._resize()

    def follow(self, section: int) -> None:
        """Move the cursor to the section that the transcript is at."""
        self._set_cursor(self._above + section)

    def _set_cursor(self, line: int) -> None:
        line = max(min(line, self.line_count - 1), 0)
        if line == self._cursor:
            return
        self._cursor = line
        self.scroll_to_line(line, max(self.size.height, 1))
        self.refresh()

    def action_move(self, step: int) -> None:
        """Move the cursor; the transcript follows."""
        line = self._cursor + step
        if self._tree and line == len(self._tree):
            line += step
        self._set_cursor(line)
        self._say(False)

    def action_page(self, step: int) -> None:
        """Move a page."""
        self._set_cursor(self._cursor + step * max(self.size.height - 1, 1))
        self._say(False)

    def action_move_to(self, line: int) -> None:
        """Move to the first or last line."""
        self._set_cursor(line if line >= 0 else self.line_count - 1)
        self._say(False)

    def action_choose(self) -> None:
        """Go to the section or into the invocation."""
        self._say(True)

    def _say(self, enter: bool) -> None:
        if self._cursor >= self._above:
            if self._sections:
                self.post_message(self.Chosen(self._cursor - self._above, None, enter))
        elif enter and self._cursor < len(self._tree):
            self.post_message(self.Chosen(None, self._tree[self._cursor].invocation, True))

    def on_click(self, event: events.Click) -> None:
        """Choose the line that was clicked."""
        line = round(self.scroll_y) + event.y
        if line < self.line_count:
            self._set_cursor(line)
            self._say(True)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        line = round(self.scroll_y) + y
        if line >= self.line_count or width < 1:
            return Strip.blank(width, self.rich_style)
        key = (line, width, line == self._cursor)
        strip = self.strips.get(key)
        if strip is None:
            text, name = self._line(line)
            style = tone_style(self, name)
            if line == self._cursor:
                style += tone_style(self, "outline--cursor-focus" if self.has_focus else "outline--cursor")
            strip = Strip([Segment(clip(text, width), style)]).adjust_cell_length(width, style)
            strip = strip.apply_style(self.rich_style)
            self.strips[key] = strip
        return strip

    def _line(self, line: int) -> tuple[str, str]:
        if line < len(self._tree):
            branch = self._tree[line]
            sign = "● " if branch.current else "○ "
            return "  " * branch.depth + sign + visible_line(branch.text), (
                "outline--here" if branch.current else "outline--branch"
            )
        if line < self._above:
            return "", "outline--muted"
        section = self._sections[line - self._above]
        return visible_line(section.title), f"outline--{section.tone}"
