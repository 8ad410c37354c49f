"""The final answer of a rollout: the answer of the root's last turn, and whether it stands (CONTRACT 3)."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.model import Compaction, FinalAnswer, Invocation, ToolCall, Turn

from .denial import denied_calls

CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete"})
REFUSED = frozenset({"content-filter", "content_filter", "refusal", "sensitive"})
FAILED = frozenset({"error", "aborted", "cancelled", "failed"})
GOES_ON = frozenset({"tool-calls", "tool_calls", "toolUse", "tool_use"})

StandRule = Callable[[Turn], "str | None"]


def _reverted(turn: Turn) -> str | None:
    return "the last turn was reverted" if turn.reverted else None


def _failed(turn: Turn) -> str | None:
    if turn.error is not None:
        what = turn.error.name or turn.error.message or "an error"
        return f"the last turn failed: {what}"
    if turn.finish in FAILED:
        return f"the last turn failed: it ended with {turn.finish}"
    return None


def _refused(turn: Turn) -> str | None:
    return f"the last turn was refused: finish {turn.finish}" if turn.finish in REFUSED else None


def _cut_off(turn: Turn) -> str | None:
    if turn.partial:
        return "the last turn was cut off: it started and never ended"
    if turn.finish in CUT_OFF:
        return f"the last turn was cut off: finish {turn.finish}"
    return turn.unfinished


def _answered(turn: Turn, call: ToolCall) -> bool:
    """A call that the provider ran inside the reply, which then went on to its answer (a hosted web search)."""
    if not call.hosted or call.id not in turn.order:
        return False
    after = turn.order[turn.order.index(call.id) + 1 :]
    return any(piece.id in after and piece.text.strip() for piece in turn.answer)


def _called_tools(turn: Turn) -> str | None:
    calls = [call for call in turn.tool_calls if not _answered(turn, call)]
    if calls:
        denied = ", ".join(dict.fromkeys(call.name for call in denied_calls(turn)))
        why = f": permission to run {denied} was denied" if denied else ""
        return f"the last turn called tools ({', '.join(call.name for call in calls[:3])}), no answer follows{why}"
    if turn.finish in GOES_ON:
        return f"the last turn ended with {turn.finish}: the model was to be called again"
    return None


STAND_RULES: tuple[StandRule, ...] = (_reverted, _failed, _refused, _cut_off, _called_tools)
"""CONTRACT 3, `final_answer`: first match says why the text does not stand."""


def _compaction_follows(turn: Turn, compactions: tuple[Compaction, ...]) -> str | None:
    """A failed or unfinished compaction after the last turn.

    A Pi threshold compaction that fails after the run's last `stop` changes nothing: Pi would not have answered again
    (formats 2.2, 07a and 07i).
    """
    for compaction in compactions:
        if compaction.reverted or compaction.lone_end or (compaction.after_turn or 0) < turn.number:
            continue
        if compaction.outcome == "completed" or compaction.trigger == "threshold":
            continue
        if compaction.outcome == "unknown":
            return "a compaction that never finished follows the last turn"
        ended = "was aborted" if compaction.outcome == "aborted" else "failed"
        return f"a compaction that {ended} follows the last turn"
    return None


def _item_id(turn: Turn) -> str | None:
    """The id of the last answer piece that has text; of the kept empty answer where no piece has any."""
    spoken = [piece.id for piece in turn.answer if piece.text.strip()] or [piece.id for piece in turn.answer]
    return spoken[-1] if spoken else None


def stands_because(turn: Turn, compactions: tuple[Compaction, ...] = ()) -> str | None:
    """Why the text of `turn`, taken as the last one, is no final answer; None when it stands."""
    for rule in STAND_RULES:
        reason = rule(turn)
        if reason is not None:
            return reason
    return _compaction_follows(turn, compactions)


def final_answer_of(root: Invocation | None) -> FinalAnswer:
    """The answer of the root's last turn: '' when that turn has none, None when there is no turn (CONTRACT 3).

    An answer of an earlier turn is never taken, whatever it says.
    """
    if root is None or not root.turns:
        return FinalAnswer(because="there is no turn")
    last = root.turns[-1]
    because = stands_because(last, root.compactions)
    return FinalAnswer(
        text=last.answer_text, turn=last.number, item_id=_item_id(last), stands=because is None, because=because
    )
