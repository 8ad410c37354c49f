"""`grading.state`: every row of its table, the precedence, and the row's absence (CONTRACT 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.loaders.gradings import row

from rollout_loaders.evidence import grading_state
from rollout_loaders.evidence.grading_state import (
    CAVEATS,
    INVALIDATING_KINDS,
    PRECEDENCE,
    STATE_RULES,
    GradeFacts,
    capture_mask_row,
    facts_of,
    state_and_rule,
    state_of,
)
from rollout_loaders.model import FailureRecord

ZERO = GradeFacts(has_reward=True, reward=0.0)
MULTI_CHAIN = {"chains": 2, "roots": 2, "terminal_attribution": {"method": "none", "reason": "no_content_match"}}
CLEAN_CHAIN = {"chains": 1, "roots": 1, "terminal_attribution": {"method": "none", "reason": "no_content_match"}}


def record(**fields: Any) -> FailureRecord:
    values: dict[str, Any] = dict.fromkeys(
        ("failure_class", "failure_kind", "stage", "message", "terminal", "http_status", "exception_type", "delivery")
    )
    values |= {"generation": "newer"} | fields
    return FailureRecord(**values)


CASES: dict[str, tuple[GradeFacts, str]] = {
    "record-unreadable": (replace(ZERO, unreadable="the line is no JSON"), "unreadable"),
    "reward-no-number": (GradeFacts(reward_literal="NaN"), "unreadable"),
    "no-verifier-result": (GradeFacts(has_row=False), "not_graded"),
    "no-reward": (GradeFacts(), "not_graded"),
    "mask-sample": (replace(ZERO, mask_sample=True), "masked"),
    "instance-mask-sample": (replace(ZERO, instance_mask_sample=True), "masked"),
    "failure-class": (replace(ZERO, failure_class="timeout_exceeded", placeholder_response=True), "invalid"),
    "judge-failed": (replace(ZERO, failure_class="judge_failed"), "invalid"),
    "failure-kind": (replace(ZERO, failure_kind="provider_unavailable"), "invalid"),
    "agent-outcome": (replace(ZERO, response_status="failed", agent_failure_kind="unknown"), "invalid"),
    "response-failed": (replace(ZERO, response_status="failed", response_error="Pi exited with code 3"), "invalid"),
    "verifier-error": (replace(ZERO, verifier_error="Verifier timed out after 900 seconds"), "invalid"),
    "run-error": (replace(ZERO, run_error="SandboxError: no sandbox"), "invalid"),
    "reward": (ZERO, "graded"),
}


def test_every_row_has_a_case() -> None:
    assert list(CASES) == [rule.id for rule in STATE_RULES]


@pytest.mark.parametrize("rule", CASES)
def test_row(rule: str) -> None:
    facts, state = CASES[rule]
    decided, by, reasons = state_and_rule(facts)
    assert (decided, by) == (state, rule)
    assert reasons[0].text.endswith(".")


@pytest.mark.parametrize("rule", CASES)
def test_row_is_needed(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, state = CASES[rule]
    monkeypatch.setattr(grading_state, "STATE_RULES", tuple(one for one in STATE_RULES if one.id != rule))
    decided, by, _ = state_and_rule(facts)
    assert by != rule
    assert (decided, by) != (state, rule)


def test_precedence_and_all_causes() -> None:
    facts = replace(ZERO, mask_sample=True, failure_kind="session_lost", agent_timed_out=True)
    state, reasons = state_of(facts)
    assert state == "masked"
    said = " ".join(reason.text for reason in reasons)
    assert "mask_sample" in said
    assert "session_lost" in said
    assert "agent_timed_out" in said
    assert PRECEDENCE == ("unreadable", "not_graded", "masked", "invalid", "graded")


def test_each_state_gives_way_to_the_ones_before_it() -> None:
    everything = GradeFacts(
        has_reward=True, reward=0.0, failure_kind="session_lost", mask_sample=True, unreadable="it is torn"
    )
    readable = replace(everything, unreadable=None)
    unmasked = replace(readable, mask_sample=None)
    states = [
        state_of(everything)[0],
        state_of(replace(readable, has_reward=False, reward=None))[0],
        state_of(readable)[0],
        state_of(unmasked)[0],
        state_of(replace(unmasked, failure_kind=None))[0],
    ]
    assert tuple(states) == PRECEDENCE


def test_a_missing_reward_is_not_graded_even_when_masked_or_failed() -> None:
    assert state_of(GradeFacts(mask_sample=True, failure_class="kill_shaped"))[0] == "not_graded"


@pytest.mark.parametrize(
    "reason", ["empty_final_answer", "final_answer_too_long: 9 characters exceeds 3", "gold_execution_error"]
)
def test_a_failure_reason_alone_never_makes_it_invalid(reason: str) -> None:
    assert state_of(replace(ZERO, failure_reason=reason))[0] == "graded"


@pytest.mark.parametrize("status", [None, "completed", "incomplete"])
def test_limits_are_graded(status: str | None) -> None:
    assert state_of(replace(ZERO, response_status=status, agent_timed_out=True))[0] == "graded"


@pytest.mark.parametrize("kind", INVALIDATING_KINDS)
def test_every_registered_kind_is_invalid(kind: str) -> None:
    assert state_of(replace(ZERO, failure_kind=kind))[0] == "invalid"
    assert state_of(replace(ZERO, failure_class=kind, failure_record_kind=kind))[0] == "invalid"


def test_a_400_is_verified_by_default() -> None:
    facts = replace(ZERO, response_status="failed", agent_failure_kind="model_request_error", agent_status_code=400)
    state, reasons = state_of(facts)
    assert state == "graded"
    assert any("400" in reason.text for reason in reasons)
    assert state_of(replace(facts, agent_status_code=503))[0] == "invalid"


@pytest.mark.parametrize("status", ["failed", "error", "cancelled"])
def test_every_word_for_a_failed_response_is_invalid(status: str) -> None:
    assert state_of(replace(ZERO, response_status=status))[0] == "invalid"


def test_an_error_of_the_response_is_invalid_whatever_its_status() -> None:
    error = {"code": "server_error", "message": "upstream closed"}
    state, reasons = state_of(facts_of(row(0.0, response_status="completed", response_error=error)))
    assert state == "invalid"
    assert "upstream closed" in reasons[0].text
    assert state_of(facts_of(row(0.0, response_error=None)))[0] == "graded"


def test_an_agent_outcome_without_a_kind_is_a_failed_run() -> None:
    state, reasons = state_of(facts_of(row(0.0, agent_outcome={"unreadable": "{"})))
    assert state == "invalid"
    assert "without naming its kind" in reasons[0].text


CAVEAT_CASES: dict[str, tuple[GradeFacts, str]] = {
    "capture-mask": (replace(ZERO, mask_sample=True, capture_mask_row="multi-chain-fallback"), "token capture"),
    "policy-verified": (
        replace(ZERO, response_status="failed", agent_failure_kind="model_request_error", agent_status_code=400),
        "default outcome policy",
    ),
    "agent-timed-out": (replace(ZERO, agent_timed_out=True), "deadline"),
    "placeholder-response": (replace(ZERO, placeholder_response=True), "placeholder"),
    "unknown-failure-kind": (replace(ZERO, failure_kind="mine:odd"), "not decided by the records"),
}


def test_every_caveat_has_a_case() -> None:
    assert list(CAVEAT_CASES) == [rule.id for rule in CAVEATS]


@pytest.mark.parametrize("rule", CAVEAT_CASES)
def test_caveat_says_its_sentence_and_changes_no_state(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, phrase = CAVEAT_CASES[rule]
    state, reasons = state_of(facts)
    assert state == "graded"
    assert any(phrase in reason.text for reason in reasons)
    monkeypatch.setattr(grading_state, "CAVEATS", tuple(one for one in CAVEATS if one.id != rule))
    assert not any(phrase in reason.text for reason in state_of(facts)[1])


@pytest.mark.parametrize(
    ("capture", "row_id"),
    [
        (None, None),
        (MULTI_CHAIN, "multi-chain-fallback"),
        (CLEAN_CHAIN, None),
        ({"error": "nothing recorded"}, "build-error"),
        (
            {"terminal_attribution": {"method": "response_id", "chain": "delivered"}, "generated_tokens_delivered": 9},
            None,
        ),
        ({"terminal_attribution": {"method": "response_id", "chain": "broken"}}, "attributed-not-delivered"),
        ({"capture_incomplete": True}, "snapshot-incomplete"),
        ({}, None),
    ],
)
def test_mask_row_of_token_capture(capture: dict[str, Any] | None, row_id: str | None) -> None:
    assert capture_mask_row(capture) == row_id


def test_a_mask_that_token_capture_explains_leaves_the_grade() -> None:
    explained = facts_of(row(0.0, mask_sample=True, token_capture=MULTI_CHAIN))
    other = facts_of(row(0.0, mask_sample=True, token_capture=CLEAN_CHAIN))
    assert state_of(explained)[0] == "graded"
    assert state_of(other)[0] == "masked"
    assert (
        state_of(facts_of(row(1.0, mask_sample=True, instance_mask_sample=True, token_capture=MULTI_CHAIN)))[0]
        == "masked"
    )


def test_generation_only_row_is_masked() -> None:
    assert state_of(facts_of(row(0.0, mask_sample=True)))[0] == "masked"


def test_sidecar_rows() -> None:
    older = record(failure_class="timeout_exceeded", message="900s", generation="older")
    state, reasons = state_of(facts_of(row(0.0), older))
    assert state == "invalid"
    assert "timeout_exceeded" in reasons[0].text
    assert "900s" in reasons[0].text
    assert any("placeholder" in reason.text for reason in reasons)
    newer = record(failure_class="unknown", failure_kind="unknown", stage="agent", message="503 busy")
    assert state_of(facts_of(None, newer))[0] == "not_graded"
    kept = record(failure_class="judge_failed", judge_error="TimeoutError: judge", has_real_response=True)
    state, reasons = state_of(facts_of(row(None, output_texts=("4",)), kept))
    assert state == "not_graded"
    assert any("judge call failed" in reason.text for reason in reasons)


def test_a_session_store_has_no_verifier_result() -> None:
    state, reasons = state_of(facts_of(None))
    assert state == "not_graded"
    assert reasons[0].text == "No verifier result is recorded beside this session."
