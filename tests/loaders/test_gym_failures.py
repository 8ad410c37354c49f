"""The failures sidecar, both generations (gym-semantics 1.3, appendix A.1 and A.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_evidence import bundle, invocation
from tests.loaders.gym_files import codes, one, opened, write
from tests.samples.gym_rows import failure_newer, failure_older, message, response

from rollout_loaders.model import FailureRecord, Rollout

Json = dict[str, Any]


def record(rollout: Rollout) -> FailureRecord:
    (failure,) = rollout.evidence.failures
    return failure


def test_an_older_row_keeps_its_class_and_words(tmp_path: Path) -> None:
    rollout = one(tmp_path, failure_older(7, 0, "timeout_exceeded", "900s", True), "failures")
    failure = record(rollout)
    assert (rollout.id, rollout.source.format) == ("7-0", "gym-failures")
    assert (failure.generation, failure.failure_class, failure.message) == ("older", "timeout_exceeded", "900s")
    assert (failure.terminal, failure.failure_kind, failure.stage) == (True, None, None)


def test_a_newer_row_is_read_from_its_record(tmp_path: Path) -> None:
    row = failure_newer(7, 0, 1, "unknown", "agent", "Context overflow recovery failed: 503 busy")
    row["_ng_failure_record"]["http_status"] = 503
    row["_ng_failure_record"]["exception_type"] = "ClientError"
    rollout = one(tmp_path, row, "failures")
    failure = record(rollout)
    assert rollout.id == "7-0-a1"
    assert (failure.generation, failure.failure_class, failure.failure_kind) == ("newer", "unknown", "unknown")
    assert (failure.stage, failure.message) == ("agent", "Context overflow recovery failed: 503 busy")
    assert (failure.terminal, failure.http_status, failure.exception_type) == (False, 503, "ClientError")
    assert failure.delivery == "delivered"


def test_aliases_stand_in_for_a_missing_record(tmp_path: Path) -> None:
    row = failure_newer(1, 0, 0, "agent_timeout", "agent", "late")
    row["_ng_failure_kind"], row["_ng_failure_stage"] = "agent_timeout", "agent"
    row["_ng_failure_http_status"], row["_ng_failure_type"] = 504, "TimeoutError"
    del row["_ng_failure_record"]
    failure = record(one(tmp_path, row, "failures"))
    assert (failure.failure_kind, failure.stage, failure.http_status) == ("agent_timeout", "agent", 504)
    assert (failure.exception_type, failure.message, failure.generation) == ("TimeoutError", "late", "newer")


def test_a_record_that_alone_names_the_episode_names_the_rollout(tmp_path: Path) -> None:
    row = failure_newer(7, 2, 3, "unknown", "agent", "x")
    for key in ("_ng_task_index", "_ng_rollout_index", "_ng_attempt_index"):
        del row[key]
    rollout = one(tmp_path, row, "failures")
    assert rollout.id == "7-2-a3"
    assert (rollout.task.task_index, rollout.task.rollout_index, rollout.task.attempt) == (7, 2, 3)


@pytest.mark.parametrize("name", ["judge_failed", "judge_invalid"])
def test_a_kept_generation_is_the_conversation(tmp_path: Path, name: str) -> None:
    row = failure_older(0, 0, name, "judge down", False) | {"response": response([message("4")])}
    row["_ng_failure_judge_error"] = "ClientError: 503"
    rollout = one(tmp_path, row, "failures")
    assert record(rollout).has_real_response
    assert record(rollout).judge_error == "ClientError: 503"
    assert rollout.scored.final_text == "4"
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("4", True)


@pytest.mark.parametrize("name", ["timeout_exceeded", "agent_run_error", "unknown", "judge_unparseable"])
def test_a_placeholder_is_a_stored_part_and_never_an_answer(tmp_path: Path, name: str) -> None:
    row = failure_older(0, 0, name, "x", True) | {"response": response([message("placeholder text")])}
    rollout = one(tmp_path, row, "failures")
    assert not record(rollout).has_real_response
    assert (rollout.scored.items, rollout.scored.final_text) == ((), None)
    assert (rollout.final_answer.text, rollout.final_answer.stands) == (None, False)
    assert name in (rollout.final_answer.because or "")
    assert rollout.root is not None
    assert rollout.root.turns == ()
    assert [part.data["id"] for part in rollout.root.parts if part.id == "output[0]"] == ["msg-0"]
    assert rollout.evidence.row is not None
    assert rollout.evidence.row.output_texts == ()


@pytest.mark.parametrize("key", ["_ng_failure_response", "_ng_failure_partial_response"])
def test_a_kept_partial_response_is_evidence_only_and_said(tmp_path: Path, key: str) -> None:
    row = failure_newer(0, 0, 0, "agent_timeout", "agent", "x") | {key: response([message("part of it")])}
    rollout = one(tmp_path, row, "failures")
    assert rollout.final_answer.text is None
    assert key in rollout.notes[0].text
    assert rollout.root is not None
    assert [part.id for part in rollout.root.parts if part.id == key] == [key]


def test_observations_of_a_failed_attempt_are_shown_and_its_answer_does_not_stand(tmp_path: Path) -> None:
    row = failure_newer(0, 0, 0, "unknown", "agent", "x")
    row["ng_agent_observations"] = bundle(invocation("ses_1", [message("so far", "prt")]))
    rollout = one(tmp_path, row, "failures")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("so far", False)


def test_other_lines_are_diagnostics(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollouts_failures.jsonl", {"reward": 1.0}, failure_older(0, 0, "transient", "x", False), "{"
    )
    file = opened(path, "failures")
    assert [rollout.id for rollout in file.rollouts()] == ["0-0"]
    assert [d.locator for d in file.diagnostics()] == ["L1", "L3"]


def test_attempts_without_a_number_repeat_one_identity(tmp_path: Path) -> None:
    row = failure_older(0, 0, "transient", "x", False)
    first, second = opened(write(tmp_path / "f_failures.jsonl", row, row), "failures").rollouts()
    assert (first.id, second.id) == ("L1", "L2")
    assert codes(first) == codes(second) == ["identity-repeated"]


def test_an_omitted_row_is_a_record_of_its_own(tmp_path: Path) -> None:
    failure = record(one(tmp_path, {"_ng_omitted": True, "_ng_task_index": 0, "_ng_rollout_index": 0}, "failures"))
    assert failure.failure_class == "omitted"
    assert failure.extra["_ng_omitted"] is True
