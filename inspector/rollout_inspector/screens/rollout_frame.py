"""The frame of the rollout screen: what it holds, how a rollout gets into it, how a place is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen

from rollout_inspector.loading import RolloutSource
from rollout_inspector.messages import LoadFailed, RolloutLoaded
from rollout_inspector.panes.blocksource import BlockSource, TranscriptSource
from rollout_inspector.panes.blockview import BlockView, Spot
from rollout_inspector.panes.contextsource import ContextSource
from rollout_inspector.panes.evidence import EvidencePane
from rollout_inspector.panes.landmarks import spot_of
from rollout_inspector.panes.linebar import LineBar
from rollout_inspector.panes.outline import Branch, Outline
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.state import RolloutState
from rollout_inspector.working import cancellation, in_background
from rollout_loaders.model import Invocation, Place, Rollout, RolloutSummary
from rollout_views.block import Lens
from rollout_views.context import context_at
from rollout_views.transcript import lens_problem, open_lens

from .breadcrumb import lens_words, place_words, verdict_words

if TYPE_CHECKING:
    from rollout_inspector.app import InspectorApp

HINTS = [
    ("?", "help"), ("esc", "back"), ("tab", "pane"), ("W", "why"), ("h l", "turn"), ("v", "lens"), ("f", "finding"),
    ("/", "search"), ("enter", "fold"), ("c", "scored text"), ("b", "context"), ("[ ]", "compaction"),
]  # fmt: skip


class RolloutFrame(Screen[None]):
    """A rollout and everything known about it."""

    CSS_PATH = "rollout.tcss"

    def __init__(
        self, summary: RolloutSummary, place: Place | None = None, origin: RolloutSource | None = None
    ) -> None:
        super().__init__()
        self._origin = origin
        """Where it is read from; None is what the app has open."""
        self.summary = summary
        self.wanted = place
        self.rollout: Rollout | None = None
        self.state = RolloutState()
        self.source: BlockSource | None = None
        self._prepared: TranscriptSource | None = None
        self._kept: tuple[Spot, bool] | None = None

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Place and verdict on top, three panes, hints below."""
        yield LineBar(id="place")
        yield LineBar(id="verdict")
        with Horizontal(id="panes"):
            yield Outline(id="outline")
            yield BlockView(id="transcript")
            yield EvidencePane(id="evidence")
        yield PromptBar(id="prompt")

    @property
    def transcript(self) -> BlockView:
        """The transcript."""
        return self.query_one("#transcript", BlockView)

    @property
    def evidence(self) -> EvidencePane:
        """The evidence pane."""
        return self.query_one(EvidencePane)

    @property
    def prompt(self) -> PromptBar:
        """The bottom line."""
        return self.query_one(PromptBar)

    def on_mount(self) -> None:
        """Load the rollout. Until it is there no pane is drawn: empty ones would cost as much as full ones."""
        self.add_class("-waiting")
        self.open(self.summary, self.wanted)

    # Loading

    def open(self, summary: RolloutSummary, place: Place | None = None) -> None:
        """Open a rollout in this screen."""
        if self.rollout is not None:
            self.remember()
        self.summary, self.wanted = summary, place
        self.query_one("#place", LineBar).say(place_words(summary, None, None), ())
        self.prompt.hint([("", "reading…")])
        self._load(
            summary, self.inspector.session.of(summary) if self.inspector.session.knows(summary) else RolloutState()
        )

    def reload(self, summary: RolloutSummary) -> None:
        """Read the same rollout again because its file grew; the line at the top stays, the end follows the end."""
        if self.rollout is None:
            self.open(summary)
            return
        self.remember()
        view = self.transcript
        at_end = view.section_count > 1 and view.cursor.section == view.section_count - 1
        self._kept = (view.anchor_spot(), at_end)
        self.summary, self.wanted = summary, None
        self._load(summary, self.state)

    @in_background("load")
    def _load(self, summary: RolloutSummary, state: RolloutState) -> None:
        source = self._origin or self.inspector.source
        is_cancelled = cancellation()
        if source is None:
            return
        try:
            rollout = source.load(summary)
            prepared = TranscriptSource(rollout, open_lens(rollout, state.lens), state.invocation)
        except Exception as error:  # A reader of whatever kind may fail: one line, never a traceback.
            self.post_message(LoadFailed(summary, f"{type(error).__name__}: {error}".replace("\n", " ")))
            return
        if not is_cancelled():
            self.post_message(RolloutLoaded(summary, rollout, prepared))

    @on(LoadFailed)
    def _failed(self, event: LoadFailed) -> None:
        if event.summary is not self.summary:
            return
        self.remove_class("-waiting")
        self.rollout = None
        self.prompt.hint([("esc", "back"), ("H L", "rollout")])
        self.prompt.say(event.problem, problem=True)

    @on(RolloutLoaded)
    def _loaded(self, event: RolloutLoaded) -> None:
        if event.summary is not self.summary:
            return
        self.rollout = event.rollout
        self.remove_class("-waiting")
        known = self.inspector.session.knows(event.summary)
        self.state = self.inspector.session.of(event.summary)
        self._prepared = event.prepared
        self.rollout_changed()
        self.evidence.show(event.rollout, self.state.tab)
        if self.wanted is not None and self.wanted.invocation is not None:
            self.state.invocation = self.wanted.invocation
        self.choose_lens(self.state.lens)
        if self.wanted is not None:
            self.go(self.wanted)
            self.show_pane("transcript")
        elif known:
            self.show_pane(self.state.pane or "transcript")
        else:
            self.show_pane("evidence" if self._explains(event.rollout) else "transcript")
        if self._kept is not None:
            anchor, at_end = self._kept
            self._kept = None
            if at_end:
                self.transcript.action_bottom()
            else:
                self.transcript.restore_spot(anchor)
        self.hint()
        self.arrived()

    def arrived(self) -> None:
        """The rollout is shown; subclasses go on from there."""

    def rollout_changed(self) -> None:
        """What is shown is about to be another rollout or conversation; subclasses forget what they hold of the old."""

    def hint(self) -> None:
        """Show the usual hints."""
        self.prompt.hint(HINTS if self.rollout is not None else [("esc", "back"), ("H L", "rollout")])

    @staticmethod
    def _explains(rollout: Rollout) -> bool:
        """Say whether there is something to explain: anything but a full, valid, unremarkable run."""
        return bool(
            rollout.grading.state != "not_graded"
            or rollout.outcome.status not in {"completed", "unknown"}
            or any(one.severity in {"error", "warning"} for one in rollout.findings)
        )

    def remember(self) -> None:
        """Keep where the reader is."""
        self.state.spots[self.state.invocation] = self.transcript.cursor
        self.state.tab = self.evidence.current
        self.state.pane = self.pane

    # Showing

    @property
    def invocation(self) -> Invocation | None:
        """The invocation that is shown."""
        if self.rollout is None:
            return None
        wanted = self.state.invocation
        found = next((one for one in self.rollout.invocations if one.id == wanted), None)
        return found or self.rollout.root

    def choose_lens(self, lens: Lens) -> None:
        """Show a lens, or say why it cannot be shown and open the next one that can."""
        assert self.rollout is not None
        problem = lens_problem(self.rollout, lens)
        if problem is not None:
            self.prompt.say(f"lens {lens}: {problem}", problem=True)
            lens = open_lens(self.rollout, lens)
        self.state.lens = lens
        self.show_source(self.state.spots.get(self.state.invocation))

    def show_source(self, at: Spot | None = None) -> None:
        """Show the invocation, lens and context that are chosen."""
        assert self.rollout is not None
        invocation = self.invocation
        whole = self._whole(invocation.id if invocation is not None else None)
        self.source = whole
        if not self.state.everything and invocation is not None:
            turn = self.transcript.place.turn or (invocation.turns[-1].number if invocation.turns else 0)
            self.source = ContextSource(whole, context_at(self.rollout, invocation.id, turn))
        if at is not None and at.section >= len(self.source.sections):
            at = None
        self.transcript.show(self.source, self.state.folds, at)
        self.query_one(Outline).show(self.source.sections, self._tree())
        self.say_place()

    def _whole(self, invocation: str | None) -> TranscriptSource:
        """Return the sections of a conversation in the lens, from the worker when it listed these."""
        assert self.rollout is not None
        prepared = self._prepared
        if prepared is not None and prepared.rollout is self.rollout and prepared.lens == self.state.lens:
            root = self.rollout.root.id if self.rollout.root is not None else None
            if (prepared.invocation or root) == (invocation or root):
                return prepared
        self._prepared = TranscriptSource(self.rollout, self.state.lens, invocation)
        return self._prepared

    def _tree(self) -> list[Branch]:
        assert self.rollout is not None
        parents = {one.id: one.parent_id for one in self.rollout.invocations}
        current = self.invocation

        def depth(ident: str) -> int:
            steps = 0
            parent = parents.get(ident)
            while parent is not None and steps < 20:
                steps += 1
                parent = parents.get(parent)
            return steps

        return [
            Branch(one.id, one.title or one.agent or one.id, depth(one.id), one is current)
            for one in self.rollout.invocations
        ]

    def say_place(self) -> None:
        """Write the two lines on top."""
        if self.rollout is None:
            return
        context = self.source.context if isinstance(self.source, ContextSource) else None
        left = place_words(self.summary, self.rollout, self.transcript.place, self.invocation)
        self.query_one("#place", LineBar).say(left, lens_words(self.state.lens, context))
        self.query_one("#verdict", LineBar).say(verdict_words(self.rollout))

    @on(BlockView.CursorMoved, "#transcript")
    def _cursor_moved(self) -> None:
        self.query_one(Outline).follow(self.transcript.cursor.section)
        self.say_place()

    @on(Outline.Chosen)
    def _chosen(self, event: Outline.Chosen) -> None:
        if event.invocation is not None:
            self.enter(event.invocation)
        elif event.section is not None:
            self.transcript.go_section(event.section)
        if event.enter:
            self.show_pane("transcript")

    @on(BlockView.LinkFollowed)
    def _followed(self, event: BlockView.LinkFollowed) -> None:
        self.go(event.link.place)
        self.show_pane("transcript")

    def enter(self, invocation: str, at: Spot | None = None) -> None:
        """Show another invocation: a subagent's, or the parent's."""
        self.state.spots[self.state.invocation] = self.transcript.cursor
        self.state.invocation = invocation
        self.state.everything = True
        self.show_source(at or self.state.spots.get(invocation))
        self.rollout_changed()

    def go(self, place: Place) -> bool:
        """Go to a place of this rollout, in another invocation if need be; says when it is not drawn in this lens."""
        if self.rollout is None or self.source is None:
            return False
        current = self.invocation
        wanted = place.invocation or (current.id if current is not None else None)
        if current is not None and wanted is not None and wanted != current.id:
            if all(one.id != wanted for one in self.rollout.invocations):
                self.prompt.say(f"no invocation {wanted} in this rollout", problem=True)
                return False
            self.enter(wanted)
        spot = spot_of(self.source, place)
        if spot is None and not self.state.everything:
            self.state.everything = True
            self.show_source()
            spot = spot_of(self.source, place)
        if spot is None:
            where = f"turn {place.turn}" if place.turn is not None else f"item {place.item_id}"
            self.prompt.say(f"{where} is not in lens {self.state.lens}", problem=True)
            return False
        self.transcript.reveal(spot, align_top=True)
        if place.item_id is not None:
            self.transcript.unfold(spot)
        return True

    # Panes

    @property
    def active_view(self) -> BlockView:
        """The blocks that the keys are about."""
        return self.evidence.view if self.pane == "evidence" else self.transcript

    @property
    def pane(self) -> str:
        """Which pane has the keys."""
        if self.evidence.view.has_focus:
            return "evidence"
        return "outline" if self.query_one(Outline).has_focus else "transcript"

    def uncover(self) -> None:
        """Bring the transcript forward where another pane hides it: a key that acts on it must not act unseen."""
        if not self.transcript.display:
            self.show_pane("transcript")

    def show_pane(self, name: str) -> None:
        """Give a pane the keys, bringing it forward where only one fits."""
        # One pass over the styles, not two: each takes half of what a key may.
        self.update_classes({"-evidence": name == "evidence", "-outline": name == "outline"})
        target = {"evidence": self.evidence.view, "outline": self.query_one(Outline)}.get(name, self.transcript)
        target.focus()
