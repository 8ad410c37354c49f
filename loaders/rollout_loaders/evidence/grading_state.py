"""Whether a recorded reward measures the policy at all: `grading.state` and every cause of it (CONTRACT 3).

A pure function of plain values, so that a fast listing asks the same table as the full reading. Each row of
`STATE_RULES` gives a state with its sentence; the first state of `PRECEDENCE` that has a row decides, and the
sentences of all rows that applied are kept. `CAVEATS` add sentences and never a state.
"""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Reason

from .capture_mask import CERTAIN
from .grade_facts import GradeFacts, capture_mask_row, facts_of
from .outcome_row import FAILED_WORDS
from .quoting import figure, quote

__all__ = [
    "CAVEATS",
    "INVALIDATING_KINDS",
    "PRECEDENCE",
    "STATE_RULES",
    "GradeFacts",
    "StateRule",
    "capture_mask_row",
    "facts_of",
    "state_and_rule",
    "state_of",
]

PRECEDENCE = ("unreadable", "not_graded", "masked", "invalid", "graded")

INVALIDATING_KINDS: dict[str, str] = {
    "transport_unreachable": "a transport failure",
    "transport_peer_drop": "a transport failure",
    "transport_timeout": "a transport failure",
    "transport_local_resource": "a transport failure",
    "agent_run_error": "a failure of the agent harness",
    "agent_request_failed": "a failure of the agent harness",
    "agent_timeout": "a failure of the agent harness",
    "agent_command_not_allowed": "a failure of the agent harness",
    "environment_server_failed": "a failure of the environment server",
    "protocol_violation": "a failure of the environment server",
    "judge_failed": "a failure of the judge call",
    "judge_invalid": "an unusable reply of the judge",
    "judge_unparseable": "an unusable reply of the judge",
    "verifier_error": "a failure of the verifier",
    "provider_unavailable": "a failure of the model provider",
    "provider_quota_exhausted": "a failure of the model provider",
    "provider_oom_killed": "a failure of the model provider",
    "session_lost": "a lost session",
    "session_expired": "a lost session",
    "session_release_failed": "a failure to release the session",
    "cancelled": "a cancelled run",
    "kill_shaped": "a killed run",
    "shutdown": "a run that was shut down",
    "persistence_failed": "a failure to save the run",
    "cohort_incomplete": "an incomplete cohort",
}
"""The registered vocabulary (gym-semantics 6.1, and `judge_invalid` of 1.3): none of these is the policy's doing."""


@dataclass(frozen=True, slots=True)
class StateRule:
    """One row: an id, the state it gives (None for a caveat), and its sentence where it applies, else None."""

    id: str
    state: str | None
    says: Callable[[GradeFacts], Reason | None]
    source: str


def _record_unreadable(facts: GradeFacts) -> Reason | None:
    return None if facts.unreadable is None else Reason(f"The record cannot be read: {facts.unreadable}.")


def _reward_no_number(facts: GradeFacts) -> Reason | None:
    if facts.reward_literal is None:
        return None
    return Reason(f"The reward is written as `{facts.reward_literal}`, which is no finite number.", rests_on="reward")


def _no_verifier_result(facts: GradeFacts) -> Reason | None:
    return None if facts.has_row else Reason("No verifier result is recorded beside this session.")


def _no_reward(facts: GradeFacts) -> Reason | None:
    if not facts.has_row or facts.has_reward or facts.reward_literal is not None or facts.unreadable is not None:
        return None
    return Reason("The row holds no reward: it was not scored.", rests_on="reward")


def _mask_sample(facts: GradeFacts) -> Reason | None:
    if facts.mask_sample is not True or facts.capture_mask_row is not None:
        return None
    zero = " (a reward of 0 beside a mask is no result of the policy)" if facts.reward == 0 else ""
    return Reason(
        f"`mask_sample` is true for a cause other than token capture: the row is kept out of training{zero}.",
        rests_on="mask_sample",
    )


def _instance_mask(facts: GradeFacts) -> Reason | None:
    if facts.instance_mask_sample is not True:
        return None
    return Reason(
        "`instance_config.mask_sample` is true: the agent keeps the row out of training.",
        rests_on="instance_config.mask_sample",
    )


def _not_policy(facts: GradeFacts) -> str:
    return "" if facts.reward is None else f"; the reward {figure(facts.reward)} does not measure the policy"


