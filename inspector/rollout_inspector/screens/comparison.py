"""Two sets of rollouts compared: totals first, the changed pairs worst first; Enter opens one side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from rollout_inspector.panes.blocksource import FixedSource
from rollout_inspector.panes.blockview import BlockView
from rollout_inspector.panes.columnview import Spot
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.working import cancellation
from rollout_loaders.comparison import Delta, Pairing, compare, pair_up, total
from rollout_loaders.fast_dataclass import dataclass
from rollout_views.comparison_blocks import OPEN_PAIR, report_blocks
from rollout_views.comparison_report import comparison_report
from rollout_views.foreign import visible_line

from .compare import CompareScreen

if TYPE_CHECKING:
    from rollout_inspector.diffapp import DiffApp

HINTS = [("j k", "scroll"), ("n N", "pair"), ("enter", "side by side"), ("?", "help"), ("q", "quit")]


class ComparisonScreen(Screen[None]):
    """A comparison of two sets."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "pair(1)", "Next changed pair", id="pair.next"),
        Binding("N", "pair(-1)", "Previous changed pair", id="pair.previous"),
        Binding("escape", "app.quit", "Quit", id="comparison.quit", show=False),
    ]

    @dataclass
    class Progress(Message):
        """How many pairs have been compared."""

        done: int
        of: int

        def can_replace(self, message: Message) -> bool:
            """Only the newest count matters."""
            return isinstance(message, ComparisonScreen.Progress)

    @dataclass
    class Compared(Message):
        """Every pair was compared."""

        pairing: Pairing
        deltas: list[Delta]

    @dataclass
    class Failed(Message):
        """A side could not be read."""

        problem: str

    def __init__(self) -> None:
        super().__init__()
        self.pairing: Pairing | None = None
        self.changed: list[int] = []
        """Indices of the changed pairs, in the order of the screen."""

    @property
    def differ(self) -> DiffApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """What is compared, the report."""
        yield LineBar(id="sides")
        yield BlockView(id="report")
        yield PromptBar(id="prompt")

    @property
    def view(self) -> BlockView:
        """The report."""
        return self.query_one(BlockView)

    def on_mount(self) -> None:
        """Compare in the background."""
        names = self.differ.names
        self.query_one("#sides", LineBar).say(
            [
                Word("A", "bar--key"),
                Word(names[0], "bar--strong", True),
                Word("B", "bar--key"),
                Word(names[1], "", True),
            ]
        )
        self.query_one(PromptBar).hint([("", "reading…")])
        self.view.focus()
        self.run_comparison()

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def run_comparison(self) -> None:
        """Pair up, then compare pair by pair."""
        is_cancelled = cancellation()
        try:
            pairing = pair_up(*(list(side.summaries()) for side in self.differ.sides))
            deltas: list[Delta] = []
            for pair in pairing.pairs:
                if is_cancelled():
                    return
                left, right = self.differ.sides
                deltas.append(compare(left.load(pair.left), right.load(pair.right)))
                self.post_message(self.Progress(len(deltas), len(pairing.pairs)))
            self.post_message(self.Compared(pairing, deltas))
        except Exception as error:  # Whatever a reader raises becomes one line.
            self.post_message(self.Failed(visible_line(str(error)) or type(error).__name__))

    @on(Progress)
    def _progress(self, event: Progress) -> None:
        self.query_one(PromptBar).hint([("", f"compared {event.done} of {event.of}")])

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self.query_one(PromptBar).say(event.problem, problem=True)

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self.pairing = event.pairing
        order = sorted(range(len(event.deltas)), key=lambda index: event.deltas[index].badness)
        self.changed = [index for index in order if event.deltas[index].changed]
        report = comparison_report(event.pairing, event.deltas, total(event.deltas))
        self.view.show(FixedSource(report_blocks(report)))
        self.query_one(PromptBar).hint(HINTS)
        if len(event.pairing.pairs) == 1 and self.changed:
            self.open_pair(0)

    def action_pair(self, step: int) -> None:
        """Go to the next or previous changed pair."""
        sections = self.view.source.sections
        at = self.view.cursor.section + step
        while 0 <= at < len(sections):
            if str(sections[at].ident).startswith(f"{OPEN_PAIR}-"):
                self.view.reveal(Spot(at), align_top=True)
                return
            at += step
        self.query_one(PromptBar).say("no changed pair " + ("after" if step > 0 else "before") + " this")

    @on(BlockView.LinkFollowed)
    def _followed(self, event: BlockView.LinkFollowed) -> None:
        self.open_pair(int(event.block.id.removeprefix(f"{OPEN_PAIR}-")))

    def open_pair(self, index: int) -> None:
        """Open a changed pair side by side."""
        if self.pairing is not None:
            pair = self.pairing.pairs[self.changed[index]]
            self.differ.push_screen(CompareScreen(pair.left, pair.right))
