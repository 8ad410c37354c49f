"""Pi's decision table: every row of gym-semantics 5.4, and what CONTRACT 3 adds to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.pi_logs import (
    Event,
    assistant,
    call,
    end,
    entry,
    event,
    header,
    outcome_line,
    read_log,
    read_session,
    run,
    text,
    tool_result,
    user,
)

from rollout_loaders.evidence import outcome_pi
from rollout_loaders.evidence.outcome_pi import ROWS, outcome
from rollout_loaders.model import Evidence, Outcome, PiLog, Rollout, RunResult, SourceRef

OVERFLOW = "400 This model's maximum context length is 49152 tokens."
COMPACTION_503 = "Context overflow recovery failed: 503 overloaded"
VERDICT = "Context overflow recovery failed after one compact-and-retry attempt."

FINE = RunResult(return_code=0, timed_out=False, error=None)
TIMEOUT = replace(FINE, timed_out=True, return_code=-9)


def log(stop: str | None = "stop", **fields: Any) -> PiLog:
    """A log that reached its end; S = None is one without any finished reply."""
    values: dict[str, Any] = {
        "error_message": None, "has_assistant": stop is not None, "context_overflow": False, "outcome_lines": 1,
        "overflow_compaction_failed": False, "compaction_error": None, "ended": True,
    }  # fmt: skip
    return PiLog(stop_reason=stop, **{**values, **fields})


def rollout(pi: PiLog, result: RunResult | None = FINE) -> Rollout:
    return Rollout(id="s", source=SourceRef("events.jsonl", "pi-events"), evidence=Evidence(pi=pi, run_result=result))


def decided(pi: PiLog, result: RunResult | None = FINE) -> Outcome:
    return outcome(rollout(pi, result))


TABLE: list[tuple[str, PiLog, RunResult, str, str | None, str | None, bool | None]] = [
    # rule, log, result, status, error, failure kind, graded: gym-semantics 5.4
    ("pi-1", log("stop"), replace(FINE, error="sandbox lost"), "failed", "sandbox lost", None, False),
    ("pi-2", log(None), FINE, "failed", "Pi produced no assistant result", None, False),
    ("pi-3", log(None), TIMEOUT, "incomplete", None, None, True),
    ("pi-4", log("toolUse"), TIMEOUT, "incomplete", None, None, True),
    ("pi-4", log("stop"), TIMEOUT, "incomplete", None, None, True),
    ("pi-5", log("stop"), FINE, "completed", None, None, True),
    ("pi-6", log("length"), FINE, "incomplete", None, None, True),
    ("pi-6", log("aborted", error_message="Request was aborted"), FINE, "incomplete", None, None, True),
    ("pi-7", log("error", error_message=OVERFLOW, context_overflow=True), FINE, "incomplete", None, None, True),
    (
        "pi-8",
        log(
            "error",
            error_message=OVERFLOW,
            context_overflow=True,
            overflow_compaction_failed=True,
            compaction_error=COMPACTION_503,
        ),
        FINE,
        "failed",
        COMPACTION_503,
        "unknown",
        False,
    ),
    ("pi-9", log("error", error_message="400 bad"), FINE, "failed", "400 bad", "model_request_error", True),
    (
        "pi-9",
        log("error", error_message="503 overloaded"),
        FINE,
        "failed",
        "503 overloaded",
        "model_request_error",
        None,
    ),
    ("pi-9", log("error", error_message="terminated"), FINE, "failed", "terminated", "unknown", False),
    ("pi-10", log("stop"), replace(FINE, return_code=3), "failed", "Pi exited with code 3", None, False),
    ("pi-11", log("toolUse"), FINE, "failed", "Pi ended without a terminal assistant result", None, False),
]


@pytest.mark.parametrize(("rule", "pi", "result", "status", "error", "kind", "graded"), TABLE)
def test_row_of_the_table(
    rule: str, pi: PiLog, result: RunResult, status: str, error: str | None, kind: str | None, graded: bool | None
) -> None:
    found = decided(pi, result)
    assert (found.rule, found.status, found.error, found.failure_kind, found.graded) == (
        rule,
        status,
        error,
        kind,
        graded,
    )


@pytest.mark.parametrize("rule", [row.id for row in ROWS])
def test_each_row_decides_something_that_no_other_row_does(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[PiLog, RunResult | None]] = [(pi, result) for case, pi, result, *_ in TABLE if case == rule]
    if rule == "pi-open":
        cases = [(log("toolUse", ended=False), None)]
    before = [decided(pi, result) for pi, result in cases]
    kept = (*(row for row in ROWS if row.id != rule), replace(ROWS[-1], id="none", status="none"))
    monkeypatch.setattr(outcome_pi, "ROWS", kept)
    after = [decided(pi, result) for pi, result in cases]
    assert cases
    assert all(
        (a.status, a.error, a.failure_kind) != (b.status, b.error, b.failure_kind)
        for a, b in zip(after, before, strict=True)
    )


def test_a_model_limit_keeps_its_row_whatever_the_exit_code() -> None:
    """Row 10 says: not a model limit."""
    pi = log("error", error_message=OVERFLOW, context_overflow=True)
    assert decided(pi, replace(FINE, return_code=1)).rule == "pi-7"


@pytest.mark.parametrize("stop", ["length", "aborted"])
def test_a_reply_that_was_cut_off_is_graded_whatever_the_exit_code(stop: str) -> None:
    """Row 6 asks for no exit code; row 10 is asked of what no limit ended."""
    found = decided(log(stop), replace(FINE, return_code=1))
    assert (found.rule, found.status, found.graded) == ("pi-6", "incomplete", True)


def test_an_error_keeps_its_row_in_a_timeout() -> None:
    """Row 4 holds for any S but error."""
    assert decided(log("error", error_message="503 overloaded"), TIMEOUT).rule == "pi-9"


@pytest.mark.parametrize(("stop", "status"), [("toolUse", "unknown"), (None, "unknown"), ("stop", "completed")])
def test_a_log_that_stops_is_unknown_unless_its_last_reply_ended_the_run(stop: str | None, status: str) -> None:
    """CONTRACT 3: without agent_end after the last agent_start, and without result.json."""
    found = decided(log(stop, ended=False), None)
    assert found.status == status
    assert any("agent_end" in reason.text for reason in found.because)
    if status == "unknown":
        assert found.graded is None
        assert "incomplete" in {reading.status for reading in found.readings}


def test_a_log_that_stops_with_an_error_keeps_its_error() -> None:
    assert decided(log("error", error_message="503 x", ended=False), None).rule == "pi-9"


def test_a_stopped_log_with_a_result_file_follows_the_table() -> None:
    assert decided(log("toolUse", ended=False), TIMEOUT).rule == "pi-4"


def test_missing_outcome_lines_count_as_false_and_the_events_reading_is_given() -> None:
    pi = log("error", error_message=OVERFLOW, context_overflow=None, outcome_lines=0, last_error_overflow_text=True)
    found = decided(pi, None)
    assert (found.status, found.failure_kind, found.policy.action) == ("failed", "model_request_error", "verify")
    events = next(reading for reading in found.readings if reading.reading == "events")
    assert (events.status, events.graded, events.rule) == ("incomplete", True, "pi-7")
    assert any("no ng_pi_outcome" in reason.text for reason in found.because)
    assert any("no result.json" in reason.text for reason in found.because)


def test_an_unknown_cause_is_retried_by_default() -> None:
    pi = log("error", error_message=OVERFLOW, overflow_compaction_failed=True, compaction_error=COMPACTION_503)
    assert decided(pi).policy.action == "retry"


def test_the_result_file_is_recorded() -> None:
    recorded = decided(log("stop"), replace(FINE, extra={"hostname": "n1"})).recorded["result.json"]
    assert recorded == {
        "return_code": 0,
        "timed_out": False,
        "cleanup_confirmed": None,
        "error": None,
        "hostname": "n1",
    }


# -- from events: F, C and their places ------------------------------------------------------------------------------


def refused(message: str = OVERFLOW, *, overflow: bool | None = True) -> list[Event]:
    """A refused reply; its outcome line comes before its message_end (formats 2.3)."""
    line = [] if overflow is None else [outcome_line(overflow)]
    return [*line, end(assistant(error=message))]


def compaction(reason: str = "overflow", *, error: str | None = None, result: bool = True) -> list[Event]:
    fields: Event = {"reason": reason, "aborted": False, "willRetry": False}
    if error is not None:
        fields["errorMessage"] = error
    elif result:
        fields["result"] = {
            "summary": "SUMMARY",
            "firstKeptEntryId": "ab12cd34",
            "tokensBefore": 164,
            "estimatedTokensAfter": 20,
        }
    return [event("compaction_start", reason=reason), event("compaction_end", **fields)]


LONE = event("compaction_end", reason="overflow", aborted=False, willRetry=False, errorMessage=VERDICT)
STEP = [outcome_line(False), end(assistant(text("step"), call("c1"), stop="toolUse")), end(tool_result("c1"))]

EVENT_CASES: list[tuple[str, list[Event], str, str | None]] = [
    ("the overflow's compaction fails", [*refused(), *compaction(error=COMPACTION_503)], "pi-8", COMPACTION_503),
    (
        "it fails on a context limit of its own",
        [*refused(), *compaction(error=f"Context overflow recovery failed: {OVERFLOW}")],
        "pi-8",
        f"Context overflow recovery failed: {OVERFLOW}",
    ),
    (
        "it fails after a no-body 400",
        [*refused("400 status code (no body)", overflow=False), *compaction(error=COMPACTION_503)],
        "pi-8",
        COMPACTION_503,
    ),
    (
        "a no-body 400 alone is no overflow",
        refused("400 status code (no body)", overflow=False),
        "pi-9",
        "400 status code (no body)",
    ),
    ("the retry overflows again", [*refused(), *compaction(), *refused(), LONE], "pi-7", None),
    ("no compaction at all", refused(), "pi-7", None),
    (
        "a failed compaction, then one that works, then an overflow",
        [*refused(), *compaction(error=COMPACTION_503), *compaction(), *refused()],
        "pi-7",
        None,
    ),
    ("a lone end after a failed one resets it", [*refused(), *compaction(error=COMPACTION_503), LONE], "pi-7", None),
    (
        "a failed threshold compaction leaves an answer alone",
        [outcome_line(False), end(assistant(text("4"))), *compaction("threshold", error="Auto-compaction failed: 503")],
        "pi-5",
        None,
    ),
    (
        "a failed threshold compaction is no overflow's",
        [*refused(), *compaction("threshold", error="Auto-compaction failed: 503")],
        "pi-7",
        None,
    ),
    (
        "a start that nothing closes is no failed compaction",
        [*refused(), event("compaction_start", reason="overflow")],
        "pi-7",
        None,
    ),
    (
        "a 429 that the retry gets over",
        [*refused("429 Rate limit", overflow=False), outcome_line(False), end(assistant(text("4")))],
        "pi-5",
        None,
    ),
]


@pytest.mark.parametrize(
    ("events", "rule", "error"), [case[1:] for case in EVENT_CASES], ids=[case[0] for case in EVENT_CASES]
)
def test_events_to_rule(events: list[Event], rule: str, error: str | None, tmp_path: Path) -> None:
    found = outcome(read_log(tmp_path, run(*STEP, *events)))
    assert (found.rule, found.error) == (rule, error)


def test_because_names_the_events_and_their_lines(tmp_path: Path) -> None:
    found = outcome(read_log(tmp_path, run(*refused(), *compaction(error=COMPACTION_503))))
    # header, agent_start, turn_start, prompt, outcome line, reply, compaction_start, compaction_end
    rests = {reason.rests_on for reason in found.because}
    assert {"message_end L6", "ng_pi_outcome L5", "compaction_end L8"} <= rests


def test_an_outcome_line_belongs_to_the_reply_after_it(tmp_path: Path) -> None:
    """A third reply was cut off after its outcome line: the line says nothing about the second."""
    cut = [*refused(), outcome_line(False)]
    found = outcome(read_log(tmp_path, [*run(*STEP)[:-1], *cut]))
    assert found.rule == "pi-9"  # the table reads the last line
    assert ("events", "pi-7") in {(reading.reading, reading.rule) for reading in found.readings}


@pytest.mark.parametrize(
    "words",
    [
        "400 This model's maximum context length is 49152 tokens.",
        '400: {"code":"context_length_exceeded"}',
        "413 prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
def test_an_overflow_by_its_words_gives_the_events_reading(words: str, tmp_path: Path) -> None:
    found = outcome(read_log(tmp_path, run(*refused(words, overflow=None))))
    assert ("events", "incomplete") in {(reading.reading, reading.status) for reading in found.readings}


@pytest.mark.parametrize(
    "words", ["400 status code (no body)", "413 status code (no body)", "429 too many tokens", "503 x"]
)
def test_other_errors_do_not(words: str, tmp_path: Path) -> None:
    found = outcome(read_log(tmp_path, run(*refused(words, overflow=None))))
    assert "events" not in {reading.reading for reading in found.readings}


def test_a_session_file_follows_the_table_over_its_leaf_path(tmp_path: Path) -> None:
    found = outcome(
        read_session(
            tmp_path,
            [header(), entry("a", None, message=user()), entry("b", "a", message=assistant(text("4"))),
             entry("c", "a", message=assistant(error="503 x")), entry("d", "b", message=user("again")),
             entry("e", "d", message=assistant(text("5")))],
        )
    )  # fmt: skip
    assert (found.rule, found.status, found.readings) == ("pi-5", "completed", ())
    assert any("session file" in reason.text for reason in found.because)


def test_a_session_file_that_ends_in_a_tool_turn_does_not_say_how_the_run_ended(tmp_path: Path) -> None:
    reply = assistant(text("Looking."), call("c1"), stop="toolUse")
    found = outcome(
        read_session(tmp_path, [header(), entry("a", None, message=user()), entry("b", "a", message=reply)])
    )
    assert found.status == "unknown"
