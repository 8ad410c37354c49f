"""Two conversations side by side along one spine: equal turns are one line, the others stand beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.strip import Strip

from rollout_loaders.comparison import Step
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout, Turn
from rollout_views.block import Block

from .blocklines import BlockLines
from .blocksource import TranscriptSource
from .blockstyle import BLOCK_CSS
from .columnview import ColumnView
from .painting import painted
from .pairlines import Pair, PairLines, lay_out, pair_up
from .worddiff import Stretches
from .wrapping import pad

_LABEL = 9
_GUTTER = _LABEL + 1
_SPINE = 3
_FOLD_LINES = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """A run of equal turns, or one turn that differs, is dropped or added."""

    kind: str
    steps: tuple[Step, ...]


def entries_of(steps: Sequence[Step]) -> list[Entry]:
    """Put equal turns that follow each other into one entry."""
    entries: list[Entry] = []
    for step in steps:
        if step.kind == "equal" and entries and entries[-1].kind == "equal":
            entries[-1] = Entry("equal", (*entries[-1].steps, step))
        else:
            entries.append(Entry(step.kind, (step,)))
    return entries


class CompareView(ColumnView):
    """The spine."""

    DEFAULT_CSS = BLOCK_CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "toggle_step", "Show or hide the step in full", id="step.toggle", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.entries: list[Entry] = []
        self._sources: tuple[TranscriptSource, TranscriptSource] | None = None
        self._sections: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self._turns: tuple[Sequence[Turn], Sequence[Turn]] = ((), ())
        self._full: set[int] = set()
        self._layouts: LRUCache[int, PairLines] = LRUCache(128)

    def show(self, left: Rollout, right: Rollout, steps: Sequence[Step]) -> None:
        """Show two rollouts, aligned."""
        self.entries = entries_of(steps)
        self._sources = TranscriptSource(left, "observed"), TranscriptSource(right, "observed")
        self._turns = (
            left.root.turns if left.root is not None else (),
            right.root.turns if right.root is not None else (),
        )
        self._sections = _turn_sections(self._sources[0]), _turn_sections(self._sources[1])
        self._full = set()
        self.rebuild()

    @property
    def section_count(self) -> int:
        """How many entries there are."""
        return len(self.entries)

    def forget_layouts(self) -> None:
        """Drop what was laid out."""
        self._layouts.clear()

    @property
    def column_width(self) -> int:
        """Cells of text on each side."""
        return max((self.width_now - _SPINE - 1) // 2 - _GUTTER, 4)

    def layout_of(self, index: int) -> PairLines:
        """Return the lines of one entry."""
        found = self._layouts.get(index)
        if found is None:
            found = self._lay_out(index)
            self._layouts[index] = found
        return found

    def _lay_out(self, index: int) -> PairLines:
        entry = self.entries[index]
        lead = 1 if index else 0
        full = index in self._full
        sentence = self._sentence(entry) if entry.kind == "equal" else ""
        if entry.kind == "equal" and not full:
            return PairLines((), lead, sentence)
        pairs: list[tuple[Block | None, Block | None]] = []
        for step in entry.steps:
            pairs += pair_up(self._blocks(0, step.left), self._blocks(1, step.right))

        def folded(block: Block, differs: bool) -> bool:
            if not block.foldable or full:
                return False
            return not differs or block.body.count("\n") > _FOLD_LINES

        return PairLines(lay_out(pairs, self.column_width, folded), lead, sentence)

    def _sentence(self, entry: Entry) -> str:
        first, last = entry.steps[0], entry.steps[-1]
        reasoning = sum(step.reasoning_differs for step in entry.steps)
        rest = f", {reasoning} of them after other reasoning" if reasoning else ""
        left = self._numbers(0, first.left, last.left)
        right = self._numbers(1, first.right, last.right)
        words = f"turn{'s' if first is not last else ''} {left}"
        if left != right:
            words += f" and {right}"
        return f"{words} did the same{rest}"

    def _numbers(self, side: int, first: int | None, last: int | None) -> str:
        turns = self._turns[side]
        if first is None or last is None:
            return "·"
        a, b = turns[first].number, turns[last].number
        return str(a) if a == b else f"{a}–{b}"

    def _blocks(self, side: int, turn: int | None) -> tuple[Block, ...]:
        if turn is None or self._sources is None:
            return ()
        section = self._sections[side].get(self._turns[side][turn].number)
        return () if section is None else self._sources[side].blocks(section)

    def turn_at(self, side: int) -> int | None:
        """Return the number of the turn under the cursor on one side."""
        if not self.entries:
            return None
        step = self.entries[min(self.cursor.section, len(self.entries) - 1)].steps[0]
        index = step.right if side else step.left
        return None if index is None else self._turns[side][index].number

    def entry_of_step(self, step: int) -> int:
        """Return the entry that holds a step of the alignment."""
        seen = 0
        for index, entry in enumerate(self.entries):
            seen += len(entry.steps)
            if step < seen:
                return index
        return 0

    def next_difference(self, step: int) -> int | None:
        """Return the next or previous entry in which the two differ."""
        at = self.cursor.section + step
        while 0 <= at < len(self.entries):
            if self.entries[at].kind != "equal":
                return at
            at += step
        return None

    def action_toggle_step(self) -> None:
        """Show the entry in full, or short again."""
        self._full ^= {self.cursor.section}
        self._layouts.discard(self.cursor.section)
        self.heights.set(self.cursor.section, self.layout_of(self.cursor.section).height)
        self.strips.clear()
        self.resize_virtual()
        self.settle()
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.size.width
        line = round(self.scroll_y) + y
        if not self.width_now or line >= self.heights.total or not self.heights.count:
            return Strip.blank(width, self.rich_style)
        section, rest = self.heights.find(line)
        layout = self.layout_of(section)
        index, inner = layout.find(rest)
        on_cursor = section == self.cursor.section
        bar = Segment("▌" if on_cursor and index >= 0 else " ", self.style_of("block--cursor"))
        pair = layout.pair(index) if index >= 0 else None
        if index < 0 or (pair is None and inner):
            return Strip.blank(width, self.rich_style)
        if pair is None:
            text = f"{layout.sentence} "
            room = max(self.width_now - 2 - len(text), 0)
            segments = [bar, Segment(text + "─" * room, self.style_of("tone--rule"))]
        else:
            segments = [bar, *self._side(pair.left, pair.left_marks, inner)]
            spine = " │ " if not pair.differs else " ┃ " if pair.left and pair.right else " ┼ "
            segments.append(Segment(spine, self.style_of("compare--side" if not pair.differs else "label--boundary")))
            segments += self._side(pair.right, pair.right_marks, inner)
        strip = Strip(segments).adjust_cell_length(width).apply_style(self.rich_style)
        return self.with_selection(strip, line).apply_offsets(0, line)

    def _side(self, lines: BlockLines | None, marks: Stretches, inner: int) -> list[Segment]:
        whole = _GUTTER + self.column_width
        if lines is None or inner >= lines.height:
            return [Segment(" " * whole, Style())]
        block = lines.block
        drawn = lines.line(inner)
        spans = [(start, end, self.style_of(name)) for start, end, name in drawn.spans]
        if drawn.source is not None:
            style = self.style_of("compare--differs")
            base = drawn.source
            spans += [
                (max(start - base, 0), min(end - base, len(drawn.text)), style)
                for start, end in marks
                if start < base + len(drawn.text) and end > base
            ]
        tone = self.style_of("tone--rule" if block.rule else f"tone--{block.tone}")
        label = pad(lines.label if not inner else "", _LABEL)
        text = Strip(painted(drawn.text, tone, spans)).adjust_cell_length(self.column_width, tone)
        return [Segment(f"{label} ", self.style_of("block--label", f"label--{block.tone}")), *text]


def _turn_sections(source: TranscriptSource) -> dict[int, int]:
    """Return the section of each turn."""
    return {
        section.turn: index
        for index, section in enumerate(source.sections)
        if section.kind == "turn" and section.turn is not None
    }


__all__ = ["CompareView", "Entry", "Pair", "entries_of"]
