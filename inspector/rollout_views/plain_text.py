"""Blocks as plain text: a word in a fixed gutter, the text beside it. Used by `show`, `text/plain` and `.txt` exports.

The text is made visible and nothing of it is left out, unless the caller asks for folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .block import Block
from .cells import cell_width, wrap_cells
from .foreign import visible, visible_line
from .formatting import Clipped, clip
from .scored_mark import unclaimed

GUTTER = 10
NARROW_GUTTER = 9
NARROW = 100
"""Below this width the gutter gives up one cell."""
LONGEST_LINE = 200
"""Without a width: longer bodies do not push our own words out of sight."""
RULE = "────"
_PORTION = 1 << 16
"""Characters that are made visible at a time: who reads the first lines alone does not wait for a long text."""


def lines(blocks: Iterable[Block], width: int | None = None, *, folds: bool = False) -> Iterator[str]:
    """Yield the blocks as lines without their newlines.

    Args:
        blocks: what to write.
        width: cells a line may take; None leaves every line as long as it is.
        folds: whether folded blocks show their first line only, with `… N more lines`.
    """
    above: Block | None = None
    for block in blocks:
        opens = block.rule or (block.is_input and above is not None and not above.is_input)
        if above is not None and (opens or above.label == "context"):
            yield ""
        above = block
        yield from _rule(block, width) if block.rule and not block.is_head else _labelled(block, width, folds)


def text(blocks: Iterable[Block], width: int | None = None, *, folds: bool = False) -> str:
    """Return the blocks as one text that ends with a newline."""
    return "\n".join(lines(blocks, width, folds=folds)) + "\n"


def _own(foreign: str) -> str:
    """Foreign text made visible; it cannot claim our badge."""
    return unclaimed(visible(foreign))


def _rows(foreign: str) -> Iterator[str]:
    """The lines of a foreign text, visible; none of an empty one. What is made visible never reaches over a line."""
    at = 0
    while foreign and at <= len(foreign):
        newline = foreign.find("\n", at + _PORTION)
        end = len(foreign) if newline < 0 else newline
        yield from _own(foreign[at:end]).split("\n")
        at = end + 1


def _rule(block: Block, width: int | None) -> Iterator[str]:
    words = [_own(visible_line(block.title)), block.badge, f"({_own(visible_line(block.mark))})" if block.mark else ""]
    title = "  ".join(word for word in words if word)
    if width is None:
        yield f"{RULE} {title} {RULE}"
    else:
        pieces = list(wrap_cells(title, max(width - 2 * len(RULE) - 2, 10)))
        for index, piece in enumerate(pieces):
            closing = (
                "─" * max(width - cell_width(piece) - len(RULE) - 2, len(RULE)) if index == len(pieces) - 1 else ""
            )
            yield f"{RULE if index == 0 else '    '} {piece} {closing}".rstrip()
    for line in _rows(block.body):
        yield f"{'':{GUTTER}}{line}"


def _labelled(block: Block, width: int | None, folds: bool) -> Iterator[str]:
    gutter = NARROW_GUTTER if width is not None and width < NARROW else GUTTER
    room = None if width is None else max(width - gutter, 16)
    label = _own(visible_line(block.label))
    lead = f"{label:<{gutter - 1}} "
    shown = clip(block.display_body)
    if folds and block.folded:
        shown = Clipped("", block.display_body.count("\n") + 1, 0) if block.title else clip(block.display_body, 1, 400)
    rows = _beside_label(block, shown.text, room, shown.note)
    for row in _fitted(rows, room):
        yield lead + row if row else lead.rstrip(" ")
        lead = " " * gutter


def _beside_label(block: Block, body: str, room: int | None, note: str) -> Iterator[str]:
    """At least one line. A body of one line stands on the first line where it fits."""
    title = _own(visible_line(block.title))
    ours = [block.badge, f"({_own(visible_line(block.mark))})" if block.mark else "", note]
    ours += [f"→ {_own(visible_line(link.text))}" for link in block.links]
    tail = "   ".join(word for word in ours if word)
    if body and "\n" not in body and (" " not in title or title.startswith("(")):
        whole = "  ".join(part for part in (title, _own(body), tail) if part)
        if not tail or cell_width(whole) <= (LONGEST_LINE if room is None else room):
            yield whole
            return
    head = "  ".join(part for part in (title, tail) if part)
    if title and tail and room is not None and cell_width(head) > room:
        yield from (title, tail)
    elif head or not body:
        yield head
    yield from _rows(body)


def _fitted(rows: Iterable[str], room: int | None) -> Iterator[str]:
    for row in rows:
        if room is None:
            yield row
            continue
        flat = row.expandtabs(4) if "\t" in row else row
        if len(flat) <= room and flat.isascii():
            yield flat
        else:
            yield from wrap_cells(flat, room)
