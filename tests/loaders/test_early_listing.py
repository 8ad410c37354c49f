"""Rows before the whole file is read: the same rows, their final names once every name is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_files import write
from tests.loaders.kept_listings import noted_scans, own_cache
from tests.samples.gym_rows import message, row

from rollout_loaders.collection import Collection, open_paths
from rollout_loaders.formats import gym_scan
from rollout_loaders.index import container
from rollout_loaders.model import RolloutSummary


@pytest.fixture(autouse=True)
def small_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index for a file of any size, scanned about two rows at a time."""
    own_cache(tmp_path, monkeypatch)
    monkeypatch.setattr(gym_scan, "STEP", 2_000)


def rows(*names: tuple[int, int]) -> list[dict[str, Any]]:
    return [row(task, rollout, [message("x" * 300)]) for task, rollout in names]


def ids(summaries: list[RolloutSummary]) -> list[str]:
    return [summary.id for summary in summaries]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Byte ranges that were scanned."""
    return noted_scans(monkeypatch)


def test_the_first_row_is_there_before_the_rest_is_read(tmp_path: Path, steps: list[tuple[int, int]]) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows(*((task, 0) for task in range(40))))
    early = open_paths([str(path)]).early()
    assert next(early).id == "0-0"
    assert len(steps) == 1
    rest = list(early)
    assert ids(rest) == [f"{task}-0" for task in range(1, 40)]
    assert len(steps) > 5


def test_early_rows_are_the_listed_rows(tmp_path: Path) -> None:
    odd: list[Any] = ["no json", {"reward": 1.0}, row(7, 0, [message("x")], verifier_error="boom")]
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)), *odd, *rows((1, 0)), end=b"")
    first = open_paths([str(path)])
    found = list(first.early())
    assert not first.renamed
    again = open_paths([str(path)])
    assert found == list(again.summaries()) == list(again.early())
    assert first.diagnostics == again.diagnostics
    assert len(found) == 4


def test_rows_that_share_a_name_are_called_by_their_line_in_the_end(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (1, 0), (2, 0), (3, 0), (0, 0), (4, 0)))
    collection = open_paths([str(path)])
    found = list(collection.early())
    assert ids(found) == ["0-0", "1-0", "2-0", "3-0", "L5", "4-0"]
    assert collection.renamed
    final = list(collection.summaries())
    assert ids(final) == ["L1", "1-0", "2-0", "3-0", "L5", "4-0"]
    assert [replace(one, id="") for one in found] == [replace(one, id="") for one in final]
    list(collection.early())
    assert not collection.renamed


def test_a_row_that_was_given_early_can_be_opened(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows(*((task, 0) for task in range(20))))
    collection = open_paths([str(path)])
    for summary in collection.early():
        assert collection.load(summary).id == summary.id


def test_a_list_that_is_left_early_leaves_no_index(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows(*((task, 0) for task in range(40))))
    early = open_paths([str(path)]).early()
    next(early)
    early.close()  # type: ignore[attr-defined]
    cache = tmp_path / "cache" / "rollout-inspect"
    assert list(cache.iterdir()) == []


def test_without_room_for_an_index_every_row_comes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows(*((task, 0) for task in range(40))))
    calls = 0
    real = container.IndexWriter.add

    def full(self: Any, *given: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > 10:
            raise OSError(28, "No space left on device")
        real(self, *given)

    monkeypatch.setattr(container.IndexWriter, "add", full)
    collection: Collection = open_paths([str(path)])
    assert ids(list(collection.early())) == [f"{task}-0" for task in range(40)]


def test_followed_files_give_early_rows_too(tmp_path: Path, steps: list[tuple[int, int]]) -> None:
    from rollout_loaders.collection.following import Follower

    path = write(tmp_path / "rollouts.jsonl", *rows(*((task, 0) for task in range(40))))
    follower = Follower(open_paths([str(path)]))
    early = follower.early()
    assert next(early).id == "0-0"
    assert len(steps) == 1
    assert len(list(early)) == 39
    assert not follower.renamed


def test_progress_is_the_share_of_bytes_before_the_row(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows(*((task, 0) for task in range(40))))
    lines = path.read_bytes().split(b"\n")
    for read in ("early", "summaries"):  # the second from the index
        collection = open_paths([str(path)])
        assert collection.progress is None
        for number, _ in enumerate(getattr(collection, read)()):
            before = sum(len(line) + 1 for line in lines[:number])
            assert collection.progress == (str(path), before / path.stat().st_size)
        assert collection.progress is None
