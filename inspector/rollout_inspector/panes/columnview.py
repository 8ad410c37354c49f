"""A column of lines with the keys that scroll it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from .linecolumn import Layout, LineColumn, Spot

__all__ = ["ColumnView", "Layout", "Spot"]


class ColumnView(LineColumn):
    """Sections of any number and height, a cursor on one of their blocks, and the keys of a pager."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "line(1)", "Scroll down", id="scroll.down", show=False),
        Binding("k,up", "line(-1)", "Scroll up", id="scroll.up", show=False),
        Binding("pagedown,ctrl+f,space", "page(1)", "Page down", id="scroll.page_down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", id="scroll.page_up", show=False),
        Binding("ctrl+d", "half_page(1)", "Half a page down", id="scroll.half_down", show=False),
        Binding("ctrl+u", "half_page(-1)", "Half a page up", id="scroll.half_up", show=False),
        Binding("g,home", "top", "Top", id="scroll.top", show=False),
        Binding("G,end", "bottom", "Bottom", id="scroll.bottom", show=False),
        Binding("J", "block(1)", "Next part", id="part.next", show=False),
        Binding("K", "block(-1)", "Previous part", id="part.previous", show=False),
    ]

    def action_line(self, step: int) -> None:
        """Scroll one line; at an end, move the cursor."""
        wanted = self.clamped(round(self.scroll_y) + step)
        if wanted == round(self.scroll_y):
            self.action_block(step)
        else:
            self.scroll_line(wanted)

    def action_page(self, step: int) -> None:
        """Scroll a page, two lines kept."""
        self._scroll_by(step * max(self.size.height - 2, 1))

    def action_half_page(self, step: int) -> None:
        """Scroll half a page."""
        self._scroll_by(step * max(self.size.height // 2, 1))

    def _scroll_by(self, lines: int) -> None:
        wanted = self.clamped(round(self.scroll_y) + lines)
        if wanted == round(self.scroll_y):
            last = self.heights.count - 1
            self.reveal(Spot(last, max(len(self.layout_of(last).starts) - 1, 0)) if lines > 0 and last >= 0 else Spot())
        self.scroll_line(wanted)

    def action_top(self) -> None:
        """Go to the very start."""
        self.reveal(Spot(), align_top=True)
        self.set_scroll(None, 0)

    def action_bottom(self) -> None:
        """Go to the very end."""
        if not self.heights.count:
            return
        last = self.heights.count - 1
        self.reveal(Spot(last, max(len(self.layout_of(last).starts) - 1, 0)))
        for _ in range(2):
            self.set_scroll(None, self.clamped(self.heights.total))
            self.settle()

    def action_block(self, step: int) -> None:
        """Move the cursor one block on or back."""
        if (spot := self.neighbour(self.cursor, step)) is not None:
            self.reveal(spot)
