"""One rollout: outline, transcript, evidence. It opens on Why when there is something to explain."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from rollout_inspector.panes.contextsource import ContextSource
from rollout_inspector.panes.landmarks import boundary_spot, scored_spot, spot_of, turn_spot
from rollout_loaders.model import Invocation, Place
from rollout_views.block import LENSES, Lens
from rollout_views.transcript import lens_problem

from .rollout_taking import TakingKeys


class RolloutScreen(TakingKeys):
    """A rollout and everything known about it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace", "leave", "Back: to the transcript, its parent, the list", id="rollout.back"),
        Binding("l,right", "turn(1)", "Next turn", id="turn.next"),
        Binding("h,left", "turn(-1)", "Previous turn", id="turn.previous"),
        Binding("0", "turn_end(0)", "First turn", id="turn.first"),
        Binding("dollar_sign", "turn_end(-1)", "Last turn", id="turn.last"),
        Binding("L", "rollout(1)", "Next rollout", id="rollout.next"),
        Binding("H", "rollout(-1)", "Previous rollout", id="rollout.previous"),
        Binding("tab", "pane(1)", "Next pane", id="pane.next"),
        Binding("shift+tab", "pane(-1)", "Previous pane", id="pane.previous"),
        Binding("z", "zoom", "One pane only, or all", id="pane.zoom"),
        Binding("O", "outline", "Show or hide the outline", id="pane.outline"),
        Binding("1", "lens('stored')", "Lens stored", id="lens.stored"),
        Binding("2", "lens('observed')", "Lens observed", id="lens.observed"),
        Binding("3", "lens('scored')", "Lens scored", id="lens.scored"),
        Binding("v", "next_lens", "Next lens", id="lens.next"),
        Binding("e", "fold_all(False)", "Unfold everything", id="fold.expand"),
        Binding("x", "fold_all(True)", "Fold everything", id="fold.collapse"),
        Binding("r", "fold_kind('reasoning')", "Fold or unfold reasoning", id="fold.reasoning"),
        Binding("t", "fold_kind('tool')", "Fold or unfold tool output", id="fold.tools"),
        Binding("p", "pretty", "JSON spread out, or as recorded", id="part.pretty"),
        Binding("b", "context", "Everything, or what the model had here", id="context.toggle"),
        Binding("right_square_bracket", "boundary(1)", "Next compaction", id="compaction.next"),
        Binding("left_square_bracket", "boundary(-1)", "Previous compaction", id="compaction.previous"),
        Binding("c", "scored", "The scored text", id="scored.go"),
        Binding("W", "why", "Why", id="why.go"),
    ]

    def action_leave(self) -> None:
        """Close what is open: a pane that covers the transcript, a highlighted search, a subagent, the screen."""
        if self.rollout is not None and not self.transcript.display:
            self.uncover()
            return
        if self.search is not None:
            self.look_for = ""
            self.forget_search()
            return
        current = self.invocation
        if current is not None and self.rollout is not None and current is not self.rollout.root:
            parent = current.parent_id or (self.rollout.root.id if self.rollout.root else None)
            if parent is not None:
                self.leave_to(parent, current)
                return
        if self.rollout is not None:
            self.remember()
        self.dismiss(None)

    def leave_to(self, parent: str, child: Invocation) -> None:
        """Go back to the call that started a subagent."""
        self.enter(parent)
        if child.spawned_by is not None and self.rollout is not None:
            for invocation in self.rollout.invocations:
                for turn in invocation.turns if invocation.id == parent else ():
                    if any(call.call_id == child.spawned_by or call.child == child.id for call in turn.tool_calls):
                        call = next(c for c in turn.tool_calls if c.call_id == child.spawned_by or c.child == child.id)
                        self.go(Place(parent, turn.number, call.id))
                        return

    def action_turn(self, step: int) -> None:
        """Go to the next or previous turn."""
        if self.source is None:
            return
        self.uncover()
        cursor = self.transcript.cursor
        if step < 0 and cursor.block > 0:
            self.transcript.go_section(cursor.section)
            return
        spot = turn_spot(self.source, cursor.section, step)
        if spot is not None:
            self.transcript.go_section(spot.section)

    def action_turn_end(self, index: int) -> None:
        """Go to the first or last turn."""
        self.uncover()
        if self.source is not None and self.source.sections:
            self.transcript.go_section(index % len(self.source.sections))

    def action_rollout(self, step: int) -> None:
        """Open the next or previous rollout of the list."""
        following = self.inspector.neighbour(self.summary, step)
        if following is None:
            self.prompt.say("this is the last rollout" if step > 0 else "this is the first rollout")
        else:
            self.open(following)

    def action_lens(self, lens: Lens) -> None:
        """Show another lens at the same place."""
        if self.rollout is None:
            return
        place = self.transcript.place
        self.forget_search()
        self.uncover()
        self.choose_lens(lens)
        if self.source is not None and (spot := spot_of(self.source, place)) is not None:
            self.transcript.reveal(spot, align_top=True)

    def action_next_lens(self) -> None:
        """Cycle the lenses that have something to show."""
        if self.rollout is None:
            return
        at = LENSES.index(self.state.lens)
        for step in range(1, len(LENSES) + 1):
            lens = LENSES[(at + step) % len(LENSES)]
            if lens_problem(self.rollout, lens) is None:
                self.action_lens(lens)
                return

    def action_fold_all(self, folded: bool) -> None:
        """Fold or unfold everything in the pane that has the keys."""
        self.active_view.fold_all(folded)

    def action_fold_kind(self, kind: str) -> None:
        """Fold or unfold reasoning or tool output."""
        folded = self.transcript.toggle_kind(kind)
        self.prompt.say(f"{'tool output' if kind == 'tool' else kind} {'folded' if folded else 'unfolded'}")

    def action_pretty(self) -> None:
        """Show JSON with line breaks, or exactly as it was recorded."""
        self.forget_search()
        for view in (self.transcript, self.evidence.view):
            view.pretty = not view.pretty
            view.relayout()
        self.prompt.say("JSON spread out" if self.transcript.pretty else "JSON as recorded")

    def action_context(self) -> None:
        """Switch between everything recorded and what the model had at this turn."""
        invocation = self.invocation
        if self.rollout is None or invocation is None:
            return
        place = self.transcript.place
        self.uncover()
        self.state.everything = not self.state.everything
        self.show_source()
        if isinstance(self.source, ContextSource):
            self.prompt.say(self.source.context.sentence)
        if self.source is not None and (spot := spot_of(self.source, place)) is not None:
            self.transcript.reveal(spot, align_top=True)

    def action_boundary(self, step: int) -> None:
        """Go to the next or previous compaction."""
        if self.source is None:
            return
        spot = boundary_spot(self.source, self.transcript.cursor.section, step)
        if spot is None:
            self.prompt.say("no compaction " + ("after this" if step > 0 else "before this"))
        else:
            self.uncover()
            self.transcript.go_section(spot.section)

    def action_scored(self) -> None:
        """Go to the text that was graded."""
        if self.rollout is None or self.source is None:
            return
        origin = self.rollout.scored.origin
        current = self.invocation
        if origin.invocation is not None and current is not None and origin.invocation != current.id:
            self.go(origin)
        spot = scored_spot(self.source)
        if spot is None:
            self.prompt.say(
                f"the scored text does not stand in lens {self.state.lens}; see lens scored (3)", problem=True
            )
        else:
            self.transcript.reveal(spot, align_top=True)
            self.show_pane("transcript")

    def action_why(self) -> None:
        """Show why."""
        if self.evidence.tabs:
            self.evidence.show_tab(self.evidence.tabs[0].name)
        self.show_pane("evidence")

    def action_pane(self, step: int) -> None:
        """Give the keys to the next pane; a pane that was folded away comes forward."""
        order = ["transcript", "evidence", "outline"]
        if self.has_class("-zoom") or self.has_class("-no-outline"):
            order.remove("outline")
        at = order.index(self.pane) if self.pane in order else 0
        self.show_pane(order[(at + step) % len(order)])

    def action_zoom(self) -> None:
        """Show the pane that has the keys alone, or all again."""
        self.toggle_class("-zoom")
        self.show_pane("transcript" if self.pane == "outline" else self.pane)

    def action_outline(self) -> None:
        """Show or hide the outline."""
        self.toggle_class("-no-outline")
        if self.has_class("-no-outline") and self.pane == "outline":
            self.show_pane("transcript")
