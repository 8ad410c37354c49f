"""Jumping from finding to finding."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from rollout_inspector.panes.landmarks import findings_in_order, next_finding
from rollout_loaders.model import Finding

from .rollout_frame import RolloutFrame


class FindingKeys(RolloutFrame):
    """`f` any finding, `{` and `}` those of severity warning or error."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "finding(1, False)", "Next finding", id="finding.next"),
        Binding("F", "finding(-1, False)", "Previous finding", id="finding.previous"),
        Binding("right_curly_bracket", "finding(1, True)", "Next warning or error", id="problem.next"),
        Binding("left_curly_bracket", "finding(-1, True)", "Previous warning or error", id="problem.previous"),
    ]
    _last_finding: Finding | None = None

    def action_finding(self, step: int, serious: bool) -> None:
        """Go to the next finding and say what it is."""
        if self.rollout is None:
            return
        found = findings_in_order(self.rollout, serious)
        place = self.transcript.place
        following = next_finding(found, self.rollout, place, step, self._last_finding)
        if following is None or following.where is None:
            kind = "warning or error" if serious else "finding"
            placeless = len(self.rollout.findings) - len(findings_in_order(self.rollout, False))
            rest = f"; {placeless} without a place, see Why (W)" if placeless else ""
            self.prompt.say(f"no {kind} with a place{rest}")
            return
        self._last_finding = following
        if self.go(following.where):
            at = f"{found.index(following) + 1}/{len(found)}"
            self.prompt.say(f"{at} {following.severity} {following.code}: {following.message}")
            self.show_pane("transcript")
