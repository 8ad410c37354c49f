"""How a row says its run ended: every rule of the table (gym-semantics 1.3, 2, 6.1 to 6.4)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_files import one
from tests.samples.gym_rows import failure_newer, failure_older, message, response, row

from rollout_loaders.evidence.outcome_row import ROW_RULES, outcome
from rollout_loaders.model import FailureRecord, Outcome

Json = dict[str, Any]
ERROR = {"code": "server_error", "message": "503 busy"}


def ended(tmp_path: Path, fields: Json | None = None, **envelope: Any) -> Outcome:
    made = row(0, 0, [], **(fields or {}))
    made["response"] = {**response([message("4")]), **envelope}
    return outcome(one(tmp_path, made))


def agent(kind: str | None, code: int | None) -> Json:
    return {"ng_agent_outcome": json.dumps({"failure_kind": kind, "status_code": code})}


def said(made: Outcome) -> tuple[str, str, str | None, bool | None]:
    return made.rule, made.status, made.failure_kind, made.graded


@pytest.mark.parametrize(
    ("fields", "envelope", "expected"),
    [
        ({}, {"status": "completed"}, ("row-completed", "completed", None, True)),
        ({}, {"status": "incomplete"}, ("row-incomplete", "incomplete", None, True)),
        (
            {},
            {"status": None, "incomplete_details": {"reason": "max_output_tokens"}},
            ("row-incomplete", "incomplete", None, True),
        ),
        ({}, {"status": "failed", "error": ERROR}, ("row-status-failed", "failed", None, True)),
        ({}, {"status": "cancelled"}, ("row-status-failed", "failed", None, True)),
        ({}, {"status": "completed", "error": ERROR}, ("row-error", "failed", None, True)),
        (
            {},
            {"status": "failed", "metadata": agent("model_request_error", 400)},
            ("row-agent-outcome", "failed", "model_request_error", True),
        ),
        ({}, {"status": "failed", "metadata": agent(None, None)}, ("row-agent-outcome", "failed", "unknown", True)),
        (
            {"failure_kind": "provider_unavailable"},
            {},
            ("row-failure-kind", "failed", "provider_unavailable", True),
        ),
        ({"failure_kind": "judge_unparseable"}, {}, ("row-completed", "completed", "judge_unparseable", True)),
        ({"agent_timed_out": True}, {}, ("row-timed-out", "incomplete", None, True)),
        ({}, {"metadata": {"agent_timed_out": "true"}}, ("row-timed-out", "incomplete", None, True)),
        ({}, {"status": "in_progress"}, ("row-status-other", "unknown", None, True)),
        ({}, {"status": None}, ("row-no-status", "unknown", None, True)),
        ({"reward": None}, {"status": None}, ("row-no-status", "unknown", None, None)),
        ({"reward": None}, {}, ("row-completed", "completed", None, True)),
    ],
)
def test_rows(tmp_path: Path, fields: Json, envelope: Json, expected: tuple[str, str, str | None, bool | None]) -> None:
    made = ended(tmp_path, fields, **envelope)
    assert said(made) == expected
    assert made.because[0].rests_on == next(rule.rests_on for rule in ROW_RULES if rule.id == made.rule)


@pytest.mark.parametrize(
    ("code", "kind", "has_reward", "action", "graded"),
    [
        (400, "model_request_error", False, "verify", True),
        (None, "unknown", False, "retry", False),
        (503, "model_request_error", False, "unknown", None),
        (503, "model_request_error", True, "unknown", True),
    ],
)
def test_policy_by_the_known_defaults_and_a_reward_as_proof(
    tmp_path: Path, code: int | None, kind: str, has_reward: bool, action: str, graded: bool | None
) -> None:
    fields = {} if has_reward else {"reward": None}
    made = ended(tmp_path, fields, status="failed", metadata=agent(kind, code))
    assert (made.policy.action, made.graded) == (action, graded)


@pytest.mark.parametrize(
    ("sidecar", "expected", "action"),
    [
        (
            failure_newer(0, 0, 0, "provider_unavailable", "agent", "503"),
            ("sidecar-failed", "failed", "provider_unavailable", False),
            "retry",
        ),
        (
            failure_older(0, 0, "timeout_exceeded", "900s", True),
            ("sidecar-failed", "failed", "timeout_exceeded", False),
            "fail",
        ),
        (failure_older(0, 0, "skipped", "no image", True), ("sidecar-omitted", "unknown", "skipped", False), "fail"),
        (
            failure_older(0, 0, "judge_failed", "503", False) | {"response": response([message("4")])},
            ("sidecar-verifier", "failed", "judge_failed", False),
            "retry",
        ),
    ],
)
def test_sidecar_records_of_both_generations(
    tmp_path: Path, sidecar: Json, expected: tuple[str, str, str | None, bool | None], action: str
) -> None:
    made = outcome(one(tmp_path, sidecar, "failures"))
    assert said(made) == expected
    assert made.policy.action == action
    assert made.error


def test_a_sidecar_record_that_does_not_say_whether_it_is_final_leaves_the_policy_open(tmp_path: Path) -> None:
    sidecar = failure_older(0, 0, "transient", "x", False)
    del sidecar["_ng_failure_terminal"]
    assert outcome(one(tmp_path, sidecar, "failures")).policy.action == "unknown"


def test_a_kept_generation_gives_the_reading_of_the_run_itself(tmp_path: Path) -> None:
    sidecar = failure_older(0, 0, "judge_failed", "503", False) | {"response": response([message("4")])}
    (reading,) = outcome(one(tmp_path, sidecar, "failures")).readings
    assert (reading.reading, reading.status) == ("recorded", "completed")


def test_a_placeholder_gives_no_reading(tmp_path: Path) -> None:
    sidecar = failure_older(0, 0, "transient", "x", False) | {"response": response([message("4")])}
    assert outcome(one(tmp_path, sidecar, "failures")).readings == ()


def test_a_later_failed_attempt_decides_over_the_row(tmp_path: Path) -> None:
    rollout = one(tmp_path, row(0, 0, [message("4")]))
    failure = FailureRecord("unknown", "unknown", "agent", "503", False, None, None, None, "newer")
    made = outcome(replace(rollout, evidence=replace(rollout.evidence, failures=(failure,))))
    assert said(made) == ("row-later-attempt-failed", "failed", "unknown", False)
    assert [(r.reading, r.status, r.graded) for r in made.readings] == [
        ("row", "completed", True),
        ("recorded", "completed", None),
    ]


def test_what_the_record_says_stands_beside_what_the_rules_give(tmp_path: Path) -> None:
    made = ended(tmp_path, {"agent_timed_out": True}, status="completed")
    assert [(r.reading, r.status) for r in made.readings] == [("recorded", "completed")]
    assert made.recorded == {"status": "completed", "agent_timed_out": True}


def test_an_unreadable_agent_outcome_is_a_failure_of_unknown_kind(tmp_path: Path) -> None:
    made = ended(tmp_path, {}, status="failed", metadata={"ng_agent_outcome": "no json"})
    assert said(made) == ("row-agent-outcome", "failed", "unknown", True)


def test_every_rule_has_a_row_here() -> None:
    tested = {
        *("row-later-attempt-failed", "sidecar-omitted", "sidecar-verifier", "sidecar-failed", "row-agent-outcome"),
        *("row-status-failed", "row-error", "row-failure-kind", "row-timed-out", "row-incomplete", "row-completed"),
        *("row-status-other", "row-no-status"),
    }
    assert {rule.id for rule in ROW_RULES} == tested
