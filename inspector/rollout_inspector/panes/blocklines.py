"""One block at one width and one fold: how many lines it takes, and what stands on each of them.

Nothing here knows a widget or a colour: a line is text with named stretches, so that it can be tested as text.
"""

from __future__ import annotations

import re
from array import array
from functools import cached_property

from rich.cells import cell_len

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.block import Block
from rollout_views.foreign import visible
from rollout_views.formatting import count

from .highlight import Spans, spans
from .prettyjson import looks_like_json, spread
from .wrapping import clip, expand_tabs, wrap

_PROSE = frozenset({"user", "answer", "reasoning", "scored", "normal"})
_PREVIEW = 400
"""Characters of a folded body that are looked at for its first line."""
_REACH = 200
"""How far before and after a line a match may begin and end."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a block, without its gutter."""

    text: str
    spans: Spans
    source: int | None = None
    """Offset of the line in the block's display body; None for heads and links."""
    soft: bool = False
    """True when the next line continues this one: a copy joins them."""
    link: int | None = None
    """Index of the link that this line leads to."""
    head: bool = False


def display_body(block: Block, pretty: bool = True) -> str:
    """Return the body as it is drawn and searched: foreign characters visible, tabs as spaces, JSON spread out."""
    body = visible(block.display_body)
    if pretty and is_spread(block):
        return spread(body)
    return expand_tabs(body)


def is_spread(block: Block) -> bool:
    """Say whether a block's JSON is shown with line breaks of ours: tool output and JSON, never what was said."""
    return (block.format == "json" or block.label == "result") and looks_like_json(block.body)


def display_title(block: Block) -> str:
    """Return the title as it is drawn and searched: one line, its newlines shown."""
    return expand_tabs(visible(block.title)).replace("\n", "⏎")


