"""How a Gym row says its run ended: `response.status` and everything that overrides it (gym-semantics 1.3, 6).

Rules in order, the first that applies decides. A status that no field records stays unknown: a reward beside it says
that the run was verified, not how it ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, JsonValue, Outcome, OutcomeReading, Policy, Reason, Rollout

from .policy import graded_under, policy_for
from .row_facts import RowFacts, facts_of

OMITTED = frozenset({"skipped", "omitted"})
VERIFIER_KINDS = frozenset({"judge_failed", "judge_invalid", "judge_unparseable", "verifier_error"})
"""Kinds of what came after the agent: they say nothing about how its run ended."""
FAILED_WORDS = frozenset({"failed", "error", "cancelled"})

Says = Callable[[RowFacts], str | None]


def _none(_facts: RowFacts) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class RowRule:
    """One row: when it applies, the status it gives, failure kind and error, its sentence and the field it rests on."""

    id: str
    applies: Callable[[RowFacts], bool]
    status: str
    sentence: Says
    rests_on: str
    source: str
    kind: Says = _none
    error: Says = _none


def _failure_words(facts: RowFacts) -> str:
    stage = f" at stage `{facts.failure_stage}`" if facts.failure_stage else ""
    message = f": {facts.failure_message}" if facts.failure_message else ""
    return f"`{facts.failure_class or facts.failure_record_kind or 'no class recorded'}`{stage}{message}"


def _failure_kind(facts: RowFacts) -> str | None:
    return facts.failure_record_kind or facts.failure_class


def _agent_words(facts: RowFacts) -> str:
    code = "" if facts.agent_status_code is None else f", upstream status {facts.agent_status_code}"
    return f"`{facts.agent_kind or 'no failure kind'}`{code}"


ROW_RULES: tuple[RowRule, ...] = (
    RowRule(
        "row-later-attempt-failed",
        lambda f: f.failed_later,
        "failed",
        lambda f: f"A later attempt of this rollout failed ({_failure_words(f)}), and the latest attempt decides.",
        "_ng_failure_record",
        "gym-semantics 1.3: latest reserved attempt",
        kind=_failure_kind,
        error=lambda f: f.failure_message,
    ),
    RowRule(
        "sidecar-omitted",
        lambda f: f.is_sidecar and f.failure_class in OMITTED,
        "unknown",
        lambda f: f"The record says that this rollout was left out on purpose ({_failure_words(f)}): it never ran.",
        "_ng_failure_class",
        "gym-semantics 1.3: skipped counts as omitted",
        kind=_failure_kind,
        error=lambda f: f.failure_message,
    ),
    RowRule(
        "sidecar-verifier",
        lambda f: f.is_sidecar and f.real_response,
        "failed",
        lambda f: f"The attempt failed after the agent's run: {_failure_words(f)}. The generation is kept.",
        "_ng_failure_class",
        "gym-semantics 1.3, 6.4: judge boundary",
        kind=_failure_kind,
        error=lambda f: f.failure_message,
    ),
    RowRule(
        "sidecar-failed",
        lambda f: f.is_sidecar,
        "failed",
        lambda f: f"The attempt is recorded as failed: {_failure_words(f)}.",
        "_ng_failure_class",
        "gym-semantics 1.3",
        kind=_failure_kind,
        error=lambda f: f.failure_message,
    ),
    RowRule(
        "row-agent-outcome",
        lambda f: f.agent_kind is not None,
        "failed",
        lambda f: f"The agent reports a failed run: {_agent_words(f)}.",
        "response.metadata.ng_agent_outcome",
        "gym-semantics 6.2",
        kind=lambda f: f.agent_kind or "unknown",
        error=lambda f: f.response_error or None,
    ),
    RowRule(
        "row-status-failed",
        lambda f: f.response_status in FAILED_WORDS,
        "failed",
        lambda f: f"`response.status` is `{f.response_status}`{_because_error(f)}.",
        "response.status",
        "gym-semantics 6.4",
        kind=lambda f: f.failure_kind,
        error=lambda f: f.response_error or None,
    ),
    RowRule(
        "row-error",
        lambda f: f.response_error is not None,
        "failed",
        lambda f: f"`response.error` is set{_because_error(f)}.",
        "response.error",
        "gym-semantics 2, 6.4",
        kind=lambda f: f.failure_kind,
        error=lambda f: f.response_error or None,
    ),
    RowRule(
        "row-failure-kind",
        lambda f: f.failure_kind is not None and f.failure_kind not in VERIFIER_KINDS,
        "failed",
        lambda f: f"The row records `failure_kind` `{f.failure_kind}`.",
        "failure_kind",
        "gym-semantics 1.2, 6.1",
        kind=lambda f: f.failure_kind,
    ),
    RowRule(
        "row-timed-out",
        lambda f: f.timed_out is True,
        "incomplete",
        lambda _f: (
            "`agent_timed_out` is true: the agent's own deadline ended the run, and its partial work was graded."
        ),
        "agent_timed_out",
        "gym-semantics 6.4",
        kind=lambda f: f.failure_kind,
    ),
    RowRule(
        "row-incomplete",
        lambda f: f.response_status == "incomplete" or f.incomplete_reason is not None,
        "incomplete",
        lambda f: (
            "The run ended on a limit"
            + (f": `incomplete_details.reason` is `{f.incomplete_reason}`." if f.incomplete_reason else ", not named.")
            + " Limits are always verified."
        ),
        "response.status",
        "gym-semantics 6.3, 6.4",
        kind=lambda f: f.failure_kind,
    ),
    RowRule(
        "row-completed",
        lambda f: f.response_status == "completed",
        "completed",
        lambda _f: "`response.status` is `completed`.",
        "response.status",
        "gym-semantics 6.4",
        kind=lambda f: f.failure_kind,
    ),
    RowRule(
        "row-status-other",
        lambda f: f.response_status is not None,
        "unknown",
        lambda f: f"`response.status` is `{f.response_status}`, which is no end of a run.",
        "response.status",
        "gym-semantics 2",
        kind=lambda f: f.failure_kind,
    ),
    RowRule(
        "row-no-status",
        lambda _f: True,
        "unknown",
        lambda _f: "`response.status` is not recorded, so how the run ended is not known.",
        "response.status",
        "gym-semantics 2: status may be absent",
        kind=lambda f: f.failure_kind,
    ),
)
"""First match decides."""


def _because_error(facts: RowFacts) -> str:
    return f" ({facts.response_error})" if facts.response_error else ""


def row_rule(facts: RowFacts) -> RowRule:
    """The row that decides."""
    return next(rule for rule in ROW_RULES if rule.applies(facts))


def status_and_kind(facts: RowFacts) -> tuple[str, str | None]:
    """What a list shows of the outcome."""
    rule = row_rule(facts)
    return rule.status, rule.kind(facts)


def outcome(rollout: Rollout) -> Outcome:
    """The outcome of a rollout that a row or a sidecar record holds."""
    facts = facts_of(rollout)
    rule = row_rule(facts)
    policy = _policy(facts, rule)
    graded = _graded(facts, policy)
    return Outcome(
        status=rule.status,
        failure_kind=rule.kind(facts),
        error=rule.error(facts),
        graded=graded,
        rule=rule.id,
        because=_because(facts, rule, graded),
        policy=policy,
        readings=_readings(facts, rule),
        recorded=_recorded(facts),
    )


def _policy(facts: RowFacts, rule: RowRule) -> Policy:
    """A sidecar record says itself whether it may be tried again; a row by the known defaults (6.3)."""
    if facts.is_sidecar or facts.failed_later:
        if facts.terminal is None:
            return Policy()
        said = "the sidecar record is terminal: it is never retried on resume"
        if not facts.terminal:
            said = "the sidecar record is not terminal: a resume may try it again"
        return Policy("fail" if facts.terminal else "retry", said)
    return policy_for(rule.status, rule.kind(facts), facts.agent_status_code)


def _graded(facts: RowFacts, policy: Policy) -> bool | None:
    """A reward in the main file is the proof that the row went to the verifier; a sidecar record did not pass it."""
    if facts.is_sidecar or facts.failed_later:
        return False
    return True if facts.has_reward else graded_under(policy)


def _because(facts: RowFacts, rule: RowRule, graded: bool | None) -> tuple[Reason, ...]:
    said = [Reason(rule.sentence(facts) or rule.id, rests_on=rule.rests_on)]
    if graded and rule.status in ("failed", "unknown"):
        said.append(Reason("The row holds a reward, so its response went to the verifier.", rests_on="reward"))
    if facts.failure_kind in VERIFIER_KINDS and not facts.is_sidecar:
        text = f"`failure_kind` is `{facts.failure_kind}`: that is about the verification, not about how the run ended."
        said.append(Reason(text, rests_on="failure_kind"))
    return tuple(said)


def _readings(facts: RowFacts, rule: RowRule) -> tuple[OutcomeReading, ...]:
    """What `response.status` alone says, and the row without its later attempt, where they say something else."""
    found: list[OutcomeReading] = []
    if facts.failed_later:
        alone = replace(facts, failed_later=False)
        own = row_rule(alone)
        found.append(OutcomeReading("row", own.status, own.kind(alone), _graded(alone, Policy()), own.id))
    plain = RowFacts(response_status=facts.response_status, incomplete_reason=facts.incomplete_reason)
    recorded = row_rule(plain)
    placeholder = facts.is_sidecar and not facts.real_response
    if facts.response_status is not None and not placeholder and recorded.status != rule.status:
        found.append(OutcomeReading("recorded", recorded.status, None, None, recorded.id))
    return tuple(found)


def _recorded(facts: RowFacts) -> JsonObject:
    fields: dict[str, JsonValue] = {
        "status": facts.response_status,
        "error": facts.response_error,
        "incomplete_reason": facts.incomplete_reason,
        "failure_kind": facts.failure_kind,
        "agent_timed_out": facts.timed_out,
        "failure_class": facts.failure_class,
        "failure_stage": facts.failure_stage,
        "terminal": facts.terminal,
    }
    if facts.agent_kind is not None:
        fields["ng_agent_outcome"] = {"failure_kind": facts.agent_kind, "status_code": facts.agent_status_code}
    return {key: value for key, value in fields.items() if value is not None}
