"""Which turn, summary or subagent the graded text came from."""

from __future__ import annotations

from rollout_loaders.model import Compaction, Invocation, Place, Rollout, Turn


def origin_invocation(rollout: Rollout) -> Invocation | None:
    """The conversation that the graded text comes from, when it is known."""
    wanted = rollout.scored.origin.invocation
    return next((one for one in rollout.invocations if one.id == wanted), None)


def origin_turn(rollout: Rollout) -> Turn | None:
    """The turn that wrote the graded text, when it is known."""
    invocation = origin_invocation(rollout)
    wanted = rollout.scored.origin.turn
    if invocation is None or wanted is None:
        return None
    return next((turn for turn in invocation.turns if turn.number == wanted), None)


def origin_summary(rollout: Rollout) -> Compaction | None:
    """The compaction whose summary message wrote the graded text; None when a turn wrote it, or that is not known."""
    origin = rollout.scored.origin
    invocation = origin_invocation(rollout)
    if invocation is None or origin.turn is not None or not rollout.scored.final_text:
        return None
    message = next((part.message_id for part in invocation.parts if part.id == origin.item_id), None)
    for compaction in invocation.compactions:
        if message is not None and message in compaction.summary_message_ids:
            return compaction
        if message is None and compaction.summary and compaction.summary == rollout.scored.final_text:
            return compaction
    return None


def graded_place(rollout: Rollout) -> Place | None:
    """Where the graded text stands; None when nothing about it is known."""
    origin = rollout.scored.origin
    if origin != Place():
        return origin
    item = rollout.scored.final_item_id
    return Place(item_id=item) if item is not None else None
