"""Two sets of rollouts, paired: what moved in each pair, worst first; Enter sets the two side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from rollout_inspector.loading import RolloutSource
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.panes.rowtable import Column, RowTable
from rollout_inspector.working import cancellation
from rollout_loaders.comparison import Delta, Pair, Pairing, compare, pair_up, total
from rollout_loaders.comparison.delta import Side
from rollout_views.comparison_report import comparison_report
from rollout_views.comparison_text import text_lines
from rollout_views.foreign import visible_line
from rollout_views.formatting import count
from rollout_views.natural_order import natural_key
from rollout_views.verdict import reward_words

from .compare import CompareScreen
from .reading import ReadingScreen

if TYPE_CHECKING:
    from rollout_inspector.app import InspectorApp


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair and what moved in it; `delta` is None until it was compared, `problem` says when it cannot be."""

    pair: Pair
    delta: Delta | None = None
    problem: str = ""


def _moved(row: PairRow, cell: Callable[[Side], str]) -> str:
    if row.delta is None:
        return row.problem or "·"
    one, two = cell(row.delta.left), cell(row.delta.right)
    return one if one == two else f"{one} → {two}"


def _answer(side: Side) -> str:
    if side.final_answer is None or not side.stands:
        return "(no final answer)"
    return count(len(side.final_answer)) if side.final_answer else "(empty)"


def _id(row: PairRow) -> str:
    one, two = row.pair.left.id, row.pair.right.id
    return one if one == two else f"{one} → {two}"


def _findings(row: PairRow) -> str:
    if row.delta is None:
        return "·"
    moved = [f"+{code}" for code in row.delta.findings_gained] + [f"−{code}" for code in row.delta.findings_lost]
    return " ".join(moved) or "–"


def _parting(row: PairRow) -> str:
    if row.delta is None:
        return "·"
    found = row.delta.divergence
    return "–" if found is None else f"turn {found.left_turn or found.right_turn}: {found.parts}"


def _badness(row: PairRow) -> tuple[object, ...]:
    return (row.delta is None, *(row.delta.badness if row.delta is not None else ()))


def _tone(row: PairRow) -> str:
    if row.delta is None:
        return "table--muted"
    return {"down": "table--problem", "up": "table--good"}.get(row.delta.reward_moved, "table--normal")


COLUMNS: tuple[Column[PairRow], ...] = (
    Column("id", "rollout", _id, lambda row: natural_key(_id(row)), 0, most=30),
    Column("reward", "reward", lambda row: _moved(row, lambda s: reward_words(s.state, s.reward)), _badness, 1, most=28,
           tone=_tone),
    Column("outcome", "outcome", lambda row: _moved(row, lambda s: s.outcome), _badness, 4, most=24),
    Column("answer", "answer", lambda row: _moved(row, _answer), _badness, 3, most=28),
    Column("findings", "findings", _findings, _badness, 5, most=40),
    Column("parts", "they part at", _parting, _badness, 2, most=48),
)  # fmt: skip


