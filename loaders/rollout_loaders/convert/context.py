"""What the model's context still held when the rollout ended, read off the compactions (gym-semantics 3.5)."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.model import Compaction, InputMessage, Invocation, Turn


@dataclass(frozen=True, slots=True)
class _Boundary:
    """Turns before `first` are summarised away; those up to `open_until` are in doubt."""

    first: int
    item_id: str | None
    open_until: int


def _boundary(compactions: tuple[Compaction, ...], last: int) -> _Boundary:
    first, item_id, open_until = 0, None, 0
    for compaction in compactions:
        after = compaction.after_turn or 0
        if compaction.reverted or compaction.lone_end:
            continue
        if compaction.leaves_open or compaction.outcome == "unknown":
            # No place says that it came after some turns only, so that all are in doubt.
            open_until = max(open_until, last if compaction.after_turn is None else after)
        elif compaction.outcome == "completed":
            first = compaction.first_kept_turn if compaction.first_kept_turn is not None else after + 1
            item_id = compaction.first_kept_item_id
    return _Boundary(first, item_id, open_until)


def _held(number: int, boundary: _Boundary) -> bool | None:
    if number < boundary.first:
        return False
    return None if number <= boundary.open_until else True


def _inputs(turn: Turn, boundary: _Boundary) -> tuple[InputMessage, ...]:
    """Inputs go with their turn; those before a tail that starts at a later input or the reply are out."""
    held = _held(turn.number, boundary)
    starts_here = turn.number == boundary.first and boundary.item_id is not None
    inside = not starts_here
    filled: list[InputMessage] = []
    for message in turn.input:
        inside = inside or message.id == boundary.item_id
        value = False if message.ignored or message.reverted or not inside else held
        filled.append(message if message.in_context_at_end is not None else changed(message, in_context_at_end=value))
    return tuple(filled)


def with_context(invocation: Invocation) -> Invocation:
    """Fill `in_context_at_end` of turns and inputs where a reader left it None.

    False: a completed compaction summarised it away, or it was reverted or ignored. None: a compaction that started
    and was never closed leaves it open, or one whose kept tail the record does not name. A failed or aborted one
    changes nothing.
    """
    boundary = _boundary(invocation.compactions, len(invocation.turns))
    turns: list[Turn] = []
    for turn in invocation.turns:
        held = False if turn.reverted else _held(turn.number, boundary)
        turns.append(
            changed(
                turn,
                in_context_at_end=held if turn.in_context_at_end is None else turn.in_context_at_end,
                input=_inputs(turn, boundary),
            )
        )
    trailing = tuple(
        message
        if message.in_context_at_end is not None
        else changed(message, in_context_at_end=not (message.ignored or message.reverted))
        for message in invocation.trailing_input
    )
    return changed(invocation, turns=tuple(turns), trailing_input=trailing)
