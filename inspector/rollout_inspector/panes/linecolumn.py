"""A scrolling column of sections whose heights are found out as they come into view (Textual's Line API, style 6.1).

It knows lines, a cursor and how to move; what stands on a line is drawn by the views that inherit from it.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from rollout_loaders.fast_dataclass import dataclass

from .heights import Heights
from .stripview import StripView
from .tones import tone_style

_FIRST_ESTIMATE = 8
"""Sections that are laid out at once; their mean height is the estimate for all others."""


class Layout(Protocol):
    """Blocks of one section, one below the other."""

    height: int
    starts: list[int]
    """First line of each block."""

    def find(self, line: int) -> tuple[int, int]:
        """Return the block that holds a line, and the line within it; `(-1, …)` for a blank one."""
        ...

    def block_height(self, index: int) -> int:
        """Return the lines of one block."""
        ...


class Spot(NamedTuple):
    """A line of a view, said so that it survives another width."""

    section: int = 0
    block: int = 0
    line: int = 0


class LineColumn(StripView, can_focus=True):
    """Sections of any number and height, and a cursor on one of their blocks."""

    ALLOW_SELECT = True

    @dataclass
    class CursorMoved(Message):
        """The cursor came to another block."""

        view: LineColumn
        section: int
        block: int

        @property
        def control(self) -> LineColumn:
            """The view whose cursor moved."""
            return self.view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, classes=classes)
        self.cursor = Spot()
        self.heights = Heights(0, 1)
        self._styles: dict[tuple[str, ...], Style] = {}
        self.width_now = 0
        self._settling = False

    # What the views that inherit say

    @property
    def section_count(self) -> int:
        """How many sections there are."""
        raise NotImplementedError

    def layout_of(self, index: int) -> Layout:
        """Return the lines of one section, laid out now if need be."""
        raise NotImplementedError

    def forget_layouts(self) -> None:
        """Drop what was laid out."""
        raise NotImplementedError

    # Layout

    def relayout(self) -> None:
        """Lay everything out again, keeping the line at the top where it is."""
        anchor = self.anchor_spot()
        self.rebuild()
        self.restore_spot(anchor)

    def rebuild(self) -> None:
        """Forget all layouts and heights."""
        self.forget_layouts()
        self.strips.clear()
        count = self.section_count
        if not self.width_now:
            self.heights = Heights(count, 1)
            return
        first = [self.layout_of(index).height for index in range(min(count, _FIRST_ESTIMATE))]
        self.heights = Heights(count, max(sum(first) // len(first), 1) if first else 1)
        for index, height in enumerate(first):
            self.heights.set(index, height)
        self.resize_virtual()
        self.refresh()

    def resize_virtual(self) -> None:
        """Tell Textual how many lines there are."""
        wanted = Size(self.width_now, self.heights.total)
        if self.virtual_size != wanted:
            self.virtual_size = wanted

    def measure(self, index: int) -> None:
        """Find out the height of a section."""
        if index < self.heights.count and not self.heights.is_measured(index):
            self.heights.set(index, self.layout_of(index).height)

    def settle(self) -> None:
        """Measure what is on screen and a page around it; the line at the top stays where it is."""
        if self._settling or not self.width_now or not self.heights.count:
            return
        self._settling = True
        try:
            page = max(self.size.height, 1)
            top = round(self.scroll_y)
            section, rest = self.heights.find(top)
            first, _ = self.heights.find(top - page)
            for index in range(section, first - 1, -1):
                self.measure(index)
            index, below = section, -rest
            while index < self.heights.count and below < 2 * page:
                self.measure(index)
                below += self.heights.height(index)
                index += 1
            self.resize_virtual()
            wanted = self.heights.offset(section) + rest
            if wanted != top:
                self.set_scroll(None, wanted)
                self.refresh()
        finally:
            self._settling = False

    def anchor_spot(self) -> Spot:
        """Say which line stands at the top."""
        if not self.heights.count:
            return Spot()
        section, rest = self.heights.find(round(self.scroll_y))
        block, line = self.layout_of(section).find(rest)
        return Spot(section, max(block, 0), line if block >= 0 else 0)

    def restore_spot(self, anchor: Spot) -> None:
        """Put a line back to the top."""
        if self.width_now and self.heights.count:
            self.set_scroll(None, self.clamped(self.line_of(anchor)))
            self.settle()
            self.set_scroll(None, self.clamped(self.line_of(anchor)))
        self._follow()
        self.refresh()

    def line_of(self, spot: Spot) -> int:
        """Return the line of the whole column on which a spot stands."""
        self.measure(spot.section)
        self.resize_virtual()
        layout = self.layout_of(spot.section)
        block = min(spot.block, len(layout.starts) - 1)
        start = layout.starts[block] if block >= 0 else 0
        return self.heights.offset(spot.section) + start + spot.line

    def clamped(self, line: int) -> int:
        """Return the nearest line that can stand at the top."""
        return max(min(line, self.heights.total - self.size.height), 0)

    # Moving

    def reveal(self, spot: Spot, *, align_top: bool = False) -> None:
        """Bring a line on screen and the cursor to its block."""
        if not self.heights.count:
            return
        spot = Spot(max(min(spot.section, self.heights.count - 1), 0), spot.block, spot.line)
        moved = (spot.section, spot.block) != (self.cursor.section, self.cursor.block)
        self.cursor = spot
        if self.width_now:
            for _ in range(2):
                line = self.line_of(spot)
                top, height = round(self.scroll_y), self.size.height
                if align_top:
                    self.set_scroll(None, self.clamped(line))
                elif not top <= line < top + max(height - 1, 1):
                    self.set_scroll(None, self.clamped(line - height // 3))
                self.settle()
        if moved:
            self.cursor_moved()
        self.refresh()

    def go_section(self, index: int) -> None:
        """Put a section at the top of the view, the cursor on its first block."""
        self.reveal(Spot(index), align_top=True)
        self.cursor_moved()

    def cursor_moved(self) -> None:
        """Say where the cursor is."""
        self.post_message(self.CursorMoved(self, self.cursor.section, self.cursor.block))

    def _follow(self) -> None:
        """Keep the cursor's block on screen: the first one that starts in it takes over."""
        if not self.heights.count or not self.width_now:
            return
        top, bottom = round(self.scroll_y), round(self.scroll_y) + self.size.height
        layout = self.layout_of(self.cursor.section)
        if self.cursor.block < len(layout.starts):
            start = self.heights.offset(self.cursor.section) + layout.starts[self.cursor.block]
            if start < bottom and start + layout.block_height(self.cursor.block) > top:
                return
        section, rest = self.heights.find(top)
        block, line = self.layout_of(section).find(rest)
        spot = Spot(section, max(block, 0))
        if line > 0 and (following := self.neighbour(spot, 1)) and self.line_of(following) < bottom:
            spot = following
        self.cursor = spot
        self.cursor_moved()
        self.refresh()

    def neighbour(self, spot: Spot, step: int) -> Spot | None:
        """Return the block after or before another."""
        if 0 <= spot.block + step < len(self.layout_of(spot.section).starts):
            return Spot(spot.section, spot.block + step)
        section = spot.section + step
        if not 0 <= section < self.heights.count:
            return None
        return Spot(section, 0 if step > 0 else max(len(self.layout_of(section).starts) - 1, 0))

    # Drawing

    def set_scroll(self, x: float | None, y: float | None) -> None:
        """Scroll and draw. Textual's own does not draw: a key would move the view and leave the screen as it was."""
        before = self.scroll_y
        super().set_scroll(x, y)
        if round(before) != round(self.scroll_y):
            if self.show_vertical_scrollbar:
                self.vertical_scrollbar.position = self.scroll_y
            self.refresh()

    def scroll_line(self, line: int) -> None:
        """Scroll to a line as a key does: what comes into view is measured, the cursor stays on screen."""
        self.set_scroll(None, line)
        self.settle()
        self._follow()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what comes into view, keep the cursor on screen."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and round(old_value) != round(new_value):
            self.settle()
            self._follow()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw a part of the screen; a pane that was hidden may be drawn before it hears of its new width."""
        if self.scrollable_content_region.width != self.width_now:
            self.on_resize()
        return super().render_lines(crop)

    def on_resize(self) -> None:
        """Lay out again at the new width."""
        width = self.scrollable_content_region.width
        if width == self.width_now:
            self.settle()
            return
        first = not self.width_now
        anchor = Spot() if first else self.anchor_spot()
        self.width_now = width
        self.rebuild()
        if first and self.cursor != Spot():
            self.reveal(self.cursor, align_top=True)
        else:
            self.restore_spot(anchor)

    def notify_style_update(self) -> None:
        """Forget styles too when the theme changes."""
        super().notify_style_update()
        self._styles.clear()

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 - Textual's signature
        """Draw again when the selection changes."""
        self.redraw()

    def style_of(self, *names: str) -> Style:
        """Return the sum of component styles."""
        found = self._styles.get(names)
        if found is None:
            found = Style()
            for name in names:
                found += tone_style(self, name)
            self._styles[names] = found
        return found

    def with_selection(self, strip: Strip, line: int) -> Strip:
        """Mark what is selected of a line, if anything."""
        span = self.text_selection.get_span(line) if self.text_selection is not None else None
        if span is None:
            return strip
        start, end = span
        style = self.screen.get_component_rich_style("screen--selection")
        done: list[Segment] = []
        at = 0
        for text, own, _ in strip:
            size = len(text)
            low = min(max(start - at, 0), size)
            high = size if end == -1 else min(max(end - at, 0), size)
            if low < high:
                marked = own + style if own else style
                done += [Segment(text[:low], own), Segment(text[low:high], marked), Segment(text[high:], own)]
            else:
                done.append(Segment(text, own))
            at += size
        return Strip([segment for segment in done if segment.text], strip.cell_length)