def _failure_class(facts: GradeFacts) -> Reason | None:
    if facts.failure_class is None or facts.failure_class in _JUDGE_KINDS:
        return None
    stage = f" at stage `{facts.failure_stage}`" if facts.failure_stage else ""
    message = f" ({facts.failure_message})" if facts.failure_message else ""
    return Reason(
        f"The attempt failed with class `{facts.failure_class}`{stage}{message}{_not_policy(facts)}.",
        rests_on="_ng_failure_class",
    )


_JUDGE_KINDS = frozenset({"judge_failed", "judge_invalid", "judge_unparseable"})


def _judge_failed(facts: GradeFacts) -> Reason | None:
    found = [
        (name, field)
        for name, field in (
            (facts.failure_class, "_ng_failure_class"),
            (facts.failure_record_kind, "_ng_failure_record"),
            (facts.failure_kind, "failure_kind"),
        )
        if name in _JUDGE_KINDS
    ]
    if not found:
        return None
    name, field = found[0]
    what = "the judge call failed" if name == "judge_failed" else "the judge's reply could not be used"
    kept = ", and the generation is kept so that it can be judged again" if facts.has_real_response else ""
    return Reason(f"`{name}`: {what}{kept}{_not_policy(facts)}.", rests_on=field)


def _failure_kind(facts: GradeFacts) -> Reason | None:
    for kind, field in ((facts.failure_kind, "failure_kind"), (facts.failure_record_kind, "_ng_failure_record")):
        if kind in INVALIDATING_KINDS and kind not in _JUDGE_KINDS and kind != facts.failure_class:
            stage = f" at stage `{facts.failure_stage}`" if facts.failure_stage else ""
            return Reason(f"`{kind}`{stage} is {INVALIDATING_KINDS[kind]}{_not_policy(facts)}.", rests_on=field)
    return None


def _agent_outcome(facts: GradeFacts) -> Reason | None:
    if facts.agent_failure_kind is None or _verified_by_default(facts):
        return None
    status = "" if facts.agent_status_code is None else f" with upstream status {facts.agent_status_code}"
    kind = f"`{facts.agent_failure_kind}`" if facts.agent_failure_kind else "a failed run without naming its kind"
    return Reason(
        f"The agent reports {kind}{status}{_not_policy(facts)}.",
        rests_on="response.metadata.ng_agent_outcome",
    )


def _response_failed(facts: GradeFacts) -> Reason | None:
    if facts.agent_failure_kind is not None:
        return None
    error = f" ({quote(facts.response_error, 160)})" if facts.response_error else ""
    if facts.response_status in FAILED_WORDS:
        said = f"The run ended with `response.status` `{facts.response_status}`{error}{_not_policy(facts)}."
        return Reason(said, rests_on="response.status")
    if facts.response_error is None:
        return None
    return Reason(f"`response.error` is set{error}{_not_policy(facts)}.", rests_on="response.error")


def _verifier_error(facts: GradeFacts) -> Reason | None:
    if facts.verifier_error is None:
        return None
    said = quote(facts.verifier_error, 160)
    return Reason(f"The verifier itself failed: {said}{_not_policy(facts)}.", rests_on="verifier_error")


def _run_error(facts: GradeFacts) -> Reason | None:
    if facts.run_error is None:
        return None
    said = f": {quote(facts.run_error, 160)}" if facts.run_error else ""
    return Reason(f"The row records an error of its run{said}{_not_policy(facts)}.", rests_on="error")


def _verified_by_default(facts: GradeFacts) -> bool:
    return facts.agent_failure_kind is not None and facts.agent_status_code == 400


def _reward(facts: GradeFacts) -> Reason | None:
    if not facts.has_row or not facts.has_reward or facts.reward is None:
        return None
    return Reason(f"A reward of {figure(facts.reward)} is recorded.", rests_on="reward")


