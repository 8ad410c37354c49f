"""The health checks of one rollout as a table (gym-semantics 7). Health says nothing about correctness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import HealthCheck, ModelCall, Rollout

from .health_facts import (
    CallIndex,
    captured,
    context_rejection,
    failed,
    gap_codes,
    has_calls,
    has_turns,
    name_of,
    owned,
)


@dataclass(frozen=True, slots=True)
class Unobserved:
    """The evidence does not allow the check."""


UNOBSERVED = Unobserved()
Result = Sequence[HealthCheck] | Unobserved
DUPLICATE_IDENTITY = frozenset({"duplicate-identity", "identity-repeated"})
RUNAWAY = frozenset({"length", "max_output_tokens", "max_tokens"})
REFERENCE_GAPS: Mapping[str, str] = {
    "model_call_reference_unmatched": "missing_captured_call",
    "model_call_reference_ambiguous": "duplicated_captured_call",
    "model_call_reference_conflict": "conflicting_call_ownership",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `computed` is False for checks of other releases and of whole tasks: known, never recomputed."""

    id: str
    meaning: str
    run: Callable[[Rollout], Result] = lambda _rollout: UNOBSERVED
    computed: bool = True


def record_unreadable(rollout: Rollout) -> Result:
    """The row's `ng_trajectory` is invalid (an unreadable line gives no rollout at all)."""
    if rollout.evidence.trajectory_state == "invalid":
        return [HealthCheck("record_unreadable", "`ng_trajectory` is invalid", rollout.source.locator)]
    return []


def duplicate_identity(rollout: Rollout) -> Result:
    """Several rows share (stage, task, rollout); the reader of the file says so."""
    said = [one for one in rollout.diagnostics if one.code in DUPLICATE_IDENTITY]
    return [HealthCheck("rollout_duplicate_identity", one.message, one.locator) for one in said]


def missing_agent_turns(rollout: Rollout) -> Result:
    """No turn has a message, a tool call or a call reference."""
    if not has_turns(rollout):
        return UNOBSERVED
    said = any(turn.tool_names or any(text.strip() for text in turn.answer) for turn in rollout.evidence.recorded_turns)
    if said or any(ref.owner == "turn" for ref in rollout.evidence.call_refs):
        return []
    return [HealthCheck("rollout_missing_agent_turns", "no turn has a message, a tool call or a call reference")]


def hollow_turn(rollout: Rollout) -> Result:
    """A turn has neither text nor reasoning nor a tool call."""
    if not has_turns(rollout):
        return UNOBSERVED
    return [
        HealthCheck("agent_turn_hollow", "no text, reasoning or tool call", f"{turn.invocation_id}/turn:{turn.number}")
        for turn in rollout.evidence.recorded_turns
        if not turn.tool_names and not any(text.strip() for text in (*turn.reasoning, *turn.answer))
    ]


def ended_on_failed_call(rollout: Rollout) -> Result:
    """For some model, its own last call in time failed; with mixed results and missing times it stays silent."""
    calls = captured(rollout.evidence)
    if not has_calls(rollout) or not calls:
        return UNOBSERVED
    by_model: dict[str | None, list[ModelCall]] = {}
    for call in calls:
        by_model.setdefault(call.model_ref, []).append(call)
    found: list[HealthCheck] = []
    for model, group in by_model.items():
        last = _last_call(group)
        if last is not None and failed(last):
            good = sum(not failed(call) for call in group)
            detail = (
                f"model_ref {model or 'not recorded'}, {_status(last)}, {len(group)} observed calls, {good} successful"
            )
            found.append(HealthCheck("rollout_ended_on_failed_model_call", detail, name_of(last)))
    return found


def _last_call(group: Sequence[ModelCall]) -> ModelCall | None:
    if all(failed(call) for call in group):
        return group[-1]
    times = [(call.completed_at or call.started_at, call) for call in group]
    if any(time is None for time, _ in times):
        return None
    return max(times, key=lambda one: one[0] or "")[1]


def _status(call: ModelCall) -> str:
    said = [
        f"status {call.status_code}" if call.status_code is not None else "",
        f"error_category {call.error_category}" if call.error_category else "",
        f"response_status {call.response_status}" if call.response_status else "",
    ]
    return ", ".join(part for part in said if part)


def _owned_calls(rollout: Rollout) -> tuple[ModelCall, ...] | None:
    calls = owned(rollout) if has_calls(rollout) else ()
    return calls or None


def zero_completion_tokens(rollout: Rollout) -> Result:
    """An owned call has exactly 0 completion tokens, and is no rejection of a context that is too long."""
    calls = _owned_calls(rollout)
    if calls is None:
        return UNOBSERVED
    return [
        HealthCheck("model_call_zero_completion_tokens", "0 completion tokens", name_of(call))
        for call in calls
        if call.tokens_out == 0 and not context_rejection(call)
    ]


