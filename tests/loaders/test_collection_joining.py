"""Artifacts of one session are one rollout, read from the richest; evidence beside it is joined (CONTRACT 2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loaders import pi_logs
from tests.loaders.session_folders import (
    CHILD,
    SESSION,
    write_database,
    write_export,
    write_pi_log,
    write_pi_session,
    write_requests,
    write_result,
)

from rollout_loaders.collection import open_paths
from rollout_loaders.model import Rollout
from rollout_views.context import context_at

PI_FILE = f"2026-11-30T15-06-00-000Z_{pi_logs.SESSION}.jsonl"


def read(*paths: Path) -> list[Rollout]:
    return list(open_paths([str(path) for path in paths]).rollouts())


def codes(rollout: Rollout) -> set[str]:
    return {finding.code for finding in rollout.findings}


def test_in_a_folder_a_database_and_its_export_are_one_rollout_read_from_the_database(tmp_path: Path) -> None:
    write_export(tmp_path / "export-0.json", SESSION, "4")
    write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)))
    (rollout,) = read(tmp_path)
    assert rollout.source.path == str(tmp_path / "opencode.db")
    assert rollout.source.format == "opencode-sqlite"
    assert rollout.source.artifacts == (str(tmp_path / "export-0.json"),)
    assert "records-disagree" not in codes(rollout)


def test_named_on_the_command_line_they_stay_separate_documents(tmp_path: Path) -> None:
    export = write_export(tmp_path / "export-0.json", SESSION, "4")
    database = write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)))
    assert [r.source.format for r in read(export, database)] == ["opencode-export", "opencode-sqlite"]


def test_contradictions_between_artifacts_are_findings(tmp_path: Path) -> None:
    write_export(tmp_path / "export-0.json", SESSION, "5")
    write_database(tmp_path / "opencode.db", (SESSION, None, ("4", "44")))
    (rollout,) = read(tmp_path)
    said = " ".join(f.message for f in rollout.findings if f.code == "records-disagree")
    assert "has 2 turns" in said
    assert "has 1 turn." in said
    assert '"44"' in said
    assert '"5"' in said


def test_an_export_of_a_subagent_belongs_to_the_rollout_of_its_root(tmp_path: Path) -> None:
    write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)), (CHILD, SESSION, ("helping",)))
    write_export(tmp_path / "export-1.json", CHILD, "helping", parent=SESSION)
    (rollout,) = read(tmp_path)
    assert rollout.id == SESSION
    assert [i.id for i in rollout.invocations] == [SESSION, CHILD]
    assert rollout.source.artifacts == (str(tmp_path / "export-1.json"),)


def test_artifacts_of_sibling_folders_are_never_merged(tmp_path: Path) -> None:
    for name, answer in (("a", "4"), ("b", "5")):
        (tmp_path / name).mkdir()
        write_export(tmp_path / name / "export.json", SESSION, answer)
    rollouts = read(tmp_path)
    assert [r.final_answer.text for r in rollouts] == ["4", "5"]
    assert all("records-disagree" not in codes(r) for r in rollouts)


def test_pi_is_read_from_stdout_before_session_file_before_event_log(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "events.jsonl", "4", timed=True)
    write_pi_log(tmp_path / "stdout.jsonl", "4")
    write_pi_session(tmp_path / "sessions" / "--srv-demo--" / PI_FILE, "4")
    (rollout,) = read(tmp_path)
    assert rollout.source.path == str(tmp_path / "stdout.jsonl")
    assert rollout.source.artifacts == (
        str(tmp_path / "sessions" / "--srv-demo--" / PI_FILE),
        str(tmp_path / "events.jsonl"),
    )
    (tmp_path / "stdout.jsonl").unlink()
    (rollout,) = read(tmp_path)
    assert rollout.source.format == "pi-session"


def test_logs_of_two_runs_of_one_session_are_read_from_the_file_that_has_both(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "stdout.jsonl", "4")
    write_pi_log(tmp_path / "run2.stdout.jsonl", "5")
    write_pi_session(tmp_path / "sessions" / "--srv-demo--" / PI_FILE, "4", "5")
    (rollout,) = read(tmp_path)
    assert rollout.source.format == "pi-session"
    assert rollout.root is not None
    assert len(rollout.root.turns) == 2
    assert "records-disagree" not in codes(rollout)


REPLIES = ("first 4", "abandoned 5", "new branch 6", "summary branch 7")


def write_branched(folder: Path, *replies: str, extra: list[pi_logs.Event] | None = None) -> Path:
    """A session file whose second and third reply stand on branches that were left; `replies` are those it has."""
    says = [pi_logs.entry(f"a{n}", f"u{n}", message=pi_logs.assistant(pi_logs.text(r))) for n, r in enumerate(replies)]
    asks = [pi_logs.entry(f"u{n}", "a0" if n else None, message=pi_logs.user()) for n in range(len(replies))]
    asks[-1] = pi_logs.entry(f"u{len(replies) - 1}", "s", message=pi_logs.user())
    left = pi_logs.entry("s", "a0", "branch_summary", summary="BRANCH", fromId="a0")
    lines = [entry for pair in zip(asks, says, strict=True) for entry in pair]
    path = folder / "sessions" / "--srv-demo--" / PI_FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(pi_logs.lines_of([pi_logs.header(), *lines[:-2], left, *(extra or ()), *lines[-2:]]))
    return path


def test_an_abandoned_branch_of_the_session_file_is_not_shown_as_what_the_model_had(tmp_path: Path) -> None:
    """Recorded (pi 0.80.2, `14d`): the last request held the first reply and neither of the two after it."""
    log = write_pi_log(tmp_path / "stdout.jsonl", *REPLIES)
    file = write_branched(tmp_path, *REPLIES)
    (rollout,) = read(tmp_path)
    assert rollout.root is not None
    assert rollout.source.format == "pi-events"
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [True, False, False, True]
    (said,) = [found.message for found in rollout.findings if found.code == "records-disagree"]
    assert said == (
        f"{log} has 4 turns in a row, {file} has 2 turns on its path and records 2 abandoned branches with 2 turns "
        "(in the log: turns 2, 3)."
    )
    context = context_at(rollout, None, 4)
    assert [number for number in range(1, 5) if context.holds(number)] == [1, 4]
    assert "everything" not in context.sentence


def test_a_log_whose_session_file_has_the_same_turns_has_the_start_and_one_that_went_on_has_not(tmp_path: Path) -> None:
    log = write_pi_log(tmp_path / "stdout.jsonl", "4")
    folder = tmp_path / "sessions" / "--srv-demo--"
    (alone,) = read(log)
    assert context_at(alone, None, 1).sentence.startswith("unknown what came before this log")
    file = write_pi_session(folder / PI_FILE, "4")
    (whole,) = read(tmp_path)
    assert whole.source.format == "pi-events"
    assert context_at(whole, None, 1).sentence == "at turn 1 the model had everything since the start"
    file.unlink()
    write_pi_session(folder / PI_FILE, "before", "4")
    (continued,) = read(tmp_path)
    assert continued.source.format == "pi-events"
    assert context_at(continued, None, 1).sentence.startswith("unknown what came before this log")


def test_turns_that_the_branched_session_file_does_not_account_for_leave_the_context_open(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "stdout.jsonl", *REPLIES, "one more")
    write_branched(tmp_path, *REPLIES)
    (rollout,) = read(tmp_path)
    assert rollout.root is not None
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [None] * 5
    context = context_at(rollout, None, 5)
    assert [number for number in range(1, 6) if context.holds(number)] == [1, 2, 3, 4, 5]
    assert context.sentence.startswith("unknown which turns led to this one")


def test_replies_that_are_alike_are_put_on_no_branch(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "stdout.jsonl", "same", "same", "same", "same")
    write_branched(tmp_path, "same", "same", "same", "same")
    (rollout,) = read(tmp_path)
    assert rollout.root is not None
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [None] * 4
    assert "records-disagree" in codes(rollout)


def test_input_of_an_abandoned_branch_that_nothing_answered_leaves_the_context_open(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "stdout.jsonl", *REPLIES)
    write_branched(tmp_path, *REPLIES, extra=[pi_logs.entry("x", "a0", message=pi_logs.user("dropped"))])
    (rollout,) = read(tmp_path)
    assert rollout.root is not None
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [None] * 4
    assert not context_at(rollout, None, 4).certain


def test_logs_without_a_session_id_are_not_merged(tmp_path: Path) -> None:
    for name in ("stdout.jsonl", "run2.stdout.jsonl"):
        records = pi_logs.run(pi_logs.end(pi_logs.assistant(pi_logs.text("4"))))[1:]
        (tmp_path / name).write_bytes(pi_logs.lines_of(records))
    assert len(read(tmp_path)) == 2


@pytest.mark.parametrize("named", [True, False])
def test_a_result_beside_an_artifact_makes_a_session_folder(tmp_path: Path, named: bool) -> None:
    log = write_pi_log(tmp_path / "events.jsonl", "4", timed=True)
    write_result(tmp_path / "result.json", 1, error="the sandbox died")
    (tmp_path / "prompt.txt").write_text("What is 2+2?\n")
    (tmp_path / "stderr.log").write_text("oops")
    (rollout,) = read(log if named else tmp_path)
    assert rollout.evidence.run_result is not None
    assert rollout.evidence.run_result.return_code == 1
    assert rollout.evidence.run_result.error == "the sandbox died"
    assert rollout.outcome.status == "failed"
    assert rollout.task.prompt == "What is 2+2?\n"
    assert set(rollout.source.artifacts) == {
        str(tmp_path / name) for name in ("result.json", "prompt.txt", "stderr.log")
    }


def test_a_store_in_a_session_folder_is_read_as_session_output(tmp_path: Path) -> None:
    database = write_database(tmp_path / "observations.db", (SESSION, None, ("4",)))
    (rollout,) = read(database)
    assert rollout.scored.reading == "host-response"
    write_result(tmp_path / "result.json")
    (rollout,) = read(database)
    assert rollout.scored.reading == "session-output"


def test_a_result_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    log = write_pi_log(tmp_path / "events.jsonl", "4")
    (tmp_path / "result.json").write_text('{"return_code": ')
    (rollout,) = read(log)
    assert rollout.evidence.run_result is None
    assert any(d.code == "evidence-unreadable" and "result.json" in (d.locator or "") for d in rollout.diagnostics)


def test_a_result_that_cannot_be_read_is_not_called_absent(tmp_path: Path) -> None:
    """The folder stays a session folder (CONTRACT 3, `scored`), and the sentences say what is missing."""
    for name in ("opencode", "pi"):
        (tmp_path / name).mkdir()
    database = write_database(tmp_path / "opencode" / "observations.db", (SESSION, None, ("4",)))
    log = write_pi_log(tmp_path / "pi" / "events.jsonl", "4")
    for artifact in (database, log):
        artifact.with_name("result.json").write_text('{"return_code": ')
        (rollout,) = read(artifact)
        said = " ".join(reason.text for reason in rollout.outcome.because).lower()
        assert "result.json cannot be read" in said
        assert "no result.json" not in said
        assert rollout.scored.reading == "session-output"
        assert "evidence-unreadable" in codes(rollout)


def test_the_root_has_the_status_that_the_result_gives_the_run(tmp_path: Path) -> None:
    """gym-semantics 4.4: the root invocation gets the response's status."""
    database = write_database(tmp_path / "observations.db", (SESSION, None, ("4",)))
    for fields, status in (({"return_code": 1}, "failed"), ({"timed_out": True}, "incomplete"), ({}, "completed")):
        write_result(tmp_path / "result.json", **fields)
        (rollout,) = read(database)
        assert rollout.root is not None
        assert (rollout.outcome.status, rollout.root.status) == (status, status)


