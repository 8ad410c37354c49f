"""Health checks, one by one, and when they are unobserved (gym-semantics 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.factories import rollout, turn

from rollout_loaders.evidence.health import health_of
from rollout_loaders.evidence.health_checks import CHECKS
from rollout_loaders.model import (
    CallRef,
    Diagnostic,
    Evidence,
    Gap,
    Health,
    ModelCall,
    RecordedHealth,
    RecordedTurn,
    Rollout,
    RowRecord,
    Usage,
)

ROW = RowRecord(reward=1.0, reward_literal=None, has_reward=True)
TURN = RecordedTurn("ses_1", 1, "msg_1", ("because",), ("4",), ())
REF = CallRef("c1", None, None, owner="turn", invocation_id="ses_1", turn=1)
CALL = ModelCall(
    "c1",
    0,
    model_ref="responses_api_models/policy",
    status_code=200,
    completed_at="2026-01-05T10:00:00Z",
    tokens_in=100,
    tokens_out=20,
    response_captured=True,
    response_text="4",
    source="ng_trajectory",
)


def checked(**fields: Any) -> Rollout:
    """A healthy row, and what the test changes of it."""
    usage = fields.pop("usage", Usage(input=100, output=20))
    diagnostics = fields.pop("diagnostics", ())
    values: dict[str, Any] = {
        "row": ROW,
        "trajectory_state": "valid",
        "recorded_turns": (TURN,),
        "call_refs": (REF,),
        "model_calls": (CALL,),
    }
    gaps = tuple(Gap(code) for code in fields.pop("gaps", ()))
    values["trajectory_gaps"] = gaps
    evidence = Evidence(**{**values, **fields})
    return rollout(turn(1, answer="4"), evidence=evidence, usage=usage, diagnostics=diagnostics)


def health(**fields: Any) -> Health:
    return health_of(checked(**fields))


def ids(found: Health) -> list[str]:
    return [check.check for check in found.findings]


def test_a_whole_record_is_healthy() -> None:
    assert health() == Health(verdict="healthy", source="computed")


def test_a_session_store_has_no_verdict() -> None:
    assert health_of(rollout(turn(1))).verdict is None


def test_recorded_health_wins_and_unknown_checks_stay() -> None:
    recorded = RecordedHealth(
        "unhealthy",
        ({"check": "model_call_smells", "detail": {"status": 503, "kind": "x"}, "locator": {"call_id": "c9"}},),
        ("agent_turn_hollow",),
    )
    found = health(recorded_health=recorded)
    assert (found.verdict, found.source, found.unobserved) == ("unhealthy", "recorded", ("agent_turn_hollow",))
    assert [(check.check, check.detail, check.locator) for check in found.findings] == [
        ("model_call_smells", "status=503, kind=x", "call_id=c9")
    ]


ALL = {
    "rollout_missing_agent_turns",
    "agent_turn_hollow",
    "rollout_ended_on_failed_model_call",
    "model_call_zero_completion_tokens",
    "model_call_missing_token_counts",
    "trajectory_capture_mismatch",
    "rollout_token_count_mismatch",
    "model_call_runaway_generation",
}
OF_TURNS = {"rollout_missing_agent_turns", "agent_turn_hollow"}


@pytest.mark.parametrize(
    ("gaps", "unobserved"),
    [
        (("trajectory_projection_failed",), ALL),
        (("turns_unavailable",), OF_TURNS),
        (("model_calls_unavailable",), ALL - OF_TURNS),
        (("model_call_capture_incomplete",), ALL - OF_TURNS),
        (("model_call_capture_records_unreadable",), ALL - OF_TURNS),
        (("model_call_capture_unreadable",), ALL - OF_TURNS),
        (("turn_model_call_scope_incomplete",), {"rollout_token_count_mismatch"}),
    ],
)
def test_preconditions(gaps: tuple[str, ...], unobserved: set[str]) -> None:
    found = health(gaps=gaps)
    assert set(found.unobserved) == unobserved
    assert found.verdict == "unobserved"


def test_a_row_without_a_trajectory_is_unobserved() -> None:
    assert set(health(trajectory_state=None).unobserved) == ALL


def test_record_unreadable() -> None:
    assert ids(health(trajectory_state="invalid")) == ["record_unreadable"]


def test_rollout_duplicate_identity() -> None:
    said = (Diagnostic("identity-repeated", "rows 3 and 7 share task 1, rollout 0", "L7"),)
    assert ids(health(diagnostics=said)) == ["rollout_duplicate_identity"]


def test_rollout_missing_agent_turns() -> None:
    bare = replace(TURN, answer=())
    assert ids(health(recorded_turns=(bare,))) == []
    owner = replace(REF, owner="invocation")
    assert ids(health(recorded_turns=(bare,), call_refs=(owner,))) == ["rollout_missing_agent_turns"]
    assert ids(health(recorded_turns=(replace(bare, tool_names=("bash",)),), call_refs=(owner,))) == []


def test_agent_turn_hollow() -> None:
    hollow = RecordedTurn("ses_1", 2, "msg_2", (), ("  ",), ())
    found = health(recorded_turns=(TURN, hollow))
    assert [(check.check, check.locator) for check in found.findings] == [("agent_turn_hollow", "ses_1/turn:2")]
    assert ids(health(recorded_turns=(TURN, replace(hollow, tool_names=("bash",))))) == []


FAILED = replace(CALL, call_id="c2", index=1, status_code=503, completed_at="2026-01-05T10:05:00Z")
ENDED = "rollout_ended_on_failed_model_call"


def test_ended_on_a_failed_call() -> None:
    assert ENDED in ids(health(model_calls=(CALL, FAILED)))
    recovered = replace(FAILED, completed_at="2026-01-05T09:00:00Z")
    assert ENDED not in ids(health(model_calls=(CALL, recovered)))
    assert ENDED not in ids(health(model_calls=(CALL, replace(FAILED, completed_at=None))))
    alone = replace(FAILED, completed_at=None)
    assert ENDED in ids(health(model_calls=(alone,)))
    judge = replace(FAILED, model_ref="responses_api_models/judge")
    assert ENDED in ids(health(model_calls=(CALL, judge)))


@pytest.mark.parametrize(
    "wrong", [{"status_code": 400}, {"error_category": "timeout"}, {"response_status": "cancelled"}]
)
def test_what_counts_as_a_failed_call(wrong: dict[str, Any]) -> None:
    assert ENDED in ids(health(model_calls=(replace(CALL, **wrong),)))


def test_requests_beside_an_artifact_are_no_capture() -> None:
    assert ENDED in health(model_calls=(replace(FAILED, source="requests.jsonl"),)).unobserved


REJECTED: dict[str, Any] = {
    "upstream_attempted": True,
    "upstream_status_code": 400,
    "local_response_reason": "context_length_exceeded",
}


def test_zero_completion_tokens() -> None:
    zero = replace(CALL, tokens_out=0)
    assert "model_call_zero_completion_tokens" in ids(health(model_calls=(zero,)))
    assert "model_call_zero_completion_tokens" not in ids(health(model_calls=(replace(zero, **REJECTED),)))
    assert "model_call_zero_completion_tokens" not in ids(health(model_calls=(replace(CALL, tokens_out=None),)))


def test_missing_token_counts() -> None:
    found = health(model_calls=(replace(CALL, tokens_in=None),))
    assert [check.detail for check in found.findings] == ["missing prompt_tokens"]
    assert "model_call_missing_token_counts" not in ids(
        health(model_calls=(replace(CALL, tokens_in=None, **REJECTED),))
    )


def test_trajectory_capture_mismatch() -> None:
    check = "trajectory_capture_mismatch"
    lost = replace(REF, model_call_id="c9")
    assert [one.detail for one in health(call_refs=(REF, lost)).findings] == ["missing_captured_call"]
    twice = (CALL, replace(CALL, index=1))
    assert check in ids(health(model_calls=twice))
    assert check in ids(health(gaps=("model_call_reference_conflict",)))
    assert check in health(call_refs=()).unobserved


def test_a_reference_by_model_and_response() -> None:
    ref = CallRef(None, "resp_1", "responses_api_models/policy", owner="turn")
    call = replace(CALL, response_id="resp_1")
    assert ids(health(call_refs=(ref,), model_calls=(call,))) == []
    other = replace(ref, model_ref="responses_api_models/other")
    assert ids(health(call_refs=(other,), model_calls=(call,))) == ["trajectory_capture_mismatch"]


def test_rollout_token_count_mismatch() -> None:
    found = health(usage=Usage(input=100, output=19))
    assert [(one.check, one.detail) for one in found.findings] == [
        ("rollout_token_count_mismatch", "transcript 100 in, 19 out; capture 100 in, 20 out")
    ]
    assert "rollout_token_count_mismatch" in health(usage=Usage()).unobserved


@pytest.mark.parametrize("reason", ["length", "max_output_tokens", "max_tokens"])
def test_runaway_generation(reason: str) -> None:
    cut = replace(CALL, finish_reason=reason, response_text=None)
    assert "model_call_runaway_generation" in ids(health(model_calls=(cut,)))
    assert ids(health(model_calls=(replace(cut, response_reasoning="so"),))) == []
    lost = replace(cut, response_captured=False)
    assert "model_call_runaway_generation" in health(model_calls=(lost,)).unobserved


def test_every_check_of_the_table_is_known() -> None:
    computed = {check.id for check in CHECKS.values() if check.computed}
    assert computed == ALL | {"record_unreadable", "rollout_duplicate_identity"}
    known = {check.id for check in CHECKS.values() if not check.computed}
    assert known == {
        "check_execution_error",
        "model_call_failed",
        "model_call_last_failed",
        "task_consistently_unhealthy",
        "task_no_successful_model_calls",
    }
