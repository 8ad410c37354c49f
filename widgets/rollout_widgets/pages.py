"""One conversation as pages: which sections a page holds, and the page as HTML. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Place, Rollout
from rollout_views.anchors import Anchors
from rollout_views.block import Block, Lens, Section
from rollout_views.shown_place import show_command
from rollout_views.static_html import fragment
from rollout_views.transcript import section_blocks, sections

from .errors import CannotShowError

Folds = Literal["as marked", "all open", "all folded"]
FOLDS: tuple[Folds, ...] = ("as marked", "all open", "all folded")
PAGE_BLOCKS = 60
PAGE_BYTES = 60_000
"""Where a page ends; a single section may be larger."""
MOST_BYTES = 150_000
"""The most that a single section takes; the rest of it is counted."""


class Page(NamedTuple):
    """Sections `start` to `stop` of a conversation, drawn."""

    html: str
    start: int
    stop: int


@dataclass(frozen=True)
class Conversation:
    """One conversation of a rollout through one lens. `invocation` None is the root's."""

    rollout: Rollout
    lens: Lens
    invocation: str | None = None
    folds: Folds = "as marked"
    _sizes: dict[int, _Size] = field(default_factory=lambda: {}, compare=False, repr=False)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The outline; cheap, whatever its length."""
        return sections(self.rollout, self.lens, self.invocation)

    @cached_property
    def turns(self) -> int:
        """The highest turn number; 0 where no section belongs to a turn."""
        return max((section.turn for section in self.sections if section.turn is not None), default=0)

    def blocks(self, index: int) -> tuple[Block, ...]:
        """The blocks of one section, folded as asked."""
        made = section_blocks(self.rollout, self.lens, self.sections[index])
        if self.folds == "as marked":
            return made
        folded = self.folds == "all folded"
        return tuple(replace(block, folded=folded) if block.foldable else block for block in made)

    def index_of_turn(self, turn: int) -> int:
        """The section in which a turn begins. Raises `CannotShowError`."""
        root = self.rollout.root
        homes = (None, self.invocation or (root.id if root else None))
        for index, section in enumerate(self.sections):
            if section.turn == turn and section.kind in ("turn", "items") and section.invocation in homes:
                return index
        raise CannotShowError(f"lens {self.lens} has no turn {turn}; it has turns 1 to {self.turns}")

    def index_of_item(self, item: str) -> int:
        """The section outside all turns that holds an item; the first one where none does."""
        for index, section in enumerate(self.sections):
            if section.kind not in ("turn", "items") and item in self._idents(index):
                return index
        return 0

    def turn_at(self, index: int) -> int | None:
        """The first turn that begins at or after a section, else the last one before it."""
        later = (one.turn for one in self.sections[index:] if one.turn is not None)
        earlier = (one.turn for one in reversed(self.sections[:index]) if one.turn is not None)
        return next(later, next(earlier, None))

    def words(self, page: Page) -> str:
        """Which turns a page shows, of how many."""
        turns = [one.turn for one in self.sections[page.start : page.stop] if one.turn is not None]
        whole = page.start == 0 and page.stop == len(self.sections)
        if not turns:
            return "" if whole else f"sections {page.start + 1} to {page.stop} of {len(self.sections)}"
        first, last = turns[0], turns[-1]
        span = f"turn {first}" if first == last else f"turns {first} to {last}"
        return f"{span} of {self.turns}"

    def page(self, start: int, opened: str | None = None, anchors: Anchors | None = None) -> Page:
        """The page that begins with section `start`. `opened` is the id of a block that is shown unfolded."""
        stop, room, left = start, PAGE_BYTES, PAGE_BLOCKS
        while stop < len(self.sections):
            size = self._size(stop)
            if stop > start and (size.bytes > room or size.blocks > left):
                break
            room, left, stop = room - size.bytes, left - size.blocks, stop + 1
        blocks = [block for index in range(start, stop) for block in self.blocks(index)]
        shown = [replace(block, folded=False) if block.id == opened else block for block in blocks]
        place = self.sections[start].place if start < len(self.sections) else None
        return Page(draw(self.rollout, shown, place, anchors=anchors), start, stop)

    def start_before(self, stop: int) -> int:
        """Where the page begins that ends right before section `stop`."""
        start, room, left = stop, PAGE_BYTES, PAGE_BLOCKS
        while start > 0:
            size = self._size(start - 1)
            if start < stop and (size.bytes > room or size.blocks > left):
                break
            room, left, start = room - size.bytes, left - size.blocks, start - 1
        return start

    def _idents(self, index: int) -> set[str | None]:
        return {ident for block in self.blocks(index) for ident in (block.id, block.place.item_id)}

    def _size(self, index: int) -> _Size:
        known = self._sizes.get(index)
        if known is None:
            blocks = self.blocks(index)
            text = draw(self.rollout, blocks)
            known = self._sizes[index] = _Size(len(text.encode("utf-8", "replace")), len(blocks))
        return known


class _Size(NamedTuple):
    bytes: int
    blocks: int


def draw(
    rollout: Rollout,
    blocks: Sequence[Block],
    place: Place | None = None,
    prefix: str = "",
    anchors: Anchors | None = None,
) -> str:
    """Return blocks as HTML of a bounded size; what is left out is counted, with the command that shows it."""
    rest = show_command(rollout, place)
    return fragment(blocks, prefix=f"{prefix}{rollout.id}-", rest=rest, max_bytes=MOST_BYTES, anchors=anchors)
