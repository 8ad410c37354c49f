"""How a line of blocks is drawn: cursor bar, gutter word, fold sign, text in its tone, matches, selection."""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from rollout_views.block import Block

from .blocklines import BlockLines, Line
from .blockstyle import BLOCK_CSS
from .columnview import ColumnView
from .linecolumn import Spot
from .painting import StyledSpan, painted
from .sectionlines import SectionLines
from .wrapping import pad

GUTTER = 12
"""Cursor bar, gutter word of up to nine cells, fold sign, space."""
_LABEL = 9
_NARROW = 46
"""Narrower views put the gutter word on a line of its own."""
_NARROW_GUTTER = 4


class BlockDrawing(ColumnView):
    """Draws blocks; which ones there are, and what is folded, is said by the view."""

    DEFAULT_CSS = BLOCK_CSS

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, classes=classes)
        self.query_pattern: re.Pattern[str] | None = None
        self.current_match: tuple[Spot, int] | None = None
        """The line of the match that the reader is at, and where in it the match begins."""

    def layout_of(self, index: int) -> SectionLines:
        """Return the lines of one section, laid out now if need be."""
        raise NotImplementedError

    @property
    def content_width(self) -> int:
        """Cells for text right of the gutter."""
        return max(self.width_now - self.gutter_width - 1, 2)

    @property
    def stacked(self) -> bool:
        """Whether gutter words stand on lines of their own."""
        return self.width_now < _NARROW

    @property
    def gutter_width(self) -> int:
        """Cells left of the text."""
        return _NARROW_GUTTER if self.stacked else GUTTER

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.size.width
        line = round(self.scroll_y) + y
        if not self.width_now or line >= self.heights.total or not self.heights.count:
            return Strip.blank(width, self.rich_style)
        section, rest = self.heights.find(line)
        on_cursor = int(section == self.cursor.section) and self.cursor.block + 1
        selection = self.text_selection
        key = (section, rest, on_cursor)
        strip = None if selection is not None else self.strips.get(key)
        if strip is None:
            strip = self._draw(section, rest, line, width)
            if selection is None:
                self.strips[key] = strip
        return strip.apply_offsets(0, line)

    def _draw(self, section: int, rest: int, line: int, width: int) -> Strip:
        layout = self.layout_of(section)
        index, inner = layout.find(rest)
        base = self.rich_style
        if index < 0 or index >= len(layout.blocks) or inner >= layout.blocks[index].height:
            return Strip.blank(width, base)
        lines = layout.blocks[index]
        block = lines.block
        on_cursor = section == self.cursor.section and index == self.cursor.block
        segments = self._gutter(lines, inner, on_cursor)
        drawn = lines.line(inner)
        text, spans = self._spans(drawn, block)
        if self.query_pattern is not None:
            current = self.current_match
            here = current[1] if current is not None and current[0] == (section, index, inner) else None
            spans += [
                (start, end, self.style_of("block--match-current" if start == here else "block--match"))
                for start, end in lines.matches(inner, self.query_pattern)
            ]
        names = ["tone--rule" if block.rule else f"tone--{block.tone}"]
        if block.out_of_context:
            names.append("block--gone")
        if block.rule and inner == lines.height - 1:
            text = self._ruled(text)
        segments += painted(text, self.style_of(*names), spans)
        strip = Strip(segments).adjust_cell_length(width, self.style_of(*names)).apply_style(base)
        return self.with_selection(strip, line)

    def _ruled(self, text: str) -> str:
        room = self.content_width - cell_len(text) - 1
        return f"{text} {'─' * room}" if room > 1 else text

    def _gutter(self, lines: BlockLines, inner: int, on_cursor: bool) -> list[Segment]:
        block = lines.block
        bar = "▌" if on_cursor else "┊" if block.out_of_context else " "
        bar_style = self.style_of("block--cursor" if on_cursor and self.has_focus else "block--gone")
        if inner:
            return [Segment(bar, bar_style), Segment(" " * (self.gutter_width - 1))]
        # Only what is folded, and what the cursor is on, shows its sign: a column of arrows would say nothing.
        sign = "▸" if lines.folded else "▾" if block.foldable and on_cursor else " "
        label = self.style_of("block--label", f"label--{block.tone}")
        fold = Segment(f"{sign} ", self.style_of("block--fold"))
        if lines.stacked:
            return [Segment(bar, bar_style), fold, Segment(pad(lines.label, self.width_now - 4), label)]
        return [Segment(bar, bar_style), Segment(pad(lines.label, _LABEL), label), fold]

    def _spans(self, drawn: Line, block: Block) -> tuple[str, list[StyledSpan]]:
        title = f"title--{block.tone}"
        return drawn.text, [
            (start, end, self.style_of(title if name == "block--title" else name)) for start, end, name in drawn.spans
        ]