STATE_RULES: tuple[StateRule, ...] = (
    StateRule("record-unreadable", "unreadable", _record_unreadable, "CONTRACT 3 grading.state"),
    StateRule("reward-no-number", "unreadable", _reward_no_number, "gym-semantics 1.2: must be finite when present"),
    StateRule("no-verifier-result", "not_graded", _no_verifier_result, "CONTRACT 3 grading.state"),
    StateRule("no-reward", "not_graded", _no_reward, "gym-semantics 1.2: then 'unscored'"),
    StateRule("mask-sample", "masked", _mask_sample, "CONTRACT 3 grading.state; gym-semantics 1.2"),
    StateRule("instance-mask-sample", "masked", _instance_mask, "CONTRACT 3 grading.state; gym-semantics 1.2"),
    StateRule("failure-class", "invalid", _failure_class, "gym-semantics 1.3"),
    StateRule("judge-failed", "invalid", _judge_failed, "gym-semantics 1.3, 6.4"),
    StateRule("failure-kind", "invalid", _failure_kind, "gym-semantics 6.1"),
    StateRule("agent-outcome", "invalid", _agent_outcome, "gym-semantics 6.2, 6.3"),
    StateRule("response-failed", "invalid", _response_failed, "gym-semantics 6.4"),
    StateRule("verifier-error", "invalid", _verifier_error, "CONTRACT 3 grading.state; gym-semantics 9.3 (deepswe)"),
    StateRule("run-error", "invalid", _run_error, "CONTRACT 3 grading.state: an infrastructure or provider failure"),
    StateRule("reward", "graded", _reward, "CONTRACT 3 grading.state"),
)


def _capture_mask(facts: GradeFacts) -> Reason | None:
    if facts.mask_sample is not True or facts.capture_mask_row is None:
        return None
    comes = "comes" if facts.capture_mask_row in CERTAIN else "can come"
    return Reason(
        f"`mask_sample` {comes} from token capture (`{facts.capture_mask_row}`), which leaves the grade as it is.",
        rests_on="_ng_token_capture",
    )


def _policy_verified(facts: GradeFacts) -> Reason | None:
    if not _verified_by_default(facts):
        return None
    kind = f"`{facts.agent_failure_kind}`" if facts.agent_failure_kind else "a failed run"
    return Reason(
        f"The agent reports {kind} with upstream status 400, which the default outcome policy hands to the verifier: "
        "partial work was graded.",
        rests_on="response.metadata.ng_agent_outcome",
    )


def _timed_out(facts: GradeFacts) -> Reason | None:
    if facts.agent_timed_out is not True:
        return None
    return Reason(
        "`agent_timed_out` is true: what was done before the deadline is what was graded.", rests_on="agent_timed_out"
    )


def _placeholder(facts: GradeFacts) -> Reason | None:
    if not facts.placeholder_response:
        return None
    return Reason("The response is a placeholder: no output of the policy lies in this row.", rests_on="response")


def _unknown_kind(facts: GradeFacts) -> Reason | None:
    kind = facts.failure_kind
    if kind is None or kind in INVALIDATING_KINDS:
        return None
    return Reason(
        f"`failure_kind` is `{kind}`, which is outside the registered kinds: whether the reward measures the policy is "
        "not decided by the records.",
        rests_on="failure_kind",
    )


CAVEATS: tuple[StateRule, ...] = (
    StateRule("capture-mask", None, _capture_mask, "CONTRACT 3 grading.state; gym-semantics 8.3"),
    StateRule("policy-verified", None, _policy_verified, "gym-semantics 6.3"),
    StateRule("agent-timed-out", None, _timed_out, "gym-semantics 6.4"),
    StateRule("placeholder-response", None, _placeholder, "gym-semantics 1.3"),
    StateRule("unknown-failure-kind", None, _unknown_kind, "gym-semantics 6.1: an open set"),
)


def state_of(facts: GradeFacts) -> tuple[str, tuple[Reason, ...]]:
    """The state and all causes of it, the deciding ones first; the plain `reward` row speaks only when it decides."""
    state, _, reasons = state_and_rule(facts)
    return state, reasons


def state_and_rule(facts: GradeFacts) -> tuple[str, str, tuple[Reason, ...]]:
    """As `state_of`, with the id of the row that decided; `undescribed` where no row applies."""
    hits = [(rule, said) for rule in STATE_RULES if (said := rule.says(facts)) is not None]
    hits.sort(key=lambda hit: PRECEDENCE.index(hit[0].state or "graded"))
    caveats = [said for rule in CAVEATS if (said := rule.says(facts)) is not None]
    if not hits:
        nothing = Reason("Nothing in the record gives a reward.", rests_on="reward")
        return "not_graded", "undescribed", (nothing, *caveats)
    decider = hits[0][0]
    spoken = [said for rule, said in hits if rule.id != "reward" or rule is decider]
    return decider.state or "graded", decider.id, (*spoken, *caveats)
