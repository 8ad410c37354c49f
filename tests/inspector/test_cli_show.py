"""`show` and `list` as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.session_folders import CHILD, SESSION, write_database, write_pi_log
from tests.loaders.test_collection_rows import answered, write_rows
from tests.paths import RECORDINGS
from tests.samples.gym_rows import failure_newer

from rollout_inspector.cli import run
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document, encode
from rollout_loaders.summary import summarise, summary_document


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 0
    return capsys.readouterr().out


def documents(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output(capsys, *arguments).splitlines()]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    answers = ("<think>\nsum\n</think>\n\nfirst", "second")
    return write_database(tmp_path / "opencode.db", (SESSION, None, answers), (CHILD, SESSION, ("helped",)))


def test_json_is_the_document_of_each_rollout(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (rollout,) = open_paths([str(database)]).rollouts()
    assert output(capsys, "show", "--json", str(database)).encode() == encode(document(rollout)) + b"\n"
    (made,) = documents(capsys, "show", "--json", "--items", "--parts", str(database))
    assert made["invocations"][0]["items"]
    assert made["invocations"][0]["parts"]


def test_text_has_the_place_the_verdict_and_every_conversation(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = output(capsys, "show", str(database)).splitlines()
    assert lines[0] == f"{database}#{SESSION}"
    assert lines[1].startswith("reward – not graded")
    text = "\n".join(lines)
    for said in ("first", "second", "helped", CHILD):
        assert said in text
    assert "\x1b" not in text


def test_the_stored_lens_takes_nothing_out(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "</think>" in output(capsys, "show", "--lens", "stored", str(database))
    assert "</think>" not in output(capsys, "show", str(database))


def test_a_lens_without_evidence_says_why_and_opens_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sidecar = write_rows(tmp_path / "run_failures.jsonl", failure_newer(1, 0, 0, "unknown", "seed", "never ran"))
    said = output(capsys, "show", "--lens", "scored", str(sidecar))
    assert "lens scored: " in said
    assert "this is lens " in said


def test_one_turn_by_option_and_by_place(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by_option = output(capsys, "show", "--turn", "2", str(database))
    by_place = output(capsys, "show", f"{database}#{SESSION}@turn:2")
    assert by_option == by_place
    assert "second" in by_option
    assert "first" not in by_option
    child = output(capsys, "show", f"{database}@{CHILD}/turn:1")
    assert "helped" in child
    assert "second" not in child


def test_a_turn_that_is_not_there_is_exit_2(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "--turn", "9", str(database)]) == 2
    assert capsys.readouterr().err.endswith("no rollout in what was named has a turn 9\n")


def test_what_show_prints_as_a_place_it_takes(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = output(capsys, "show", str(database))
    assert output(capsys, "show", whole.splitlines()[0]) == whole


def test_a_forced_gate_is_said_in_every_header(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = output(capsys, "show", "--no-gym-reasoning", str(database))
    assert "think split forced off" in said
    assert "<think>" in said
    (made,) = documents(capsys, "show", "--json", "--no-gym-reasoning", str(database))
    assert made["route"]["forced"] is True
    assert made["route"]["gym_reasoning"] is False


def test_forcing_the_split_on_pi_is_refused_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_pi_log(tmp_path / "stdout.jsonl", "<think>x</think>4")
    assert run(["show", "--gym-reasoning", str(log)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert str(log) in said.err


def test_list_as_json_is_one_summary_a_line(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (rollout,) = open_paths([str(database)]).rollouts()
    (made,) = documents(capsys, "list", "--json", str(database))
    assert made == json.loads(encode(summary_document(summarise(rollout))))
    assert made["findings"] == list(dict.fromkeys(finding.code for finding in rollout.findings))


def test_list_without_findings_says_that_they_are_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "a.jsonl", answered(1, 0, ""))
    (fast,) = documents(capsys, "list", "--json", "--no-findings", str(rows))
    (whole,) = documents(capsys, "list", "--json", str(rows))
    assert whole["findings"] is not None
    assert {**fast, "findings": None} == {**whole, "findings": None}


def test_list_as_a_table_ends_each_line_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "a.jsonl", answered(1, 0), answered(2, 0))
    head, *lines = output(capsys, "list", str(rows)).splitlines()
    assert head.split()[0] == "task"
    assert [line.split()[-1] for line in lines] == [f"{rows}#1-0", f"{rows}#2-0"]


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not here")
def test_every_recording_is_one_or_more_rollouts_and_nothing_is_unreadable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = documents(capsys, "list", "--json", str(RECORDINGS))
    folders = {"/".join(Path(one["source"]["path"]).relative_to(RECORDINGS).parts[:2]) for one in made}
    assert len(folders) == 94
