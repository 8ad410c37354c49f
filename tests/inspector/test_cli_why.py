"""`why` and `check`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.loaders.session_folders import SESSION, write_database
from tests.loaders.test_collection_rows import answered, write_rows
from tests.samples.gym_rows import message, row

from rollout_inspector.cli import run
from rollout_loaders.evidence.findings import FINDINGS


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """One good row and one whose scored text is empty, which is a finding."""
    empty = row(2, 0, [message("")], reward=0.0, failure_reason="empty_final_answer", expected_answer="4")
    return write_rows(tmp_path / "rollouts.jsonl", answered(1, 0), empty)


def test_why_prints_the_verdict_and_its_sentences(failing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", f"{failing}#2-0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{failing}#2-0"
    assert lines[1].startswith("reward 0 · graded · completed · scored text: empty")
    assert any(line.startswith("reward  ") and "empty_final_answer" in line for line in lines)


def test_why_as_json_has_the_sentences_with_their_places(failing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "--json", str(failing)]) == 0
    good, bad = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (good["id"], bad["id"]) == ("1-0", "2-0")
    assert bad["verdict"].startswith("reward 0")
    assert len(bad["grading"]["because"]) == len(bad["grading"]["because_at"]) > 0


def test_a_contradicted_reward_is_a_reason_and_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`mcqa`: the letters agree and the reward is 0 (gym-semantics 9.3)."""
    letters = row(1, 0, [message("B")], reward=0.0, expected_answer="B", extracted_answer="B", options=[{"B": "b"}])
    assert run(["why", str(write_rows(tmp_path / "rollouts.jsonl", letters))]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if "disagree" in line]
    assert [line.split()[0] for line in said] == ["error", "reward"]
    assert said[0].split("  →")[0].endswith("(reward-contradicts-verdict)")


def test_check_groups_findings_and_exits_1_on_the_failing_severity(
    failing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    severity = FINDINGS["empty-final-answer"].severity
    assert run(["check", "--fail-on", severity, str(failing)]) == 1
    said = capsys.readouterr().out
    assert f"{severity}  empty-final-answer  1\n    {failing}#2-0" in said
    assert said.splitlines()[-1].startswith("2 rollouts checked: ")
    assert run(["check", "--fail-on", "never", str(failing)]) == 0


def test_selecting_and_ignoring(failing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--json", "--fail-on", "info", "--select", "empty-final-answer", str(failing)]) == 1
    (only,) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert only["code"] == "empty-final-answer"
    assert only["id"] == "2-0"
    assert only["locator"].startswith(f"{failing}#2-0")
    assert only["line"] == 2
    assert run(["check", "--json", "--ignore", ",".join(FINDINGS), "--fail-on", "info", str(failing)]) == 0
    assert capsys.readouterr().out == ""


def test_explaining_a_code_needs_no_path(capsys: pytest.CaptureFixture[str]) -> None:
    for code, rule in FINDINGS.items():
        assert run(["check", "--explain", code]) == 0
        said = capsys.readouterr().out
        assert rule.explanation in said
        assert rule.source in said


def test_a_finding_of_a_file_has_no_place_but_the_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "rollouts.jsonl", answered(1, 0))
    with rows.open("a") as file:
        file.write("no json\n")
    assert run(["check", "--json", "--fail-on", "never", str(rows)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (damaged,) = [one for one in found if one["code"] == "record-unreadable" and one["id"] is None]
    assert damaged["where"] is None
    assert damaged["path"] == damaged["locator"] == str(rows)
    assert damaged["line"] == 2


def test_github_annotations(failing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--output", "github", "--select", "empty-final-answer", str(failing)])
    (line,) = capsys.readouterr().out.splitlines()
    level = {"error": "error", "warning": "warning", "info": "notice"}[FINDINGS["empty-final-answer"].severity]
    assert line.startswith(f"::{level} file={failing},line=2,title=empty-final-answer::{failing}#2-0")


def test_junit_has_a_case_a_rollout(failing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--output", "junit", "--fail-on", "info", "--select", "empty-final-answer", str(failing)])
    suite = ET.fromstring(capsys.readouterr().out.strip()).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [f"{failing}#2-0"]


def test_junit_survives_characters_that_xml_forbids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "a\x1b.jsonl", answered(1, 0, "<think>\x0c\x1b</think>4"))
    run(["check", "--output", "junit", "--fail-on", "info", str(rows)])
    assert ET.fromstring(capsys.readouterr().out.strip()).tag == "testsuites"


def test_sarif_names_its_rules(failing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--output", "sarif", "--select", "empty-final-answer", str(failing)])
    made = json.loads(capsys.readouterr().out)
    (result,) = made["runs"][0]["results"]
    assert made["version"] == "2.1.0"
    assert result["ruleId"] == made["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}


def test_nothing_readable_is_exit_2_also_for_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err


def test_a_clean_database_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)))
    assert run(["check", str(database)]) == 0
    assert "1 rollout checked" in capsys.readouterr().out