def missing_token_counts(rollout: Rollout) -> Result:
    """An owned call lacks its prompt or completion count."""
    calls = _owned_calls(rollout)
    if calls is None:
        return UNOBSERVED
    found: list[HealthCheck] = []
    for call in calls:
        counts = (("prompt_tokens", call.tokens_in), ("completion_tokens", call.tokens_out))
        missing = [name for name, count in counts if count is None]
        if missing and not context_rejection(call):
            found.append(HealthCheck("model_call_missing_token_counts", f"missing {', '.join(missing)}", name_of(call)))
    return found


def capture_mismatch(rollout: Rollout) -> Result:
    """A reference matches no captured call or several, or a gap says that references conflict."""
    said = [code for code in REFERENCE_GAPS if code in gap_codes(rollout)]
    refs = rollout.evidence.call_refs
    if not has_calls(rollout) or not (refs or said):
        return UNOBSERVED
    found = [HealthCheck("trajectory_capture_mismatch", REFERENCE_GAPS[code], code) for code in said]
    index = CallIndex(captured(rollout.evidence))
    for ref in refs:
        number = len(index.named(ref))
        kind = "missing_captured_call" if number == 0 else "duplicated_captured_call" if number > 1 else None
        if kind is not None:
            found.append(HealthCheck("trajectory_capture_mismatch", kind, ref.model_call_id or ref.response_id))
    return found


def token_count_mismatch(rollout: Rollout) -> Result:
    """The usage of the scored response is not the sum over the calls that turns reference."""
    bound = owned(rollout, frozenset({"turn"})) if has_calls(rollout) else ()
    codes = gap_codes(rollout)
    usage = rollout.usage
    incomplete = (
        not bound
        or len(bound) != len(captured(rollout.evidence))
        or "turn_model_call_scope_incomplete" in codes
        or usage.input is None
        or usage.output is None
        or any(call.tokens_in is None or call.tokens_out is None for call in bound)
    )
    if incomplete:
        return UNOBSERVED
    tokens_in = sum(call.tokens_in or 0 for call in bound)
    tokens_out = sum(call.tokens_out or 0 for call in bound)
    if (tokens_in, tokens_out) == (usage.input, usage.output):
        return []
    detail = f"transcript {usage.input:,} in, {usage.output:,} out; capture {tokens_in:,} in, {tokens_out:,} out"
    return [HealthCheck("rollout_token_count_mismatch", detail)]


def runaway_generation(rollout: Rollout) -> Result:
    """A call ran into its output limit and its response has no content."""
    cut = [call for call in owned(rollout) if call.finish_reason in RUNAWAY] if has_calls(rollout) else None
    if cut is None or any(not call.response_captured for call in cut):
        return UNOBSERVED
    return [
        HealthCheck("model_call_runaway_generation", f"finish_reason {call.finish_reason}", name_of(call))
        for call in cut
        if not (call.response_text or call.response_reasoning or call.response_tool_calls)
    ]


CHECKS: Mapping[str, Check] = {
    check.id: check
    for check in (
        Check("record_unreadable", "The row or its trajectory is unreadable.", record_unreadable),
        Check("rollout_duplicate_identity", "Several rows share one identity.", duplicate_identity),
        Check("rollout_missing_agent_turns", "No turn has a message, a tool call or a call.", missing_agent_turns),
        Check("agent_turn_hollow", "A turn has no text, reasoning or tool call.", hollow_turn),
        Check("rollout_ended_on_failed_model_call", "A model's last call failed.", ended_on_failed_call),
        Check("model_call_zero_completion_tokens", "A call gave 0 completion tokens.", zero_completion_tokens),
        Check("model_call_missing_token_counts", "A call lacks token counts.", missing_token_counts),
        Check("trajectory_capture_mismatch", "A reference matches no captured call or several.", capture_mismatch),
        Check("rollout_token_count_mismatch", "The usage is not the sum of the calls.", token_count_mismatch),
        Check("model_call_runaway_generation", "A call ran into its limit without content.", runaway_generation),
        Check("check_execution_error", "A check of Gym's threw.", computed=False),
        Check("model_call_failed", "An owned call failed (older releases).", computed=False),
        Check("model_call_last_failed", "The last call of a finished root failed (one branch).", computed=False),
        Check("task_consistently_unhealthy", "All repeats of a task are unhealthy.", computed=False),
        Check("task_no_successful_model_calls", "No repeat of a task had a successful call.", computed=False),
    )
}