class BlockLines:
    """The lines of one block. Heights are exact; a line's text is cut out of the body when it is asked for."""

    def __init__(self, block: Block, width: int, folded: bool, *, pretty: bool = True, stacked: bool = False) -> None:
        self.block = block
        self.stacked = stacked and bool(block.label)
        """Whether the gutter word stands on a line of its own, where a gutter would leave no room."""
        self.width = max(width, 2)
        self.folded = folded and block.foldable
        self.title = display_title(block)
        self._tags = self._tag_line()
        self._body = "" if self.folded or block.rule else display_body(block, pretty)
        self._starts: array[int] = array("L")
        if self._body:
            self._starts = wrap(self._body, self.width)
        self._heads = self._head_lines()
        self._first_body = len(self._heads)
        self._links = () if block.rule else block.links
        if self._inline_link():
            self._links = ()
        self.height = self.stacked + self._first_body + len(self._starts) + len(self._links)
        if self.height == self.stacked:
            self._heads = [Line("", [], head=True)]
            self._first_body = 1
            self.height = 1 + self.stacked

    def _tag_line(self) -> str:
        return "  ".join(filter(None, (visible(self.block.badge), visible(self.block.mark))))

    def _head_lines(self) -> list[Line]:
        if self.folded:
            return [self._folded_line()]
        if not self.title and not self._tags:
            return []
        if not self.title and len(self._starts) == 1 and cell_len(self._body) + len(self._tags) + 2 <= self.width:
            text = f"{self._body}  {self._tags}"
            self._starts = array("L")
            return [Line(text, self._tag_spans(text), source=0, head=True)]
        text = "  ".join(filter(None, (self.title, self._tags)))
        if cell_len(text) <= self.width or not self.title or not self._tags:
            return self._wrapped(text, self._tag_spans(text))
        # A badge cut in two reads as two: what does not fit beside the title stands below it.
        tags = self._tags
        named = [(0, len(self.title), "block--title")] if not self.block.rule else []
        return self._wrapped(self.title, named) + self._wrapped(tags, self._tag_spans(tags, titled=False))

    def _wrapped(self, text: str, named: Spans) -> list[Line]:
        starts = wrap(text, self.width)
        ends = [*starts[1:], len(text)]
        lines: list[Line] = []
        for start, end in zip(starts, ends, strict=True):
            own = [(max(a - start, 0), min(b, end) - start, name) for a, b, name in named if a < end and b > start]
            lines.append(Line(text[start:end].rstrip("\n"), own, head=True, soft=end < len(text)))
        return lines

    def _tag_spans(self, text: str, titled: bool = True) -> Spans:
        """Name the stretches of badge and mark at the end of a head line."""
        badge = visible(self.block.badge)
        named: Spans = []
        start = len(text) - len(self._tags)
        if badge:
            named.append((start, start + len(badge), "block--badge"))
        if self.block.mark:
            named.append((len(text) - len(visible(self.block.mark)), len(text), "block--mark"))
        if titled and self.title and not self.block.rule:
            named.append((0, len(self.title), "block--title"))
        return named

    def _folded_line(self) -> Line:
        shown = self.title
        rest = self._more(bool(shown))
        if not shown:
            shown = expand_tabs(visible(self.block.body[:_PREVIEW].strip().split("\n", 1)[0]))
        room = self.width - (cell_len(rest) + 2 if rest else 0)
        wanted = len(self.title) if self.title else min(len(self.block.body), room)
        tags = clip(self._tags, max(room - wanted - 2, room * 2 // 5))
        shown = clip(shown, max(room - (cell_len(tags) + 2 if tags else 0), 4))
        text = "  ".join(filter(None, (shown, tags)))
        named: Spans = []
        if tags:
            badge = len(visible(self.block.badge))
            start = len(shown) + 2
            if badge:
                named.append((start, start + badge, "block--badge"))
            if self.block.mark:
                named.append((start + (badge + 2 if badge else 0), len(text), "block--mark"))
        if rest:
            gap = max(self.width - cell_len(text) - cell_len(rest), 1)
            named.append((len(text) + gap, len(text) + gap + len(rest), "block--more"))
            text += " " * gap + rest
        return Line(text, named, source=None, head=True)

    def _more(self, titled: bool) -> str:
        """Say how much a fold hides."""
        body = self.block.body.strip("\n")
        hidden = body.count("\n") + 1 if titled and body else body.count("\n")
        if hidden > 0:
            return f"… {hidden:,} more line{'s' if hidden > 1 else ''}"
        if not titled and len(body) > self.width:
            return f"… {count(len(body))} characters"
        return ""

    def _inline_link(self) -> bool:
        """Put a single link at the right end of a block of one line, where there is room."""
        if len(self._links) != 1 or self.folded or self.height_before_links != 1:
            return False
        text = self._link_text(0)
        line = self._heads[0] if self._heads else self._body_line(0)
        gap = self.width - cell_len(line.text) - cell_len(text)
        if gap < 2:
            return False
        at = len(line.text) + gap
        joined = Line(
            line.text + " " * gap + text,
            [*line.spans, (at, at + len(text), "block--link")],
            source=line.source,
            link=0,
            head=True,
        )
        self._heads = [joined]
        self._starts = array("L")
        self._first_body = 1
        return True

    @property
    def height_before_links(self) -> int:
        """Lines of head and body."""
        return self._first_body + len(self._starts)

    def _link_text(self, index: int) -> str:
        text = visible(self.block.links[index].text)
        return text if text.startswith(("→", "↑", "↓", "←")) else f"→ {text}"

    def line(self, index: int) -> Line:
        """Return the line at `index`, 0-based from the top of the block."""
        if self.stacked:
            if not index:
                return Line("", [], head=True)
            index -= 1
        if index < self._first_body:
            return self._heads[index]
        if index < self.height_before_links:
            return self._body_line(index - self._first_body)
        link = index - self.height_before_links
        text = clip(self._link_text(link), self.width)
        return Line(text, [(0, len(text), "block--link")], link=link)

    def _body_line(self, index: int) -> Line:
        start = self._starts[index]
        end = self._starts[index + 1] if index + 1 < len(self._starts) else len(self._body)
        text = self._body[start:end]
        soft = index + 1 < len(self._starts) and not text.endswith("\n")
        text = text.rstrip("\n")
        kind = "json" if is_spread(self.block) else self.block.format
        return Line(text, spans(text, kind, self.block.tone in _PROSE), source=start, soft=soft)

    def line_of(self, offset: int) -> int:
        """Return the line that holds an offset of the display body."""
        if not self._starts:
            return int(self.stacked)
        low, high = 0, len(self._starts)
        while high - low > 1:
            middle = (low + high) // 2
            if self._starts[middle] <= offset:
                low = middle
            else:
                high = middle
        return self.stacked + self._first_body + low

    def matches(self, index: int, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
        """Return where `pattern` stands on a line; a match that runs over the end of a line is marked on both."""
        line = self.line(index)
        if line.source is None or not self._starts:
            return [match.span() for match in pattern.finditer(line.text)]
        start, end = line.source, line.source + len(line.text)
        near = pattern.finditer(self._body, max(start - _REACH, 0), end + _REACH)
        return [
            (max(match.start() - start, 0), min(match.end(), end) - start)
            for match in near
            if match.start() < end and match.end() > start
        ]

    @cached_property
    def label(self) -> str:
        """Return the gutter word, made visible."""
        return visible(self.block.label)
