"""`walk DIR`: a table and exit 1 on a difference; `--record` makes a fixture that passes."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.paths import SAMPLES
from tests.samples.gym_rows import message, row
from tests.samples.recording import write_lines

from rollout_inspector.cli import run


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    for name in ("split-reply", "literal-tags"):
        shutil.copytree(SAMPLES / name, tmp_path / "fixtures" / name)
    return tmp_path / "fixtures"


def break_one(fixtures: Path) -> None:
    path = fixtures / "split-reply" / "expect.json"
    path.write_text(path.read_text().replace('"text": "4"', '"text": "5"'))


def test_all_pass(fixtures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["walk", str(fixtures), "--run"]) == 0
    assert "2 fixtures: 2 passed, 0 differ" in capsys.readouterr().out


def test_a_difference_shows_expected_beside_actual(fixtures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    break_one(fixtures)
    assert run(["walk", str(fixtures), "--run"]) == 1
    said = capsys.readouterr().out
    assert "/final_answer/text differs" in said
    assert 'expected  "5"' in said
    assert 'actual    "4"' in said


def test_json_and_junit_count_the_same(fixtures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    break_one(fixtures)
    assert run(["walk", str(fixtures), "--run", "--json"]) == 1
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(result["passed"] for result in results) == [False, True]
    assert run(["walk", str(fixtures), "--run", "--output", "junit"]) == 1
    suite = ET.fromstring(capsys.readouterr().out)[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_an_unknown_top_level_key_is_a_difference(fixtures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = fixtures / "split-reply" / "expect.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "finalanswer": {}}))
    assert run(["walk", str(fixtures), "--run"]) == 1
    assert "/finalanswer is no field of a document" in capsys.readouterr().out


def test_a_bad_expectation_is_named_and_the_others_run(fixtures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (fixtures / "split-reply" / "expect.json").write_text('{"a": {"$nope": 1}}')
    assert run(["walk", str(fixtures), "--run"]) == 1
    said = capsys.readouterr().out
    assert "unknown matcher $nope" in said
    assert "1 passed, 0 differ, 1 could not be run" in said


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_a_folder_without_fixtures_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    (tmp_path / "empty").mkdir()
    assert run(["walk", str(tmp_path / place), "--run"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_recorded_fixture_passes_and_holds_one_rollout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row(k, 0, [message(f"key sk-ant-api03-{'a' * 40} {k}")], reward=float(k)) for k in range(3)]
    write_lines(tmp_path / "rollouts.jsonl", rows)
    made = tmp_path / "made"
    assert run(["walk", str(made), "--record", f"{tmp_path / 'rollouts.jsonl'}#1-0", "--title", "one"]) == 0
    assert len((made / "rollouts.jsonl").read_bytes().splitlines()) == 1
    assert b"sk-ant" not in (made / "rollouts.jsonl").read_bytes()
    assert "redacted: 1" in capsys.readouterr().out
    assert json.loads((made / "expect.json").read_text())["grading"]["reward"] == 1.0
    assert run(["walk", str(made), "--run"]) == 0


def test_a_fixture_of_a_database_holds_its_session_only(tmp_path: Path) -> None:
    made = tmp_path / "made"
    assert run(["walk", str(made), "--record", str(SAMPLES / "subagent"), "--pin", "final_answer"]) == 0
    assert set(json.loads((made / "expect.json").read_text())) == {"title", "why", "final_answer"}
    assert run(["walk", str(made), "--run"]) == 0


def test_recording_never_overwrites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["walk", str(tmp_path), "--record", str(SAMPLES / "split-reply")]) == 2
    assert "is there already" in capsys.readouterr().err


def test_accept_writes_what_is(fixtures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    break_one(fixtures)
    assert run(["walk", str(fixtures), "--accept", "--yes"]) == 0
    assert 'expected  "5"' in capsys.readouterr().out
    assert run(["walk", str(fixtures), "--run"]) == 0
