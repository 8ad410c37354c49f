"""Blocks of any number and size as one scrolling column (Textual's Line API, style 6.1).

No widget a turn: 100,000 turns take one widget, a tree of heights and a small cache of what is on screen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rollout_loaders.model import Place
from rollout_views.block import Block, Link, Section
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from .blocklines import BlockLines, Line
from .blocksource import NOWHERE, BlockSource, FixedSource
from .blockstyle import BLOCK_CLASSES, BLOCK_CSS
from .folds import Folds, kind_of
from .heights import Heights
from .painting import StyledSpan, painted
from .sectionlines import SectionLines
from .wrapping import pad

GUTTER = 11
"""Cursor bar, gutter word of up to eight cells, fold sign, space."""
_LABEL = 8
_FIRST_ESTIMATE = 8


class Spot(NamedTuple):
    """A line of a view, said so that it survives another width."""

    section: int = 0
    block: int = 0
    line: int = 0


class BlockView(ScrollView, can_focus=True):
    """A scrolling column of blocks with a cursor on one of them."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = BLOCK_CLASSES
    DEFAULT_CSS = BLOCK_CSS
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
        Binding("enter", "activate", "Fold, or follow the link", id="part.activate", show=False),
    ]

    @dataclass
    class CursorMoved(Message):
        """The cursor came to another block."""

        view: BlockView
        section: int
        block: int

        @property
        def control(self) -> BlockView:
            """The view whose cursor moved."""
            return self.view

    @dataclass
    class LinkFollowed(Message):
        """A link of a block was followed."""

        view: BlockView
        link: Link
        block: Block

        @property
        def control(self) -> BlockView:
            """The view in which it was followed."""
            return self.view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.source: BlockSource = FixedSource(())
        self.folds = Folds()
        self.cursor = Spot()
        self.query_pattern: re.Pattern[str] | None = None
        self._heights = Heights(0, 1)
        self._layouts: LRUCache[int, SectionLines] = LRUCache(256)
        self._strips: LRUCache[tuple[int, int, int], Strip] = LRUCache(1024)
        self._styles: dict[tuple[str, ...], Style] = {}
        self._width = 0
        self._settling = False

    # What is shown

    def show(self, source: BlockSource, folds: Folds | None = None, at: Spot | None = None) -> None:
        """Show another source, at its start or at a spot."""
        self.source = source
        if folds is not None:
            self.folds = folds
        self.cursor = at or Spot()
        self._rebuild()
        if self._width:
            self.reveal(self.cursor, align_top=True)
            if at is None:
                self.set_scroll(None, 0)
        self._cursor_moved()

    def relayout(self) -> None:
        """Lay everything out again, keeping the line at the top where it is."""
        anchor = self._anchor()
        self._rebuild()
        self._restore(anchor)

    def set_query(self, pattern: re.Pattern[str] | None) -> None:
        """Highlight every match of a pattern; None takes the highlights away."""
        self.query_pattern = pattern
        self._strips.clear()
        self.refresh()

    @property
    def content_width(self) -> int:
        """Cells for text right of the gutter."""
        return max(self._width - GUTTER - 1, 2)

    @property
    def section(self) -> Section | None:
        """The section under the cursor."""
        sections = self.source.sections
        return sections[self.cursor.section] if self.cursor.section < len(sections) else None

    @property
    def block(self) -> Block | None:
        """The block under the cursor."""
        if self.section is None:
            return None
        blocks = self.layout_of(self.cursor.section).blocks
        return blocks[min(self.cursor.block, len(blocks) - 1)].block if blocks else None

    @property
    def place(self) -> Place:
        """The place under the cursor."""
        block, section = self.block, self.section
        if block is not None and block.place != NOWHERE:
            return block.place
        return section.place if section is not None else NOWHERE

    # Layout

    def _rebuild(self) -> None:
        self._layouts.clear()
        self._strips.clear()
        count = len(self.source.sections)
        if not self._width:
            self._heights = Heights(count, 1)
            return
        first = [self.layout_of(index).height for index in range(min(count, _FIRST_ESTIMATE))]
        self._heights = Heights(count, max(sum(first) // len(first), 1) if first else 1)
        for index, height in enumerate(first):
            self._heights.set(index, height)
        self._resize_virtual()
        self.refresh()

    def _resize_virtual(self) -> None:
        wanted = Size(self._width, self._heights.total)
        if self.virtual_size != wanted:
            self.virtual_size = wanted

    def layout_of(self, index: int) -> SectionLines:
        """Return the lines of one section, laid out now if need be."""
        found = self._layouts.get(index)
        if found is None:
            blocks = self.source.blocks(index)
            lead = 1 if index and blocks else 0
            found = SectionLines(blocks, self.content_width, self.folds.folded, lead)
            self._layouts[index] = found
        return found

    def _measure(self, index: int) -> None:
        if index < self._heights.count and not self._heights.is_measured(index):
            self._heights.set(index, self.layout_of(index).height)

    def _settle(self) -> None:
        """Measure what is on screen and a page around it; the line at the top stays where it is."""
        if self._settling or not self._width or not self._heights.count:
            return
        self._settling = True
        try:
            page = max(self.size.height, 1)
            top = round(self.scroll_y)
            section, rest = self._heights.find(top)
            first, _ = self._heights.find(top - page)
            for index in range(section, first - 1, -1):
                self._measure(index)
            index, below = section, -rest
            while index < self._heights.count and below < 2 * page:
                self._measure(index)
                below += self._heights.height(index)
                index += 1
            self._resize_virtual()
            wanted = self._heights.offset(section) + rest
            if wanted != top:
                self.set_scroll(None, wanted)
                self.refresh()
        finally:
            self._settling = False

    def _anchor(self) -> Spot:
        """Say which line stands at the top."""
        if not self._heights.count:
            return Spot()
        section, rest = self._heights.find(round(self.scroll_y))
        block, line = self.layout_of(section).find(rest)
        return Spot(section, max(block, 0), line if block >= 0 else 0)

    def _restore(self, anchor: Spot) -> None:
        if self._width and self._heights.count:
            self.set_scroll(None, self._clamped(self._line_of(anchor)))
            self._settle()
            self.set_scroll(None, self._clamped(self._line_of(anchor)))
        self._follow()
        self.refresh()

    def _line_of(self, spot: Spot) -> int:
        self._measure(spot.section)
        self._resize_virtual()
        layout = self.layout_of(spot.section)
        block = min(spot.block, len(layout.blocks) - 1)
        start = layout.starts[block] if block >= 0 else 0
        if spot.line == 0 and block <= 0:
            start = 0
        return self._heights.offset(spot.section) + start + spot.line

    def _clamped(self, line: int) -> int:
        return max(min(line, self._heights.total - self.size.height), 0)

    # Moving

    def reveal(self, spot: Spot, *, align_top: bool = False) -> None:
        """Bring a line on screen and the cursor to its block."""
        if not self._heights.count:
            return
        spot = Spot(max(min(spot.section, self._heights.count - 1), 0), spot.block, spot.line)
        moved = (spot.section, spot.block) != (self.cursor.section, self.cursor.block)
        self.cursor = spot
        if self._width:
            for _ in range(2):
                line = self._line_of(spot)
                top, height = round(self.scroll_y), self.size.height
                if align_top:
                    self.set_scroll(None, self._clamped(line))
                elif not top <= line < top + max(height - 1, 1):
                    self.set_scroll(None, self._clamped(line - height // 3))
                self._settle()
        if moved:
            self._cursor_moved()
        self.refresh()

    def go_section(self, index: int) -> None:
        """Put a section at the top of the view, the cursor on its first block."""
        self.reveal(Spot(index), align_top=True)
        self._cursor_moved()

    def _cursor_moved(self) -> None:
        self.post_message(self.CursorMoved(self, self.cursor.section, self.cursor.block))

    def _follow(self) -> None:
        """Keep the cursor's block on screen: the first one that starts in it takes over."""
        if not self._heights.count or not self._width:
            return
        top, bottom = round(self.scroll_y), round(self.scroll_y) + self.size.height
        cursor_layout = self.layout_of(self.cursor.section)
        if self.cursor.block < len(cursor_layout.blocks):
            start = self._heights.offset(self.cursor.section) + cursor_layout.starts[self.cursor.block]
            if start < bottom and start + cursor_layout.blocks[self.cursor.block].height > top:
                return
        section, rest = self._heights.find(top)
        block, line = self.layout_of(section).find(rest)
        spot = Spot(section, max(block, 0))
        if line > 0 and (following := self._neighbour(spot, 1)) and self._line_of(following) < bottom:
            spot = following
        self.cursor = spot
        self._cursor_moved()
        self.refresh()

    def _neighbour(self, spot: Spot, step: int) -> Spot | None:
        blocks = self.layout_of(spot.section).blocks
        if 0 <= spot.block + step < len(blocks):
            return Spot(spot.section, spot.block + step)
        section = spot.section + step
        if not 0 <= section < self._heights.count:
            return None
        return Spot(section, 0 if step > 0 else max(len(self.layout_of(section).blocks) - 1, 0))

    def action_line(self, step: int) -> None:
        """Scroll one line; at an end, move the cursor."""
        wanted = self._clamped(round(self.scroll_y) + step)
        if wanted == round(self.scroll_y):
            self.action_block(step)
        else:
            self.set_scroll(None, wanted)

    def action_page(self, step: int) -> None:
        """Scroll a page, two lines kept."""
        self._scroll_by(step * max(self.size.height - 2, 1))

    def action_half_page(self, step: int) -> None:
        """Scroll half a page."""
        self._scroll_by(step * max(self.size.height // 2, 1))

    def _scroll_by(self, lines: int) -> None:
        wanted = self._clamped(round(self.scroll_y) + lines)
        if wanted == round(self.scroll_y):
            last = self._heights.count - 1
            self.reveal(Spot(last, max(len(self.layout_of(last).blocks) - 1, 0)) if lines > 0 and last >= 0 else Spot())
        self.set_scroll(None, wanted)

    def action_top(self) -> None:
        """Go to the very start."""
        self.reveal(Spot(), align_top=True)
        self.set_scroll(None, 0)

    def action_bottom(self) -> None:
        """Go to the very end."""
        if not self._heights.count:
            return
        last = self._heights.count - 1
        self.reveal(Spot(last, max(len(self.layout_of(last).blocks) - 1, 0)))
        for _ in range(2):
            self.set_scroll(None, self._clamped(self._heights.total))
            self._settle()

    def action_block(self, step: int) -> None:
        """Move the cursor one block on or back."""
        if (spot := self._neighbour(self.cursor, step)) is not None:
            self.reveal(spot)

    def action_activate(self) -> None:
        """Fold or unfold the block under the cursor; a block with a link and no fold is followed."""
        block = self.block
        if block is None:
            return
        if block.foldable:
            self.toggle(self.cursor)
        elif block.links:
            self.post_message(self.LinkFollowed(self, block.links[0], block))

    # Folding

    def toggle(self, spot: Spot) -> None:
        """Fold or unfold one block in place."""
        blocks = self.layout_of(spot.section).blocks
        if spot.block >= len(blocks):
            return
        block = blocks[spot.block].block
        self.set_fold(spot, not self.folds.folded(block))

    def set_fold(self, spot: Spot, folded: bool) -> None:
        """Fold or unfold one block; its first line keeps its row on screen."""
        block = self.layout_of(spot.section).blocks[spot.block].block
        self.folds.blocks[block.id] = folded
        self._layouts.discard(spot.section)
        self._heights.set(spot.section, self.layout_of(spot.section).height)
        self._strips.clear()
        self._resize_virtual()
        if self._line_of(Spot(spot.section, spot.block)) < round(self.scroll_y):
            self.reveal(Spot(spot.section, spot.block), align_top=True)
        self._settle()
        self.refresh()

    def unfold(self, spot: Spot) -> None:
        """Unfold a block that is folded."""
        blocks = self.layout_of(spot.section).blocks
        if spot.block < len(blocks) and blocks[spot.block].folded:
            self.set_fold(spot, False)

    def show_match(self, spot: Spot, in_body: bool, offset: int) -> None:
        """Bring a match on screen, unfolding its block if it is hidden in it."""
        if in_body or self.layout_of(spot.section).blocks[spot.block].folded:
            self.unfold(spot)
        lines = self.layout_of(spot.section).blocks[spot.block]
        self.reveal(Spot(spot.section, spot.block, lines.line_of(offset) if in_body else 0))

    def fold_all(self, folded: bool) -> None:
        """Fold or unfold everything; the block under the cursor stays on screen."""
        self.folds.fold_all(folded)
        self._refold()

    def toggle_kind(self, kind: str) -> bool:
        """Fold or unfold one kind of block; returns whether it is folded now."""
        folded = not self.folds.kinds.get(kind, self._kind_folded(kind))
        self.folds.fold_kind(kind, folded)
        self._refold()
        return folded

    def _kind_folded(self, kind: str) -> bool:
        for index in range(min(len(self.source.sections), 50)):
            for block in self.source.blocks(index):
                if block.foldable and kind_of(block) == kind:
                    return self.folds.folded(block)
        return True

    def _refold(self) -> None:
        cursor = self.cursor
        self._rebuild()
        self.reveal(Spot(cursor.section, cursor.block), align_top=True)

    # Drawing

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what comes into view, keep the cursor on screen."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and round(old_value) != round(new_value):
            self._settle()
            self._follow()

    def on_resize(self) -> None:
        """Lay out again at the new width."""
        width = self.scrollable_content_region.width
        if width == self._width:
            self._settle()
            return
        first = not self._width
        anchor = Spot() if first else self._anchor()
        self._width = width
        self._rebuild()
        if first and self.cursor != Spot():
            self.reveal(self.cursor, align_top=True)
        else:
            self._restore(anchor)

    def notify_style_update(self) -> None:
        """Forget styles and strips when the theme changes."""
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw again when the selection changes."""
        self._strips.clear()
        self.refresh()

    def on_focus(self) -> None:
        """Show the cursor as the one that the keys move."""
        self._strips.clear()
        self.refresh()

    def on_blur(self) -> None:
        """Show the cursor dimmed."""
        self._strips.clear()
        self.refresh()

    def _style(self, *names: str) -> Style:
        found = self._styles.get(names)
        if found is None:
            found = Style()
            for name in names:
                found += self.get_component_rich_style(name, partial=True, default=Style())
            self._styles[names] = found
        return found

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.size.width
        line = round(self.scroll_y) + y
        if not self._width or line >= self._heights.total or not self._heights.count:
            return Strip.blank(width, self.rich_style)
        section, rest = self._heights.find(line)
        on_cursor = int(section == self.cursor.section) and self.cursor.block + 1
        selection = self.text_selection
        key = (section, rest, on_cursor)
        strip = None if selection is not None else self._strips.get(key)
        if strip is None:
            strip = self._draw(section, rest, line, width)
            if selection is None:
                self._strips[key] = strip
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
            found = self._style("block--match")
            spans += [(start, end, found) for start, end in lines.matches(inner, self.query_pattern)]
        names = ["tone--rule" if block.rule else f"tone--{block.tone}"]
        if block.out_of_context:
            names.append("block--gone")
        if block.rule and inner == lines.height - 1:
            text = self._ruled(text)
        segments += painted(text, self._style(*names), spans)
        strip = Strip(segments).adjust_cell_length(width, self._style(*names)).apply_style(base)
        span = self.text_selection.get_span(line) if self.text_selection is not None else None
        return self._selected(strip, span) if span is not None else strip

    def _ruled(self, text: str) -> str:
        room = self.content_width - cell_len(text) - 1
        return f"{text} {'─' * room}" if room > 1 else text

    def _gutter(self, lines: BlockLines, inner: int, on_cursor: bool) -> list[Segment]:
        block = lines.block
        bar = "▌" if on_cursor else "┊" if block.out_of_context else " "
        bar_style = self._style("block--cursor" if on_cursor and self.has_focus else "block--gone")
        if inner:
            return [Segment(bar, bar_style), Segment(" " * (GUTTER - 1))]
        # Only what is folded, and what the cursor is on, shows its sign: a column of arrows would say nothing.
        sign = "▸" if lines.folded else "▾" if block.foldable and on_cursor else " "
        return [
            Segment(bar, bar_style),
            Segment(pad(lines.label, _LABEL), self._style("block--label", f"label--{block.tone}")),
            Segment(f"{sign} ", self._style("block--fold")),
        ]

    def _spans(self, drawn: Line, block: Block) -> tuple[str, list[StyledSpan]]:
        title = f"title--{block.tone}"
        return drawn.text, [
            (start, end, self._style(title if name == "block--title" else name)) for start, end, name in drawn.spans
        ]

    def _selected(self, strip: Strip, span: tuple[int, int]) -> Strip:
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

    # Mouse, selection

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a click on a head folds, one on a link follows it."""
        if self.text_selection is not None or not self._heights.count:
            return
        line = round(self.scroll_y) + event.y
        if line >= self._heights.total:
            return
        section, rest = self._heights.find(line)
        layout = self.layout_of(section)
        index, inner = layout.find(rest)
        if index < 0:
            return
        lines = layout.blocks[index]
        drawn = lines.line(inner)
        self.cursor = Spot(section, index)
        self._cursor_moved()
        if drawn.link is not None and self._on_link(drawn, event.x - GUTTER):
            self.post_message(self.LinkFollowed(self, lines.block.links[drawn.link], lines.block))
        elif lines.block.foldable and (inner == 0 or lines.folded):
            self.toggle(Spot(section, index))
        self.refresh()

    @staticmethod
    def _on_link(drawn: Line, x: int) -> bool:
        return any(start <= x < end for start, end, name in drawn.spans if name == "block--link")

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text without gutters; lines that were only wrapped are joined again."""
        if not self._heights.count:
            return None
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._heights.total - 1
        pieces: list[str] = []
        for line in range(first, min(last, self._heights.total - 1) + 1):
            text, soft = self._plain(line)
            span = selection.get_span(line)
            if span is not None:
                start, end = max(span[0] - GUTTER, 0), len(text) if span[1] == -1 else max(span[1] - GUTTER, 0)
                text = text[start:end]
            pieces += [text.rstrip() if not soft else text, "" if soft else "\n"]
        return "".join(pieces).removesuffix("\n"), "\n"

    def _plain(self, line: int) -> tuple[str, bool]:
        section, rest = self._heights.find(line)
        layout = self.layout_of(section)
        index, inner = layout.find(rest)
        if index < 0 or index >= len(layout.blocks) or inner >= layout.blocks[index].height:
            return "", False
        drawn = layout.blocks[index].line(inner)
        return drawn.text, drawn.soft

    def visible_text(self) -> str:
        """Return what is on screen as text; for tests and for the screen's own twin."""
        return "\n".join(self.render_line(y).text.rstrip() for y in range(self.size.height))

    @property
    def cursor_region(self) -> Region:
        """Where the cursor's block starts on screen."""
        return Region(0, self._line_of(self.cursor) - round(self.scroll_y), self._width, 1)