class PairsScreen(Screen[None]):
    """The pairs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "changed", "Changed pairs only, or all", id="pairs.changed"),
        Binding("s", "worst", "Worst first, or in order", id="pairs.worst"),
        Binding("r", "report", "The whole report", id="pairs.report"),
        Binding("escape", "app.quit", "Quit", id="pairs.quit"),
    ]

    @dataclass
    class Paired(Message):
        """Both sides were listed."""

        pairing: Pairing

    @dataclass
    class PairCompared(Message):
        """More pairs were compared."""

        rows: list[tuple[int, PairRow]]
        done: bool = False
        problem: str = ""

    def __init__(self, left: RolloutSource, right: RolloutSource) -> None:
        super().__init__()
        self.left, self.right = left, right
        self.pairing: Pairing | None = None
        self.rows: list[PairRow] = []
        self.only_changed = False
        self.worst_first = True

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Title, totals, table, hints."""
        yield LineBar(id="title")
        yield LineBar(id="totals")
        yield RowTable(COLUMNS, id="pairs")
        yield PromptBar(id="prompt")

    @property
    def table(self) -> RowTable[PairRow]:
        """The table."""
        return cast("RowTable[PairRow]", self.query_one("#pairs"))

    def on_mount(self) -> None:
        """Read both sides."""
        self.query_one("#title", LineBar).say([Word("diff", "bar--strong"), Word("reading…", "bar--warning")])
        self.query_one(PromptBar).hint(
            [
                ("enter", "side by side"),
                ("c", "changed only"),
                ("s", "order"),
                ("r", "report"),
                ("?", "help"),
                ("q", "quit"),
            ]
        )
        self.table.focus()
        self._read()

    @work(thread=True, exclusive=True, group="read", exit_on_error=False)
    def _read(self) -> None:
        is_cancelled = cancellation()
        try:
            pairing = pair_up(list(self.left.summaries()), list(self.right.summaries()))
        except Exception as error:  # Whatever a reader raises becomes one line.
            self.post_message(self.PairCompared([], True, visible_line(str(error))))
            return
        self.post_message(self.Paired(pairing))
        for index, pair in enumerate(pairing.pairs):
            if is_cancelled():
                return
            try:
                row = PairRow(pair, compare(self.left.load(pair.left), self.right.load(pair.right)))
            except Exception as error:  # One pair that cannot be read must not end the others.
                row = PairRow(pair, None, visible_line(str(error)))
            self.post_message(self.PairCompared([(index, row)]))
        self.post_message(self.PairCompared([], True))

    @on(Paired)
    def _paired(self, event: Paired) -> None:
        self.pairing = event.pairing
        self.rows = [PairRow(pair) for pair in event.pairing.pairs]
        self._show()

    @on(PairCompared)
    def _compared(self, event: PairCompared) -> None:
        for index, row in event.rows:
            self.rows[index] = row
        if event.problem:
            self.query_one(PromptBar).say(event.problem, problem=True)
        if event.done:
            self.table.fit_again()
        self._show()

    def _show(self) -> None:
        lines = [index for index, row in enumerate(self.rows) if not self.only_changed or self._is_changed(row)]
        if self.worst_first:
            lines.sort(key=lambda index: _badness(self.rows[index]))
        self.table.empty = "no pair" if not self.rows else "no pair changed"
        self.table.show(self.rows, lines)
        compared = self._deltas()
        pairing = self.pairing
        words = [Word("diff", "bar--strong"), Word(f"{len(self.rows)} pairs")]
        if len(compared) < len(self.rows):
            words.append(Word(f"compared {len(compared)}", "bar--warning"))
        if pairing is not None and (pairing.only_left or pairing.only_right):
            words.append(Word(f"alone: {len(pairing.only_left)} in A, {len(pairing.only_right)} in B", "bar--warning"))
        self.query_one("#title", LineBar).say(words)
        if compared and pairing is not None:
            headline = comparison_report(pairing, compared, total(compared)).headline
            self.query_one("#totals", LineBar).say([Word(headline, "bar--normal", True)])

    @staticmethod
    def _is_changed(row: PairRow) -> bool:
        return row.delta is None or row.delta.changed

    def _deltas(self) -> list[Delta]:
        return [row.delta for row in self.rows if row.delta is not None]

    @on(RowTable.Opened)
    def _opened(self, event: RowTable.Opened) -> None:
        pair = self.rows[event.row].pair
        self.inspector.push_screen(CompareScreen(pair.left, pair.right, (self.left, self.right)))

    def action_changed(self) -> None:
        """Show changed pairs only, or all."""
        self.only_changed = not self.only_changed
        self._show()

    def action_worst(self) -> None:
        """Sort the worst first, or in the order of A."""
        self.worst_first = not self.worst_first
        self._show()

    def action_report(self) -> None:
        """Show the whole report."""
        if self.pairing is not None:
            deltas = self._deltas()
            lines: Sequence[str] = list(text_lines(comparison_report(self.pairing, deltas, total(deltas))))
            self.inspector.push_screen(ReadingScreen("report", "\n".join(lines)))
