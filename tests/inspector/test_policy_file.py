"""`--policy FILE`: what a run's agent_outcome_policy would have done."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.paths import SAMPLES

from rollout_inspector.cli import run
from rollout_inspector.policyfile import read_policy
from rollout_loaders.collection import open_paths
from rollout_loaders.errors import ReadError
from rollout_loaders.reader import ReadOptions


def policy_of(sample: str, path: Path) -> tuple[str, bool | None, str]:
    (rollout,) = open_paths([str(SAMPLES / sample)], ReadOptions(policy=read_policy(str(path)))).rollouts()
    return rollout.outcome.policy.action, rollout.outcome.graded, rollout.outcome.policy.source


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(text)
    return path


def test_a_status_decides_before_a_kind(tmp_path: Path) -> None:
    path = write(tmp_path, "400: fail\nmodel_request_error: retry\n")
    action, graded, source = policy_of("pi-overflow-without-outcome-lines", path)
    assert (action, graded) == ("fail", False)
    assert "400 → fail" in source


def test_a_kind_decides_where_no_status_does(tmp_path: Path) -> None:
    path = write(tmp_path, '{"failure_kind": {"unknown": "count_as_zero"}}')
    assert policy_of("pi-compaction-failed", path)[:2] == ("count_as_zero", False)


def test_the_default_decides_last(tmp_path: Path) -> None:
    assert policy_of("pi-compaction-failed", write(tmp_path, "default: verify"))[:2] == ("verify", True)


def test_a_cause_that_the_policy_does_not_name_stays_unknown(tmp_path: Path) -> None:
    assert policy_of("pi-compaction-failed", write(tmp_path, "503: retry"))[:2] == ("unknown", None)


def test_a_limit_is_verified_whatever_the_policy_says(tmp_path: Path) -> None:
    assert policy_of("pi-overflow-incomplete", write(tmp_path, "default: fail"))[:2] == ("verify", True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- verify", "must be a table"),
        ("400: maybe", "'maybe' is no action"),
        ("a: [", "neither YAML nor JSON"),
        ("{}", "states no action"),
        ("!!python/object/apply:os.system ['true']", "neither YAML nor JSON"),
    ],
)
def test_a_bad_policy_names_its_fault(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        read_policy(str(write(tmp_path, text)))


def test_why_list_and_diff_say_what_it_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, sample = str(write(tmp_path, "unknown: count_as_zero")), str(SAMPLES / "pi-compaction-failed")
    assert run(["why", "--policy", path, sample]) == 0
    assert f"policy    count_as_zero: {path}: unknown → count_as_zero" in capsys.readouterr().out
    assert run(["list", "--policy", path, sample]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert line[head.index("policy") :].startswith("count_as_zero")
    assert run(["diff", "--policy", path, sample, sample]) == 0
    assert "count_as_zero, as before  1" in capsys.readouterr().out


def test_without_a_stated_policy_a_list_has_no_such_column(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", str(SAMPLES / "pi-compaction-failed")]) == 0
    assert "policy" not in capsys.readouterr().out.splitlines()[0]
