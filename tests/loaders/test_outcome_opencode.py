"""OpenCode's outcome: CONTRACT 3, gym-semantics 4.4."""

from __future__ import annotations

from typing import Any

import pytest

from rollout_loaders.evidence.outcome_opencode import RUN_RULES, outcome
from rollout_loaders.model import Evidence, Invocation, Outcome, Rollout, RunResult, SourceRef, Turn
from rollout_loaders.terminal_status import TERMINAL_RULES

ERROR = {"name": "APIError", "message": "503 busy", "status_code": 503}


def last(finish: str | None = "stop", completed: bool = True, error: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": "msg_2", "finish": finish, "completed": completed, "error": error, "summary": False, **more}


def judged(message: dict[str, Any] | None, result: RunResult | None = None, *children: Invocation) -> Outcome:
    root = Invocation("ses_1", turns=(Turn(1, "msg_1"), Turn(2, "msg_2")))
    evidence = Evidence(last_message=message, run_result=result)
    return outcome(
        Rollout("ses_1", SourceRef("a.db", "opencode-sqlite"), invocations=(root, *children), evidence=evidence)
    )


OK = RunResult(0, False, None)

ROWS: list[tuple[str, dict[str, Any] | None, RunResult | None, str, bool | None]] = [
    ("stop-completed", last(), None, "completed", True),
    ("stop-not-completed", last(completed=False), None, "incomplete", True),
    ("finish-limit", last("length"), None, "incomplete", True),
    ("finish-limit", last("content-filter"), None, "incomplete", True),
    ("finish-limit", last("tool-calls"), None, "incomplete", True),
    ("no-finish", last(None), None, "incomplete", True),
    ("no-finish", last(None, completed=False), None, "incomplete", True),
    ("finish-other", last("unknown"), None, "failed", None),
    ("last-message-error", last(error=ERROR), None, "failed", None),
    ("last-message-error", last(error={**ERROR, "status_code": 400}), None, "failed", True),
    ("last-message-error", last("content-filter", error={"name": "ContentFilterError"}), None, "failed", None),
    ("no-assistant-message", None, None, "unknown", None),
    ("last-message-unreadable", last(unreadable=True), None, "unknown", None),
    ("record-cut-off", last(doubt="the export is cut off at byte 9"), None, "unknown", None),
    ("runner-error", last(), RunResult(0, False, "sandbox lost"), "failed", None),
    ("exit-code", last(), RunResult(1, False, None), "failed", None),
    ("exit-code", last(error=ERROR), RunResult(-9, False, None), "failed", None),
    ("timeout", last(None, completed=False), RunResult(-9, True, None), "incomplete", True),
    ("timeout", None, RunResult(None, True, None), "incomplete", True),
    ("stop-completed", last(), OK, "completed", True),
    ("last-message-error", last(error=ERROR), OK, "failed", None),
]


@pytest.mark.parametrize(("rule", "message", "result", "status", "graded"), ROWS)
def test_rows(
    rule: str, message: dict[str, Any] | None, result: RunResult | None, status: str, graded: bool | None
) -> None:
    found = judged(message, result)
    assert (found.rule, found.status, found.graded) == (rule, status, graded)
    assert found.because
    assert found.because[0].text


def test_every_rule_has_a_row() -> None:
    assert {row[0] for row in ROWS} == {rule.id for rule in RUN_RULES} | {rule.id for rule in TERMINAL_RULES}


def test_an_input_that_is_not_there_is_named() -> None:
    assert any("no result.json" in reason.text for reason in judged(last()).because)
    assert not any("no result.json" in reason.text for reason in judged(last(), OK).because)


def test_where_the_deciding_message_stands() -> None:
    (reason, *_) = judged(last()).because
    assert reason.where is not None
    assert (reason.where.invocation, reason.where.turn) == ("ses_1", 2)
    assert reason.rests_on == "message:msg_2"


def test_a_recovered_overflow_that_exits_1_fails_and_the_events_reading_says_completed() -> None:
    """formats 1.6 and trap 16."""
    found = judged(last(), RunResult(1, False, None))
    assert found.status == "failed"
    assert {reading.reading: reading.status for reading in found.readings}["events"] == "completed"
    assert any("events themselves show completed" in reason.text for reason in found.because)


def test_gyms_other_modes() -> None:
    """gym-semantics 4.4: default mode fails on any assistant error, and its run result overwrites the root's status."""
    readings = {r.reading: r.status for r in judged(last(any_error="msg_1", any_completed=True)).readings}
    assert readings == {"gym-default-mode": "failed", "gym-session-response": "failed"}
    readings = {r.reading: r.status for r in judged(last(any_error="msg_1"), OK).readings}
    assert readings["gym-default-mode"] == "completed"
    readings = {r.reading: r.status for r in judged(last(None, any_completed=True)).readings}
    assert readings == {"gym-default-mode": "completed", "gym-session-response": "failed"}
    readings = {r.reading: r.status for r in judged(last("length", any_completed=True)).readings}
    assert readings == {"gym-default-mode": "completed", "gym-session-response": "incomplete"}


def test_an_earlier_error_and_a_childs_error_do_not_fail_the_root() -> None:
    found = judged(last(any_error="msg_1"), None, Invocation("ses_2", parent_id="ses_1", status="failed"))
    assert found.status == "completed"
    said = " ".join(reason.text for reason in found.because)
    assert "a child's error does not fail the root" in said
    assert "msg_1, ended with an error" in said


def test_the_error_text_and_what_was_recorded() -> None:
    found = judged(last(error=ERROR), RunResult(0, False, None))
    assert found.error == "503 busy"
    assert found.recorded["last_message"] == {"id": "msg_2", "finish": "stop", "completed": True, "error": "APIError"}
    assert judged(last(), RunResult(7, False, None)).error == "OpenCode exited with code 7"
