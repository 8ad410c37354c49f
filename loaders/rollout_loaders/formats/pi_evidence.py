"""What a folded Pi event log says beside its conversation: the table's inputs, gaps, and a reading that loses lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rollout_loaders.convert.pi_message import PiMessage
from rollout_loaders.convert.pi_turns import PiConversation
from rollout_loaders.model import Gap, OtherReading, PiLog

from .pi_compactions import PiCompactions
from .pi_rollout import is_overflow_text


def pi_log_of(
    conversation: PiConversation,
    compactions: PiCompactions,
    outcomes: Sequence[tuple[bool, str]],
    *,
    ended: bool,
    is_session_file: bool = False,
) -> PiLog:
    """The inputs of the decision table (gym-semantics 5.4). `outcomes`: value and locator of each outcome line."""
    messages = conversation.assistant_messages
    last: PiMessage | None = messages[-1] if messages else None
    # The outcome line comes before the message_end it belongs to, so only counting pairs them (formats 2.3).
    paired = outcomes[len(messages) - 1][0] if 0 < len(messages) <= len(outcomes) else None
    emitted = None if last is None else conversation.first_item(last.message_id)
    return PiLog(
        stop_reason=None if last is None else last.stop_reason,
        error_message=None if last is None else last.error_message,
        has_assistant=last is not None,
        context_overflow=outcomes[-1][0] if outcomes else None,
        outcome_lines=len(outcomes),
        overflow_compaction_failed=compactions.overflow_failed,
        compaction_error=compactions.error,
        ended=ended,
        last_error_overflow_text=last is not None
        and last.stop_reason == "error"
        and is_overflow_text(last.error_message),
        is_session_file=is_session_file,
        assistant_messages=len(messages),
        paired_overflow=paired,
        stop_at=None if last is None else last.locator,
        stop_turn=None if emitted is None else emitted[1],
        outcome_at=outcomes[-1][1] if outcomes else None,
        compaction_error_at=compactions.error_at,
        lone_end_at=compactions.lone_end_at,
        unclosed_compaction_at=compactions.unclosed_at,
        threshold_error=compactions.threshold_error,
    )


def compaction_gaps(conversation: PiConversation) -> tuple[Gap, ...]:
    """What the log cannot say about its compactions, in Gym's codes (gym-semantics 3.8)."""
    owner = conversation.invocation_id
    gaps: list[Gap] = []
    for compaction in conversation.compactions():
        if compaction.lone_end:
            gaps.append(Gap("compaction_start_unavailable", owner, compaction.id))
        elif compaction.outcome == "unknown":
            gaps.append(Gap("compaction_result_unavailable", owner, compaction.id))
        elif compaction.outcome == "completed":
            kept = compaction.extra.get("first_kept_entry_id")
            detail = f"{compaction.id}: entry {kept} of the session has no name in the event stream"
            gaps.append(Gap("compaction_first_kept_item_unavailable", owner, detail))
    return tuple(gaps)


def splitlines_readings(conversation: PiConversation, lost: Collection[int]) -> tuple[OtherReading, ...]:
    """What Gym's local path would score where it loses messages whose line holds a line separator (formats trap 11).

    `lost`: the turns whose `message_end` line `str.splitlines` breaks. Nothing where the text would be the same.
    """
    messages = [item for item in conversation.output.output if item.is_assistant_message]
    if not messages or messages[-1].place.turn not in lost:
        return ()
    kept = [item for item in messages if item.place.turn not in lost]
    text = (kept[-1].text or "") if kept else ""
    if text == (messages[-1].text or ""):
        return ()
    because = (
        "Gym's local Pi parser splits lines with str.splitlines(), which breaks the line of turn "
        f"{messages[-1].place.turn} at a line separator inside its text and loses that message"
    )
    return (OtherReading("host-response-splitlines", text, because, messages[-1].place),)
