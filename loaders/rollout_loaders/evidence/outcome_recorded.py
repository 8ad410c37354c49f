"""How a log or trajectory of another harness says that its run ended, by the one field in which its format says it.

No table of Gym reads these formats. What the record does not say stays unknown; what its last reply shows is given as
the reading `events` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Ending, JsonValue, Outcome, OutcomeReading, Place, Reason, Rollout

from .policy import graded_under, policy_for

ENDS: Mapping[str, Mapping[str, str]] = {
    "result.subtype": {
        "success": "completed",
        "error_max_turns": "incomplete",
        "error_max_budget_usd": "incomplete",
        "error_during_execution": "failed",
        "error_max_structured_output_retries": "failed",
    },
    "event": {"turn.completed": "completed", "turn.failed": "failed", "error": "failed"},
    "info.exit_status": {
        "Submitted": "completed",
        "submitted": "completed",
        "LimitsExceeded": "incomplete",
        "TimeExceeded": "incomplete",
        "ContextWindowExceededError": "incomplete",
        "UserInterruption": "incomplete",
        "RepeatedFormatError": "failed",
    },
    "stop_condition": {
        "has_error": "failed",
        "max_turns_reached": "incomplete",
        "prompt_too_long": "incomplete",
        "timeout_reached": "incomplete",
        "max_total_completion_tokens_reached": "incomplete",
        "no_tools_called": "completed",
        "has_final_env_response": "completed",
    },
    "extra.nemo_gym.conversion.status": {"complete": "completed"},
    "exception_info": {"null": "completed", "AgentTimeoutError": "incomplete"},
}
"""Recorded field to its known words. Sources: Agent SDK message types (`result.subtype`), `codex exec --json` events
(`event`), mini-swe-agent's output files (`info.exit_status`), verifiers' stop conditions, Harbor's trial result
(`exception_info`), and gym-semantics 11: Gym's ATIF exporter takes rows of status completed only."""

FINISHES: Mapping[str, str] = {
    "stop": "completed",
    "end_turn": "completed",
    "stop_sequence": "completed",
    "length": "incomplete",
    "max_tokens": "incomplete",
    "model_context_window_exceeded": "incomplete",
    "content_filter": "incomplete",
    "refusal": "incomplete",
    "pause_turn": "incomplete",
    "tool_use": "incomplete",
    "tool_calls": "incomplete",
    "toolUse": "incomplete",
    "error": "failed",
    "aborted": "incomplete",
}
"""Finish of a last reply, as Anthropic, OpenAI and Pi name them: what the events show."""


@dataclass(frozen=True, slots=True)
class EndRule:
    """One row: the first that applies decides. `status` None takes it from `ENDS`."""

    id: str
    applies: Callable[[Ending], bool]
    status: str | None
    sentence: Callable[[Ending], str]


def _known(ending: Ending) -> str | None:
    return ENDS.get(ending.says or "", {}).get(ending.word or "")


def _single_turn(ending: Ending) -> bool:
    return ending.says == "stop_condition" and ending.word == "max_turns_reached" and ending.replies == 1


RULES: tuple[EndRule, ...] = (
    EndRule(
        "recorded-error",
        lambda e: e.error is not None,
        "failed",
        lambda e: f"An error of the run is recorded{f': {e.error}' if e.error else ''}.",
    ),
    EndRule("recorded-cut-off", lambda e: e.cut_off is not None, "incomplete", lambda e: f"`{e.cut_off}` is true."),
    EndRule(
        "recorded-single-turn",
        _single_turn,
        "completed",
        lambda _e: (
            "`stop_condition` is `max_turns_reached` after one reply, which is how every single-turn environment of "
            "verifiers ends."
        ),
    ),
    EndRule("recorded-end", lambda e: _known(e) is not None, None, lambda e: f"`{e.says}` is `{e.word}`: {_known(e)}."),
    EndRule(
        "recorded-other",
        lambda e: e.word is not None,
        "unknown",
        lambda e: f"`{e.says}` is `{e.word}`, which is no end that the rules know.",
    ),
    EndRule(
        "end-missing",
        lambda e: e.says is not None,
        "unknown",
        lambda e: f"`{e.says}` is not recorded, so how the run ended is not known.",
    ),
    EndRule(
        "no-end-recorded",
        lambda _e: True,
        "unknown",
        lambda _e: "This format records no end of a run, so how it ended is not known.",
    ),
)
"""First match decides."""


def outcome(rollout: Rollout, ending: Ending) -> Outcome:
    """The outcome of a rollout whose format says its end itself."""
    rule, status = _decided(ending)
    policy = policy_for(status, None, ending.status_code)
    row = rollout.evidence.row
    graded = True if row is not None and row.has_reward else graded_under(policy)
    return Outcome(
        status=status,
        error=(ending.error or None) if status == "failed" else None,
        graded=graded,
        rule=rule.id,
        because=tuple(_because(rollout, ending, rule)),
        policy=policy,
        readings=tuple(_readings(ending, status)),
        recorded=_recorded(ending),
    )


def status_of(ending: Ending) -> str:
    """The status alone, for a list."""
    return _decided(ending)[1]


def _decided(ending: Ending) -> tuple[EndRule, str]:
    rule = next(rule for rule in RULES if rule.applies(ending))
    return rule, rule.status or _known(ending) or "unknown"


def _because(rollout: Rollout, ending: Ending, rule: EndRule) -> Iterator[Reason]:
    yield Reason(rule.sentence(ending), ending.where, ending.rests_on)
    shown = _events(ending)
    root = rollout.root
    if shown is not None and shown != (rule.status or _known(ending)) and root is not None and root.turns:
        last = root.turns[-1]
        what = ending.last_error or f"finish {ending.last_finish}"
        yield Reason(f"The last reply shows {shown} ({what}).", Place(root.id, last.number, None), None)
    row = rollout.evidence.row
    if row is not None and row.has_reward:
        yield Reason("The row holds a reward, so what the run left was scored.", rests_on="reward")


def _events(ending: Ending) -> str | None:
    if ending.last_error is not None:
        return "failed"
    return FINISHES.get(ending.last_finish or "")


def _readings(ending: Ending, status: str) -> Iterator[OutcomeReading]:
    shown = _events(ending)
    if shown is not None and shown != status:
        graded = True if shown in ("completed", "incomplete") else None
        yield OutcomeReading("events", shown, None, graded, "last-reply", ending.last_error)


def _recorded(ending: Ending) -> dict[str, JsonValue]:
    recorded: dict[str, JsonValue] = dict(ending.recorded)
    if ending.says is not None and ending.word is not None:
        recorded[ending.says] = ending.word
    if ending.error is not None:
        recorded["error"] = ending.error
    return recorded