def test_another_json_of_that_name_is_no_result_of_a_runner(tmp_path: Path) -> None:
    log = write_pi_log(tmp_path / "events.jsonl", "4")
    (tmp_path / "result.json").write_text('{"score": 1}')
    (rollout,) = read(log)
    assert rollout.evidence.run_result is None
    assert rollout.source.artifacts == ()


def test_captured_requests_go_to_the_session_that_they_name(tmp_path: Path) -> None:
    other = "ses_dd2faa1acffeNiq4HgvRkzPVn8"
    database = write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)), (other, None, ("6",)))
    write_requests(tmp_path / "requests.jsonl", SESSION, other, other)
    rollouts = read(database)
    assert [len(r.evidence.model_calls) for r in rollouts] == [1, 2]
    assert rollouts[0].evidence.requests_source == str(tmp_path / "requests.jsonl")


def test_requests_without_a_session_belong_to_the_only_rollout_of_the_folder(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "stdout.jsonl", "4")
    write_requests(tmp_path / "requests.jsonl", None, None)
    (rollout,) = read(tmp_path)
    assert len(rollout.evidence.model_calls) == 2
    write_pi_log(tmp_path / "other.jsonl", "5", session=pi_logs.SESSION.replace("7000", "7001"))
    assert [len(r.evidence.model_calls) for r in read(tmp_path)] == [0, 0]


def test_a_pi_session_file_has_its_evidence_above_the_sessions_folder(tmp_path: Path) -> None:
    file = write_pi_session(tmp_path / "sessions" / "--srv-demo--" / PI_FILE, "4")
    write_requests(tmp_path / "requests.jsonl", None)
    (rollout,) = read(file)
    assert rollout.source.artifacts == (str(tmp_path / "requests.jsonl"),)
