"""A Parquet index: what it gives is what a listing gives, moved together with its run, and stale files are said."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_files import write
from tests.samples.gym_rows import message, row

from rollout_inspector.cli import run
from rollout_loaders.collection import open_paths
from rollout_loaders.model import RolloutSummary
from rollout_loaders.summary import summarise

pytest.importorskip("pyarrow")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    for name in "ab":
        (folder / name).mkdir(parents=True)
        rows = [row(n, 0, [message(f"{name} {n}")], reward=0.5) for n in range(3)]
        write(folder / name / "rollouts.jsonl", *rows, row(3, 0, [message("")], "\ud800 q"))
    return folder


def whole(path: Path) -> list[RolloutSummary]:
    return [summarise(rollout) for rollout in open_paths([str(path)]).rollouts()]


def test_an_index_gives_what_a_listing_gives(runs: Path) -> None:
    target = runs / "run.parquet"
    assert run(["index", str(runs / "a"), str(runs / "b"), "-o", str(target)]) == 0
    expected = whole(runs / "a") + whole(runs / "b")
    found = list(open_paths([str(target)]).summaries())
    assert [s.findings for s in found] == [s.findings for s in expected] != [None] * 8
    assert found[:3] == expected[:3]
    assert found[3].task.prompt == "\\ud800 q"
    assert [r.source.path for r in open_paths([str(target)]).rollouts()] == [s.source.path for s in expected]
    assert list(open_paths([str(target)]).diagnostics) == []


def test_single_rollouts_come_from_where_they_lie(runs: Path) -> None:
    target = runs / "run.parquet"
    assert run(["index", str(runs / "a"), "-o", str(target), "--no-findings"]) == 0
    collection = open_paths([str(target)])
    summaries = list(collection.summaries())
    assert [s.findings for s in summaries] == [None] * 4
    assert collection.load(summaries[1]).final_answer.text == "a 1"
    (named,) = open_paths([f"{target}#2-0"]).rollouts()
    assert named.final_answer.text == "a 2"


def test_a_name_that_several_files_have_is_not_guessed(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = runs / "run.parquet"
    run(["index", str(runs), "-o", str(target)])
    assert run(["show", f"{target}#1-0"]) == 2
    said = capsys.readouterr().err
    assert "a/rollouts.jsonl#1-0" in said and "b/rollouts.jsonl#1-0" in said


def test_an_index_moves_with_its_run(runs: Path, tmp_path: Path) -> None:
    run(["index", str(runs), "-o", str(runs / "run.parquet")])
    moved = runs.rename(tmp_path / "moved")
    collection = open_paths([str(moved / "run.parquet")])
    summaries = list(collection.summaries())
    assert {s.source.path for s in summaries} == {str(moved / n / "rollouts.jsonl") for n in "ab"}
    assert collection.load(summaries[0]).final_answer.text == "a 0"
    assert list(collection.diagnostics) == []


def test_a_file_that_changed_or_went_is_said(runs: Path) -> None:
    run(["index", str(runs), "-o", str(runs / "run.parquet")])
    write(runs / "a" / "rollouts.jsonl", row(0, 0, [message("other")]))
    (runs / "b" / "rollouts.jsonl").unlink()
    collection = open_paths([str(runs / "run.parquet")])
    assert len(list(collection.summaries())) == 8
    said = {Path(str(d.locator)).parent.name: d for d in collection.diagnostics}
    assert {d.code for d in said.values()} == {"index-stale"}
    assert said["a"].message.startswith("has changed") and said["b"].message.startswith("is no longer there")
    whole_again = open_paths([str(runs / "run.parquet")])
    assert [r.final_answer.text for r in whole_again.rollouts()] == ["other"]


def test_list_check_and_diff_take_it(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        run(["index", str(runs / name), "-o", str(runs / f"{name}.parquet")])
    capsys.readouterr()
    assert run(["list", "--json", str(runs / "a.parquet")]) == 0
    assert [json.loads(text)["id"] for text in capsys.readouterr().out.splitlines()] == ["0-0", "1-0", "2-0", "3-0"]
    assert run(["check", "--json", str(runs / "a.parquet")]) == run(["check", "--json", str(runs / "a")])
    assert run(["diff", str(runs / "a.parquet"), str(runs / "b.parquet")]) == run(
        ["diff", str(runs / "a"), str(runs / "b")]
    )


def test_a_foreign_parquet_file_and_a_damaged_one_are_refused(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pyarrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    foreign = tmp_path / "foreign.parquet"
    parquet.write_table(pyarrow.table({"id": [1]}), str(foreign))
    assert run(["list", str(foreign)]) == 2
    assert "no index of this layout" in capsys.readouterr().err
    run(["index", str(runs), "-o", str(runs / "run.parquet")])
    data = (runs / "run.parquet").read_bytes()
    (runs / "run.parquet").write_bytes(data[: len(data) // 2])
    assert run(["list", str(runs / "run.parquet")]) == 2
    assert "make it again" in capsys.readouterr().err


def test_without_pyarrow_one_line_says_what_to_do(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert run(["index", str(runs), "-o", str(runs / "run.parquet")]) == 2
    assert "rollout-inspect[scale]" in capsys.readouterr().err
    assert not (runs / "run.parquet").exists()


def test_nothing_is_left_where_writing_fails(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["index", str(runs), "-o", str(runs / "none" / "run.parquet")]) == 2
    assert "could not be written" in capsys.readouterr().err
    assert run(["index", str(runs), "-o", str(runs / "run.csv")]) == 2
