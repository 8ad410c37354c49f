"""What the model had at a turn: which turns were still in its context, and the summary that stood for the rest."""

from __future__ import annotations

from dataclasses import replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Compaction, Invocation, Rollout, SessionPath, Turn

from .formatting import quantity
from .scored_mark import find_invocation

_NO_TREE = "unknown which turns led to this one: this log has no tree, its session file records abandoned branches"
_NO_TREE_OF_COMPACTION = "unknown on which branch the compaction stands: this log has no tree, its session file has one"
_NO_PLACE = "unknown where among the turns a compaction stands"


@dataclass(frozen=True, slots=True)
class ContextAt:
    """The model's context when it was asked for turn `turn`."""

    turn: int
    first_turn: int
    """The first turn that was still in it as it was; `turn` itself when none was."""
    summary: Compaction | None
    """The compaction whose summary stood for everything before, if any."""
    hidden: frozenset[int] = frozenset()
    """Turns before it on abandoned branches, which a log has in line with the others."""
    start_recorded: bool = True
    """False where the record may begin in the middle of the session."""
    doubt: str | None = None
    """What the record leaves open about it, in words; then every turn that may have been in it counts as held."""

    @property
    def certain(self) -> bool:
        """False where the record leaves open what a compaction kept, where it stands, or whether it was carried out."""
        return self.doubt is None

    def holds(self, number: int) -> bool:
        """Tell whether a turn was in the context, or may have been; the asked one included."""
        return self.first_turn <= number <= self.turn and number not in self.hidden

    @property
    def sentence(self) -> str:
        """Say it in words, what is unknown first: a bar may cut off the end."""
        if self.doubt is not None:
            return f"{self.doubt}; nothing is hidden that the model may have had at turn {self.turn}"
        left = sum(number >= self.first_turn for number in self.hidden)
        kept = self.turn - self.first_turn - left
        if left:
            earlier = quantity(kept, "earlier turn") if kept else "no earlier turn"
            summary = "" if self.summary is None else "a summary and "
            return (
                f"at turn {self.turn} the model had {summary}{earlier}; {quantity(left, 'turn')} before it stand on "
                "abandoned branches of the session file (this log has neither its tree nor its branch summaries)"
            )
        if self.summary is None and not self.start_recorded:
            return f"unknown what came before this log; at turn {self.turn} the model had everything since its start"
        if self.summary is None:
            return f"at turn {self.turn} the model had everything since the start"
        turns = f"{quantity(kept, 'earlier turn')} (from turn {self.first_turn})" if kept else "no earlier turn"
        return f"at turn {self.turn} the model had a summary and {turns}"


def in_doubt(invocation: Invocation, turn: Turn) -> bool:
    """Tell whether a compaction, or a path that is not known, leaves open that the context held a turn at the end."""
    open_left = bool(invocation.compactions) or invocation.session_path is not None
    return turn.in_context_at_end is None and not turn.partial and open_left


def context_at(rollout: Rollout, invocation_id: str | None, turn: int) -> ContextAt:
    """Apply the compactions that stand before a turn (CONTRACT 4.5). Raises `KeyError` for an unknown conversation."""
    invocation = find_invocation(rollout, invocation_id)
    if invocation is None:
        raise KeyError(invocation_id)
    found = ContextAt(turn, _first(invocation), None, start_recorded=_start_recorded(rollout, invocation))
    unplaced = False
    for one in invocation.compactions:
        if one.reverted or one.lone_end or one.outcome not in ("completed", "unknown"):
            continue
        if one.after_turn is None:
            unplaced = True
        elif one.after_turn < turn:
            found = _after(found, one, one.after_turn)
    found = replace(found, doubt=found.doubt or _NO_PLACE) if unplaced else found
    path = invocation.session_path
    return found if path is None else _on_path(found, path, _first(invocation))


def _on_path(found: ContextAt, path: SessionPath, first: int) -> ContextAt:
    """What the session file beside a log says: every turn of a path was in the context of those after it."""
    left = frozenset(number for number in path.abandoned if number < found.turn)
    if found.turn not in path.on_path:
        return replace(found, first_turn=first, doubt=_NO_TREE)
    if left and found.summary is not None:
        # It may stand on one of the branches that were left, and then took nothing out.
        return replace(found, first_turn=first, hidden=left, doubt=_NO_TREE_OF_COMPACTION)
    return replace(found, hidden=left)


def _after(found: ContextAt, one: Compaction, after: int) -> ContextAt:
    """The context once a compaction followed turn `after`."""
    if one.outcome == "unknown":
        return replace(found, doubt=f"unknown whether the compaction after turn {after} was carried out")
    if one.first_kept_turn is not None:
        return ContextAt(found.turn, min(one.first_kept_turn, found.turn), one)
    if one.kept_nothing or after < found.first_turn:
        return ContextAt(found.turn, min(after + 1, found.turn), one)
    above = f"turn {after}" if after == found.first_turn else f"turns {found.first_turn} to {after}"
    return replace(found, summary=one, doubt=f"unknown what the compaction kept of {above}")


def _start_recorded(rollout: Rollout, invocation: Invocation) -> bool:
    """A Pi log holds one run of the program; with `--continue` only the session file has the start."""
    return rollout.source.format != "pi-events" or invocation.session_path is not None


def _first(invocation: Invocation) -> int:
    return invocation.turns[0].number if invocation.turns else 1
