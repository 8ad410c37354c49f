"""Two rollouts side by side: opens where they part, says what parts there and what moved."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from rollout_inspector.loading import RolloutSource
from rollout_inspector.panes.columnview import Spot
from rollout_inspector.panes.compareview import CompareView
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.working import in_background
from rollout_loaders.comparison import Delta, compare
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.locator import format_place
from rollout_loaders.model import Place, Rollout, RolloutSummary
from rollout_views.foreign import visible, visible_line
from rollout_views.verdict import reward_words, verdict_line

if TYPE_CHECKING:
    from rollout_inspector.app import InspectorApp


def moved_words(delta: Delta) -> list[Word]:
    """Say what moved from the one to the other."""
    one, two = delta.left, delta.right
    words: list[Word] = []
    rewards = reward_words(one.state, one.reward), reward_words(two.state, two.reward)
    if rewards[0] != rewards[1]:
        words.append(Word(f"reward {rewards[0]} → {rewards[1]}", "bar--strong"))
    if one.outcome != two.outcome:
        words.append(Word(f"{one.outcome} → {two.outcome}", "bar--strong"))
    answers = _length(one.final_answer), _length(two.final_answer)
    if one.final_answer != two.final_answer:
        words.append(Word(f"final answer {answers[0]} → {answers[1]} characters"))
    if delta.reasoning_moved:
        words.append(Word(f"reasoning moved {delta.reasoning_moved}", "bar--warning"))
    words += [Word(f"+{code}", "bar--problem") for code in delta.findings_gained]
    words += [Word(f"−{code}", "bar--good") for code in delta.findings_lost]
    turns = (
        (delta.equal_turns, "equal"),
        (delta.changed_turns, "changed"),
        (delta.dropped_turns, "only A"),
        (delta.added_turns, "only B"),
    )
    words.append(Word("turns: " + ", ".join(f"{number} {name}" for number, name in turns if number), "bar--muted"))
    return words


def _length(text: str | None) -> str:
    return "·" if text is None else f"{len(text):,}"


class CompareScreen(Screen[None]):
    """Two rollouts."""

    CSS_PATH = "compare.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace", "dismiss", "Back", id="compare.close"),
        Binding("l,right,n", "difference(1)", "Next difference", id="difference.next"),
        Binding("h,left,N", "difference(-1)", "Previous difference", id="difference.previous"),
        Binding("a", "open_side(0)", "Open A at this turn", id="compare.open_a"),
        Binding("b", "open_side(1)", "Open B at this turn", id="compare.open_b"),
        Binding("s", "swap", "Swap the sides", id="compare.swap"),
        Binding("y", "copy", "Copy both places", id="copy.place"),
    ]

    @dataclass
    class Compared(Message):
        """Both were read and aligned."""

        left: Rollout
        right: Rollout
        delta: Delta

    @dataclass
    class Failed(Message):
        """One could not be read."""

        problem: str

    def __init__(
        self,
        left: RolloutSummary,
        right: RolloutSummary,
        sources: tuple[RolloutSource, RolloutSource] | None = None,
    ) -> None:
        super().__init__()
        self.left, self.right = left, right
        self._sources = sources
        self.delta: Delta | None = None
        self.rollouts: tuple[Rollout, Rollout] | None = None

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Two verdict lines, what moved, the spine."""
        yield LineBar(id="side-a")
        yield LineBar(id="side-b")
        yield LineBar(id="moved")
        yield CompareView(id="spine")
        yield PromptBar(id="prompt")

    @property
    def view(self) -> CompareView:
        """The spine."""
        return self.query_one(CompareView)

    def on_mount(self) -> None:
        """Read both."""
        self.query_one(PromptBar).hint(
            [
                ("h l", "difference"),
                ("enter", "in full"),
                ("a b", "open one"),
                ("s", "swap"),
                ("y", "copy places"),
                ("esc", "back"),
            ]
        )
        self.view.focus()
        self._start()

    def _start(self) -> None:
        self._say_side("#side-a", "A", self.left, None)
        self._say_side("#side-b", "B", self.right, None)
        self._compare(self.left, self.right)

    def _say_side(self, where: str, side: str, summary: RolloutSummary, rollout: Rollout | None) -> None:
        name = f"{PurePath(summary.source.path).name}#{summary.id}"
        verdict = verdict_line(rollout) if rollout is not None else "reading…"
        self.query_one(where, LineBar).say(
            [Word(side, "bar--key"), Word(name, "bar--strong", True), Word(verdict, "bar--normal", True)]
        )

    @in_background("compare")
    def _compare(self, left: RolloutSummary, right: RolloutSummary) -> None:
        sources = self._sources
        if sources is None:
            if self.inspector.source is None:
                return
            sources = (self.inspector.source, self.inspector.source)
        try:
            one, two = sources[0].load(left), sources[1].load(right)
            self.post_message(self.Compared(one, two, compare(one, two)))
        except Exception as error:  # Whatever a reader raises becomes one line.
            self.post_message(self.Failed(visible_line(str(error)) or type(error).__name__))

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self.query_one(PromptBar).say(event.problem, problem=True)

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self.rollouts, self.delta = (event.left, event.right), event.delta
        self._say_side("#side-a", "A", self.left, event.left)
        self._say_side("#side-b", "B", self.right, event.right)
        self.query_one("#moved", LineBar).say(moved_words(event.delta))
        self.view.show(event.left, event.right, event.delta.steps)
        parting = event.delta.divergence
        if parting is None:
            self.query_one(PromptBar).say("both did the same in every turn")
            return
        entry = self.view.entry_of_step(parting.step)
        self.view.reveal(Spot(max(entry - 1, 0)), align_top=True)
        self.view.reveal(Spot(entry))
        self.query_one(PromptBar).say(f"they part here: {parting.parts}")

    def action_difference(self, step: int) -> None:
        """Go to the next or previous difference."""
        entry = self.view.next_difference(step)
        if entry is None:
            self.query_one(PromptBar).say("no difference " + ("after this" if step > 0 else "before this"))
        else:
            self.view.reveal(Spot(entry), align_top=True)

    def action_open_side(self, side: int) -> None:
        """Open one of the two at the turn under the cursor."""
        from .rollout import RolloutScreen

        turn = self.view.turn_at(side)
        place = Place(turn=turn) if turn is not None else None
        source = self._sources[side] if self._sources is not None else None
        self.inspector.push_screen(RolloutScreen(self.right if side else self.left, place, source))

    def action_swap(self) -> None:
        """Swap A and B."""
        self.left, self.right = self.right, self.left
        if self._sources is not None:
            self._sources = (self._sources[1], self._sources[0])
        self._start()

    def action_copy(self) -> None:
        """Copy both places."""
        if self.rollouts is None:
            return
        places = [
            format_place(rollout, Place(turn=turn) if (turn := self.view.turn_at(side)) is not None else None)
            for side, rollout in enumerate(self.rollouts)
        ]
        self.inspector.copy_to_clipboard(visible("\n".join(places)))
        self.query_one(PromptBar).say(f"copied {' and '.join(places)}")
