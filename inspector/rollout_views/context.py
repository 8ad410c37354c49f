"""What the model had at a turn: which turns were still in its context, and the summary that stood for the rest."""

from __future__ import annotations

from dataclasses import dataclass

from rollout_loaders.model import Compaction, Invocation, Rollout

from .formatting import quantity
from .scored_mark import find_invocation


@dataclass(frozen=True, slots=True)
class ContextAt:
    """The model's context when it was asked for turn `turn`."""

    turn: int
    first_turn: int
    """The first turn that was still in it as it was; `turn` itself when none was."""
    summary: Compaction | None
    """The compaction whose summary stood for everything before, if any."""
    certain: bool
    """False where the record does not say what a compaction kept, or leaves open whether one was carried out."""

    def holds(self, number: int) -> bool:
        """Tell whether a turn was in the context, the asked one included."""
        return self.first_turn <= number <= self.turn

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if self.summary is None:
            words = f"at turn {self.turn} the model had everything since the start"
        else:
            kept = self.turn - self.first_turn
            words = f"at turn {self.turn} the model had a summary and " + (
                f"{quantity(kept, 'earlier turn')} (from turn {self.first_turn})" if kept else "no earlier turn"
            )
        return words if self.certain else f"{words}; the record leaves open what a compaction before it kept"


def context_at(rollout: Rollout, invocation_id: str | None, turn: int) -> ContextAt:
    """Apply the compactions that stand before a turn (CONTRACT 4.5). Raises `KeyError` for an unknown conversation."""
    invocation = find_invocation(rollout, invocation_id)
    if invocation is None:
        raise KeyError(invocation_id)
    found = ContextAt(turn, _first(invocation), None, True)
    for one in invocation.compactions:
        after = one.after_turn
        if one.reverted or one.lone_end or after is None or after >= turn:
            continue
        if one.outcome == "unknown":
            found = ContextAt(turn, found.first_turn, found.summary, False)
        elif one.outcome == "completed":
            kept = one.first_kept_turn
            first = after + 1 if kept is None else kept
            found = ContextAt(turn, min(first, turn), one, kept is not None)
    return found


def _first(invocation: Invocation) -> int:
    return invocation.turns[0].number if invocation.turns else 1
