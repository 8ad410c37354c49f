"""Regression fixtures one by one: expected beside actual, the differing facts marked where they arise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from rollout_inspector.panes.blocksource import FixedSource
from rollout_inspector.panes.blockview import BlockView
from rollout_inspector.panes.landmarks import spot_of
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.markedsource import MarkedSource
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.watching import Watch
from rollout_inspector.working import cancellation
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.fixtures import FILE_NAME, Result, find_fixtures, run_fixture
from rollout_loaders.fixtures.accepting import accept
from rollout_loaders.model import Place, Rollout
from rollout_views.block import LENSES, Lens
from rollout_views.fixture_blocks import fixture_blocks, marks_of
from rollout_views.foreign import visible_line
from rollout_views.transcript import lens_problem, open_lens
from rollout_views.verdict import verdict_line

if TYPE_CHECKING:
    from rollout_inspector.walkapp import WalkApp

HINTS = [
    ("n p", "fixture"), ("N P", "differing"), ("enter", "go there"), ("tab", "pane"), ("v", "lens"),
    ("a", "accept"), ("r", "rerun"), ("?", "help"), ("q", "quit"),
]  # fmt: skip


class WalkScreen(Screen[None]):
    """The fixtures below a folder."""

    CSS_PATH = "walk.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "fixture(1)", "Next fixture", id="fixture.next"),
        Binding("p", "fixture(-1)", "Previous fixture", id="fixture.previous"),
        Binding("N", "differing(1)", "Next that differs", id="fixture.next_differing"),
        Binding("P", "differing(-1)", "Previous that differs", id="fixture.previous_differing"),
        Binding("tab", "pane", "Other pane", id="pane.next"),
        Binding("v", "lens", "Next lens", id="lens.next"),
        Binding("L", "rollout(1)", "Next rollout of the fixture", id="rollout.next"),
        Binding("H", "rollout(-1)", "Previous rollout of the fixture", id="rollout.previous"),
        Binding("a", "accept", "Accept what is", id="fixture.accept"),
        Binding("r", "rerun", "Run again", id="fixture.rerun"),
        Binding("escape", "app.quit", "Quit", id="walk.quit", show=False),
    ]

    @dataclass
    class Ran(Message):
        """One fixture was run; `total` when the run of all is over."""

        index: int
        result: Result

    @dataclass
    class Failed(Message):
        """The folder could not be walked."""

        problem: str

    def __init__(self, folder: Path, at: str | None = None) -> None:
        super().__init__()
        self.folder, self.at = folder, at
        self.folders: tuple[Path, ...] = ()
        self.results: dict[int, Result] = {}
        self.index = 0
        self.rollout_index = 0
        self.lens: Lens = "observed"
        self.watcher = Watch(())

    @property
    def walker(self) -> WalkApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Counts, the facts, the rollout's verdict, its transcript."""
        yield LineBar(id="counts")
        yield BlockView(id="facts")
        yield LineBar(id="rule")
        yield BlockView(id="transcript")
        yield PromptBar(id="prompt")

    @property
    def facts(self) -> BlockView:
        """Expected beside actual."""
        return self.query_one("#facts", BlockView)

    @property
    def transcript(self) -> BlockView:
        """The rollout."""
        return self.query_one("#transcript", BlockView)

    @property
    def prompt(self) -> PromptBar:
        """The bottom line."""
        return self.query_one(PromptBar)

    @property
    def result(self) -> Result | None:
        """What the fixture on screen gave; None while it has not run."""
        return self.results.get(self.index)

    @property
    def rollout(self) -> Rollout | None:
        """The rollout of the fixture that is on screen."""
        result = self.result
        if result is None or not result.rollouts:
            return None
        return result.rollouts[self.rollout_index % len(result.rollouts)]

    def on_mount(self) -> None:
        """Run all fixtures, then watch them."""
        self.prompt.hint(HINTS)
        self.facts.focus()
        self.run_all()
        self.set_interval(1.0, self.look)

    @work(thread=True, exclusive=True, group="walk", exit_on_error=False)
    def run_all(self) -> None:
        """Run every fixture, one message each."""
        is_cancelled = cancellation()
        try:
            folders = find_fixtures(self.folder)
            self.folders = folders
            self.watcher = Watch(folders)
            for index, folder in enumerate(folders):
                if is_cancelled():
                    return
                name = folder.name if folder == self.folder else folder.relative_to(self.folder).as_posix()
                self.post_message(self.Ran(index, run_fixture(folder, name)))
        except Exception as error:  # Whatever goes wrong becomes one line.
            self.post_message(self.Failed(visible_line(str(error)) or type(error).__name__))

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self.prompt.say(event.problem, problem=True)

    @on(Ran)
    def _ran(self, event: Ran) -> None:
        self.results[event.index] = event.result
        if self.at is not None and event.result.name == self.at:
            self.index, self.at = event.index, None
        self._say_counts()
        if event.index == self.index:
            self.show_result()

    def _say_counts(self) -> None:
        passed = sum(result.passed for result in self.results.values())
        differ = len(self.results) - passed
        result = self.result
        name = result.name if result is not None else "running…"
        sign = Word("✓ passes", "bar--good") if result and result.passed else Word("✗ differs", "bar--problem")
        words = [
            Word(self.folder.name or str(self.folder), "bar--strong", True),
            Word(f"{len(self.results)} of {len(self.folders)} run" if len(self.results) < len(self.folders) else ""),
            Word(f"{passed} pass", "bar--good"),
            Word(f"{differ} differ", "bar--problem" if differ else "bar--muted"),
        ]
        right = [Word(f"fixture {self.index + 1}/{len(self.folders)}"), Word(name, "bar--strong", True)]
        self.query_one("#counts", LineBar).say(
            [word for word in words if word.text], [*right, *([sign] if result else [])]
        )

    def show_result(self) -> None:
        """Show the fixture under the cursor."""
        self._say_counts()
        result = self.result
        if result is None:
            return
        self.facts.show(FixedSource(fixture_blocks(result)))
        self.call_after_refresh(self.fit_facts)
        self.show_rollout()
        if result.differences and self.rollout is not None:
            first = next(iter(marks_of(self.rollout, result.differences)), None)
            if first is not None:
                self.go(first)

    def fit_facts(self) -> None:
        """Give the facts the lines that they need, at most half of the screen."""
        needed = self.facts.heights.total
        self.facts.styles.height = max(min(needed, self.size.height // 2), 2)

    def on_resize(self) -> None:
        """Fit again: lines wrap anew."""
        self.call_after_refresh(self.fit_facts)

    def show_rollout(self) -> None:
        """Show the transcript of the fixture's rollout, in the chosen lens or the next that has something."""
        rollout, result = self.rollout, self.result
        if rollout is None or result is None:
            self.query_one("#rule", LineBar).say([Word("no rollout was read", "bar--muted")])
            self.transcript.show(FixedSource(()))
            return
        lens = open_lens(rollout, self.lens)
        of = f"rollout {self.rollout_index % len(result.rollouts) + 1}/{len(result.rollouts)}"
        verdict = [Word(of, "bar--muted"), Word(verdict_line(rollout), "bar--normal", True)]
        self.query_one("#rule", LineBar).say(verdict, [Word(f"lens: {lens}", "bar--muted")])
        self.transcript.show(MarkedSource(rollout, lens, None, marks_of(rollout, result.differences)))

    def go(self, place: Place) -> None:
        """Bring a place of the transcript on screen."""
        rollout, result = self.rollout, self.result
        if rollout is None or result is None:
            return
        root = rollout.root.id if rollout.root is not None else None
        marks = marks_of(rollout, result.differences)
        source = MarkedSource(rollout, open_lens(rollout, self.lens), place.invocation or root, marks)
        self.transcript.show(source, at=spot_of(source, place))

    @on(BlockView.LinkFollowed)
    def _followed(self, event: BlockView.LinkFollowed) -> None:
        self.go(event.link.place)

    def action_fixture(self, step: int) -> None:
        """Go to the next or previous fixture."""
        if self.folders:
            self.index = (self.index + step) % len(self.folders)
            self.rollout_index = 0
            self.show_result()

    def action_differing(self, step: int) -> None:
        """Go to the next or previous fixture that does not pass."""
        for distance in range(1, len(self.folders) + 1):
            index = (self.index + step * distance) % len(self.folders)
            result = self.results.get(index)
            if result is not None and not result.passed:
                self.index = index - step
                self.action_fixture(step)
                return
        self.prompt.say("every fixture that has run passes")

    def action_rollout(self, step: int) -> None:
        """Show another rollout of the same fixture."""
        self.rollout_index += step
        self.show_rollout()

    def action_pane(self) -> None:
        """Give the keys to the other pane."""
        (self.transcript if self.facts.has_focus else self.facts).focus()

    def action_lens(self) -> None:
        """Cycle the lenses that have something to show."""
        rollout = self.rollout
        if rollout is None:
            return
        at = LENSES.index(open_lens(rollout, self.lens))
        following: list[Lens] = [LENSES[(at + step) % len(LENSES)] for step in range(1, len(LENSES) + 1)]
        self.lens = next(lens for lens in following if lens_problem(rollout, lens) is None)
        self.show_rollout()

    async def action_accept(self) -> None:
        """Ask, then write what is into the expectation."""
        result = self.result
        if result is None or not result.differences:
            self.prompt.say("nothing differs here")
            return
        await self.prompt.ask("accept", f"write {len(result.differences)} actual values into {FILE_NAME}? (yes)")

    @on(PromptBar.Submitted)
    def _answered(self, event: PromptBar.Submitted) -> None:
        result = self.result
        if event.purpose != "accept" or result is None:
            return
        if event.value.strip().lower() not in ("y", "yes"):
            self.prompt.say("nothing was written")
            return
        try:
            done = accept(result.folder / FILE_NAME, result.differences)
        except Exception as error:  # A read-only checkout is one line.
            self.prompt.say(visible_line(str(error)), problem=True)
            return
        self.prompt.say(f"{done} written, {len(result.differences) - done} cannot be")
        self.rerun(self.index)

    def action_rerun(self) -> None:
        """Run this fixture again."""
        self.rerun(self.index)
        self.prompt.say("run again")

    @work(thread=True, group="rerun", exit_on_error=False)
    def rerun(self, index: int) -> None:
        """Run one fixture again."""
        known = self.results.get(index)
        if known is not None:
            self.post_message(self.Ran(index, run_fixture(known.folder, known.name)))

    def look(self) -> None:
        """Rerun what changed on disk; a change of the code starts the program anew at this fixture."""
        if self.watcher.code_changed():
            self.walker.restart(self.result.name if self.result is not None else None)
            return
        for index in self.watcher.changed():
            self.rerun(index)
