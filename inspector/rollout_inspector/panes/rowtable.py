"""A table of any number of rows: it holds indices and draws what is on screen; no row has a widget or a cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.foreign import visible_line

from .stripview import StripView
from .tones import tone_style
from .wrapping import clip

Row = TypeVar("Row")
_GAP = 2
_SELDOM = 6
"""How much less important a column is that has nothing to say for most rows."""
_SAMPLE = 400
"""Rows that column widths are fitted to."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column: how a row's cell reads and sorts. The lower its `rank`, the longer it stays on a narrow screen."""

    key: str
    title: str
    cell: Callable[[Row], str]
    sort_key: Callable[[Row], tuple[object, ...]]
    rank: int = 5
    right: bool = False
    most: int = 20
    """Widest it may be."""
    tone: Callable[[Row], str] | None = None
    """Component class of a cell."""
    always: bool = False
    """Whether it stays although no row has anything to say in it."""


@dataclass(frozen=True, slots=True)
class GroupLine:
    """A line between rows: a task with its repeats."""

    text: str
    rows: tuple[int, ...]


class RowTable(StripView, Generic[Row], can_focus=True):
    """Rows in an order, some of them selected, one under the cursor."""

    DEFAULT_CSS = """
    RowTable {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Next rollout", id="row.next", show=False),
        Binding("k,up", "move(-1)", "Previous rollout", id="row.previous", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("ctrl+d", "half_page(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half_page(-1)", "Half a page up", show=False),
        Binding("g,home,0", "move_to(0)", "First", show=False),
        Binding("G,end,dollar_sign", "move_to(-1)", "Last", show=False),
        Binding("enter,l,right", "open", "Open", id="row.open", show=False),
    ]

    @dataclass
    class Opened(Message):
        """A row was opened."""

        row: int

    @dataclass
    class Highlighted(Message):
        """The cursor came to another row; None for a group line."""

        row: int | None

    @dataclass
    class HeaderPressed(Message):
        """A column's head was clicked."""

        column: str

    def __init__(self, columns: Sequence[Column[Row]], *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.rows: Sequence[Row] = ()
        self.lines: Sequence[int | GroupLine] = ()
        self.cursor = 0
        self.selected: set[int] = set()
        self.sorted_by: tuple[str, bool] | None = None
        self.empty = ""
        """What an empty table says in its place."""
        self._shown: list[tuple[Column[Row], int]] = []
        self._fitted = 0

    def show(self, rows: Sequence[Row], lines: Sequence[int | GroupLine]) -> None:
        """Show rows in an order. The cursor stays where it is: the caller moves it with the row."""
        self.rows = rows
        self.lines = lines
        self.cursor = max(min(self.cursor, len(lines) - 1), 0)
        if len(rows) != self._fitted and self._fitted < _SAMPLE:
            self._fit()
        self.redraw()

    def redraw(self) -> None:
        """Draw everything again, of as many lines as there are now."""
        self.virtual_size = Size(self.size.width, len(self.lines) + 1)
        super().redraw()

    def fit_again(self) -> None:
        """Fit the columns to the rows that are there now."""
        self._fit()
        self.redraw()

    def _fit(self) -> None:
        """Choose the columns that have something to say and fit the width, the most important first."""
        sample = self.rows[:_SAMPLE]
        self._fitted = len(self.rows)
        wanted: dict[str, int] = {}
        ranks: dict[str, int] = {}
        for column in self.columns:
            texts = [column.cell(row) for row in sample]
            unknown = sum(text in {"", "·"} for text in texts)
            if sample and unknown == len(sample) and not column.always:
                continue
            ranks[column.key] = column.rank + (_SELDOM if unknown * 2 > len(sample) and not column.always else 0)
            widest = max((cell_len(text) for text in texts), default=0)
            wanted[column.key] = max(min(widest, column.most), cell_len(column.title), 1)
        room = self.scrollable_content_region.width - 2
        chosen: set[str] = set()
        for column in sorted(self.columns, key=lambda one: ranks.get(one.key, one.rank)):
            if column.key in wanted and (wanted[column.key] + _GAP <= room or not chosen):
                chosen.add(column.key)
                room -= wanted[column.key] + _GAP
        self._shown = [(column, wanted[column.key]) for column in self.columns if column.key in chosen]

    @property
    def shown_columns(self) -> list[str]:
        """Keys of the columns that fit."""
        return [column.key for column, _ in self._shown]

    @property
    def row(self) -> int | None:
        """Index of the row under the cursor."""
        line = self.lines[self.cursor] if self.cursor < len(self.lines) else None
        return line if isinstance(line, int) else None

    @property
    def group(self) -> GroupLine | None:
        """The group line under the cursor."""
        line = self.lines[self.cursor] if self.cursor < len(self.lines) else None
        return line if isinstance(line, GroupLine) else None

    def move_cursor(self, line: int) -> None:
        """Put the cursor on a line and bring it on screen."""
        line = max(min(line, len(self.lines) - 1), 0)
        self.cursor = line
        self.scroll_to_line(line, max(self.size.height - 1, 1))
        self.refresh()
        self.post_message(self.Highlighted(self.row))

    def move_to_row(self, row: int) -> bool:
        """Put the cursor on a row; False when it is not among the lines."""
        try:
            self.move_cursor(self.lines.index(row))
        except ValueError:
            return False
        return True

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        self.move_cursor(self.cursor + step)

    def action_page(self, step: int) -> None:
        """Move a page."""
        self.move_cursor(self.cursor + step * max(self.size.height - 2, 1))

    def action_half_page(self, step: int) -> None:
        """Move half a page."""
        self.move_cursor(self.cursor + step * max(self.size.height // 2, 1))

    def action_move_to(self, line: int) -> None:
        """Move to the first or the last line."""
        self.move_cursor(line if line >= 0 else len(self.lines) - 1)

    def action_open(self) -> None:
        """Open the row under the cursor; of a group, its first row."""
        row = self.row
        if row is None and self.group is not None and self.group.rows:
            row = self.group.rows[0]
        if row is not None:
            self.post_message(self.Opened(row))

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._fit()
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Choose a row, open it at the second click; a click on a head sorts."""
        if event.y == 0:
            at = 2
            for column, width in self._shown:
                if at <= event.x < at + width + _GAP:
                    self.post_message(self.HeaderPressed(column.key))
                at += width + _GAP
            return
        line = round(self.scroll_y) + event.y - 1
        if line < len(self.lines):
            self.move_cursor(line)
            if event.chain == 2:
                self.action_open()

    def _style(self, name: str) -> Style:
        return tone_style(self, name)

    def render_line(self, y: int) -> Strip:
        """Draw the head or a row; the head stays while rows scroll."""
        width = self.size.width
        if y == 0:
            return self._head(width)
        line = round(self.scroll_y) + y - 1
        if line >= len(self.lines):
            text = f"  {self.empty}" if not self.lines and y == 2 and self.empty else ""
            style = self._style("table--muted")
            return (
                Strip([Segment(clip(text, width), style)]).adjust_cell_length(width, style).apply_style(self.rich_style)
            )
        on_cursor = line == self.cursor
        strip = self.strips.get((line, on_cursor))
        if strip is None or strip.cell_length != width:
            strip = self._draw(self.lines[line], on_cursor, width)
            self.strips[(line, on_cursor)] = strip
        return strip

    def _head(self, width: int) -> Strip:
        segments = [Segment("  ", Style())]
        for column, size in self._shown:
            style, arrow = self._style("table--head"), " "
            title = self._aligned(column.title, size, column.right)
            if self.sorted_by is not None and self.sorted_by[0] == column.key:
                arrow = "↓" if self.sorted_by[1] else "↑"
                style += self._style("table--sorted")
                if not column.right:
                    title = clip(column.title, size) + arrow + " " * max(size - cell_len(column.title), 0)
                    arrow = ""
            segments.append(Segment(title + arrow, style))
            segments.append(Segment(" " * (_GAP - 1), Style()))
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style)

    @staticmethod
    def _aligned(text: str, width: int, right: bool) -> str:
        text = clip(text, width)
        blank = " " * max(width - cell_len(text), 0)
        return blank + text if right else text + blank

    def _draw(self, line: int | GroupLine, on_cursor: bool, width: int) -> Strip:
        cursor = "table--cursor-focus" if self.has_focus else "table--cursor"
        under = self._style(cursor) if on_cursor else Style()
        if isinstance(line, GroupLine):
            style = self._style("table--group") + under
            text = clip(visible_line(line.text), width)
            return Strip([Segment(text, style)]).adjust_cell_length(width, style).apply_style(self.rich_style)
        row = self.rows[line]
        mark = "▌" if on_cursor else " "
        chosen = "◼" if line in self.selected else " "
        segments = [
            Segment(mark, self._style("table--sorted") + under),
            Segment(chosen, self._style("table--selected") + under),
        ]
        for column, size in self._shown:
            text = self._aligned(visible_line(column.cell(row)), size, column.right)
            tone = column.tone(row) if column.tone is not None else "table--normal"
            segments.append(Segment(text, self._style(tone) + under))
            segments.append(Segment(" " * _GAP, under))
        return Strip(segments).adjust_cell_length(width, under).apply_style(self.rich_style)
