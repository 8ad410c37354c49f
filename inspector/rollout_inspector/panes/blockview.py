"""Blocks of any number and size as one scrolling column.

No widget a turn: 100,000 turns take one widget, a tree of heights and a small cache of what is on screen.
"""

from __future__ import annotations

import re
from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.message import Message
from textual.selection import Selection

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Place
from rollout_views.block import Block, Link, Section

from .blockdrawing import GUTTER, BlockDrawing
from .blocklines import Line
from .blocksource import NOWHERE, BlockSource, FixedSource
from .folds import Folds, kind_of, part_key
from .linecolumn import Spot
from .sectionlines import SectionLines

__all__ = ["GUTTER", "BlockView", "Spot"]


class BlockView(BlockDrawing):
    """A scrolling column of blocks with a cursor on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "activate", "Unfold, follow the link, or fold", id="part.activate", show=False),
        Binding("full_stop", "fold", "Fold or unfold", id="part.fold", show=False),
    ]

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

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, classes=classes)
        self.source: BlockSource = FixedSource(())
        self.folds = Folds()
        self.pretty = True
        """Whether JSON on one line is shown with line breaks."""
        self._layouts: LRUCache[int, SectionLines] = LRUCache(256)

    @property
    def section_count(self) -> int:
        """How many sections there are."""
        return len(self.source.sections)

    def forget_layouts(self) -> None:
        """Drop what was laid out."""
        self._layouts.clear()

    # What is shown

    def show(self, source: BlockSource, folds: Folds | None = None, at: Spot | None = None) -> None:
        """Show another source, at its start or at a spot."""
        self.source = source
        if folds is not None:
            self.folds = folds
        self.cursor = at or Spot()
        self.rebuild()
        if self.width_now:
            self.reveal(self.cursor, align_top=True)
            if at is None:
                self.set_scroll(None, 0)
        self.cursor_moved()

    def set_query(self, pattern: re.Pattern[str] | None) -> None:
        """Highlight every match of a pattern; None takes the highlights away."""
        self.query_pattern = pattern
        self.current_match = None
        self.redraw()

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

    def layout_of(self, index: int) -> SectionLines:
        """Return the lines of one section, laid out now if need be."""
        found = self._layouts.get(index)
        if found is None:
            section, blocks = self.source.sections[index], self.source.blocks(index)
            lead = 1 if index and blocks else 0
            found = SectionLines(
                blocks,
                self.content_width,
                partial(self.folds.folded, section),
                lead,
                pretty=self.pretty,
                stacked=self.stacked,
            )
            self._layouts[index] = found
        return found

    def action_activate(self) -> None:
        """Unfold what is folded, follow a link, fold what has none: Enter always does the next thing."""
        block, section = self.block, self.section
        if block is None or section is None:
            return
        if block.links and not self.folds.folded(section, block):
            self.post_message(self.LinkFollowed(self, block.links[0], block))
        elif block.foldable:
            self.toggle(self.cursor)

    def action_fold(self) -> None:
        """Fold or unfold the block under the cursor, also one with a link."""
        block = self.block
        if block is not None and block.foldable:
            self.toggle(self.cursor)

    # Folding

    def toggle(self, spot: Spot) -> None:
        """Fold or unfold one block in place."""
        blocks = self.layout_of(spot.section).blocks
        if spot.block >= len(blocks):
            return
        block = blocks[spot.block].block
        self.set_fold(spot, not self.folds.folded(self.source.sections[spot.section], block))

    def set_fold(self, spot: Spot, folded: bool) -> None:
        """Fold or unfold one block; its first line keeps its row on screen."""
        block = self.layout_of(spot.section).blocks[spot.block].block
        self.folds.blocks[part_key(self.source.sections[spot.section], block)] = folded
        self._layouts.discard(spot.section)
        self.heights.set(spot.section, self.layout_of(spot.section).height)
        self.strips.clear()
        self.resize_virtual()
        if self.line_of(Spot(spot.section, spot.block)) < round(self.scroll_y):
            self.reveal(Spot(spot.section, spot.block), align_top=True)
        self.settle()
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
        found = Spot(spot.section, spot.block, lines.line_of(offset) if in_body else 0)
        source = lines.line(found.line).source or 0
        self.current_match = (found, offset - source if in_body else offset)
        self.strips.clear()
        self.reveal(found)

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
        for index, section in enumerate(self.source.sections[:50]):
            for block in self.source.blocks(index):
                if block.foldable and kind_of(block) == kind:
                    return self.folds.folded(section, block)
        return True

    def _refold(self) -> None:
        cursor = self.cursor
        self.rebuild()
        self.reveal(Spot(cursor.section, cursor.block), align_top=True)

    # Mouse, selection

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a click on a head folds, one on a link follows it."""
        if self.text_selection is not None or not self.heights.count:
            return
        line = round(self.scroll_y) + event.y
        if line >= self.heights.total:
            return
        section, rest = self.heights.find(line)
        layout = self.layout_of(section)
        index, inner = layout.find(rest)
        if index < 0:
            return
        lines = layout.blocks[index]
        drawn = lines.line(inner)
        self.cursor = Spot(section, index)
        self.cursor_moved()
        if drawn.link is not None and self._on_link(drawn, event.x - self.gutter_width):
            self.post_message(self.LinkFollowed(self, lines.block.links[drawn.link], lines.block))
        elif lines.block.foldable and (inner == 0 or lines.folded):
            self.toggle(Spot(section, index))
        self.refresh()

    @staticmethod
    def _on_link(drawn: Line, x: int) -> bool:
        return any(start <= x < end for start, end, name in drawn.spans if name == "block--link")

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text without gutters; lines that were only wrapped are joined again."""
        if not self.heights.count:
            return None
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self.heights.total - 1
        pieces: list[str] = []
        for line in range(first, min(last, self.heights.total - 1) + 1):
            text, soft = self._plain(line)
            span = selection.get_span(line)
            if span is not None:
                start, end = (
                    max(span[0] - self.gutter_width, 0),
                    len(text) if span[1] == -1 else max(span[1] - self.gutter_width, 0),
                )
                text = text[start:end]
            pieces += [text.rstrip() if not soft else text, "" if soft else "\n"]
        return "".join(pieces).removesuffix("\n"), "\n"

    def _plain(self, line: int) -> tuple[str, bool]:
        section, rest = self.heights.find(line)
        layout = self.layout_of(section)
        index, inner = layout.find(rest)
        if index < 0 or index >= len(layout.blocks) or inner >= layout.blocks[index].height:
            return "", False
        drawn = layout.blocks[index].line(inner)
        return drawn.text, drawn.soft
