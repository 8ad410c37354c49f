"""The index of a rollouts file: what it gives equals a fresh reading, nothing stale or torn is believed."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.loaders.gym_files import dumped, write
from tests.loaders.kept_listings import noted_scans, own_cache
from tests.paths import GYM_ROLLOUTS
from tests.samples.gym_rows import call, message, output, row

from rollout_loaders.collection import open_paths
from rollout_loaders.index import building, container, folder, identity, version
from rollout_loaders.index.summary_row import row_of, summary_of
from rollout_loaders.model import Diagnostic, Harness, RolloutSummary, SourceRef, Span, Task, Usage

FILES = sorted(GYM_ROLLOUTS.rglob("*.jsonl"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_cache(tmp_path, monkeypatch)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Byte ranges that were scanned from now on."""
    return noted_scans(monkeypatch)


def rows(*names: tuple[int, int]) -> list[dict[str, Any]]:
    return [row(task, rollout, [message(f"answer {task} {rollout}")]) for task, rollout in names]


def listed(path: Path | str) -> tuple[list[RolloutSummary], tuple[Diagnostic, ...]]:
    collection = open_paths([str(path)])
    return list(collection.summaries()), collection.diagnostics


def fresh(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[RolloutSummary], tuple[Diagnostic, ...]]:
    with monkeypatch.context() as without:
        without.setenv(folder.SWITCH, "off")
        return listed(path)


def indexes(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.is_dir() else []


ODD = [
    b"no json",
    b"",
    b'{"reward": 1.0}',
    b"[1, 2]",
    dumped(row(0, 0, [message("repeated")])),
    dumped({"response": {"output": [{"type": "unheard_of"}, call("bash", {}, "c"), output("c", "x")]}, "reward": 1}),
    dumped(row(7, 0, [message("x")], mask_sample=True, failure_reason="no_answer")),
    dumped({**row(8, 0, [message("\u00e9\ud800 y")]), "reward": "0.5"}),
    b'{"response": {"output": []}, "reward": NaN}',
]


def test_a_second_listing_equals_the_first_and_scans_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, scanned: list[tuple[int, int]]
) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)), *ODD, end=b"")
    expected = fresh(path, monkeypatch)
    assert len(expected[0]) == 7 and len(expected[1]) == 3
    assert listed(path) == expected
    scanned.clear()
    assert listed(path) == expected
    assert scanned == []
    assert len(indexes(cache)) == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cache", "rollouts.jsonl"]


def test_the_path_is_shown_as_given_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0)), b"no json", *ODD)
    listed(path)
    monkeypatch.chdir(tmp_path)
    summaries, diagnostics = listed("rollouts.jsonl")
    assert {summary.source.path for summary in summaries} == {"rollouts.jsonl"}
    assert diagnostics[0].locator == "rollouts.jsonl#L2"
    assert diagnostics[0].message.startswith("rollouts.jsonl:2: ")


@pytest.mark.skipif(not FILES, reason="no real files beside this checkout")
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(GYM_ROLLOUTS)))
def test_real_files_are_listed_from_the_index_as_fresh(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copy(path, tmp_path / path.name))
    expected = fresh(copy, monkeypatch)
    assert listed(copy) == expected
    assert listed(copy) == expected


def test_one_rollout_is_found_by_the_index_alone(tmp_path: Path, scanned: list[tuple[int, int]]) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1), (0, 0)), *ODD)
    summaries, _ = listed(path)
    scanned.clear()
    collection = open_paths([str(path)])
    (by_name,) = open_paths([f"{path}#0-1"]).rollouts()
    (by_line,) = open_paths([f"{path}#L2"]).rollouts()
    assert by_name.id == by_line.id == "0-1"
    assert by_name.final_answer.text == "answer 0 1"
    assert [s.id for s in summaries][:3] == ["L1", "0-1", "L3"]
    (repeated,) = open_paths([f"{path}#L3"]).rollouts()
    assert "0-0 is also the identity of L1, L8" in [d.message for d in repeated.diagnostics]
    wanted = [s.id for s in collection.summaries()]
    assert [collection.load(s).id for s in collection.summaries()] == wanted
    assert scanned == []


@pytest.mark.parametrize("small", [0, 1 << 24])
def test_growth_reads_only_what_is_new(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, scanned: list[tuple[int, int]], small: int
) -> None:
    monkeypatch.setattr(building, "SMALL", small)
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)), b"no json", b'{"torn')
    path.write_bytes(path.read_bytes()[:-1])
    before = path.stat().st_size - len(b'{"torn')
    listed(path)
    (index,) = indexes(cache)
    kept = index.read_bytes()
    scanned.clear()
    with path.open("ab") as file:
        file.write(b'"\n' + dumped(rows((0, 1))[0]) + b"\n" + dumped(rows((5, 0))[0]))
    found = listed(path)
    assert min(start for start, _ in scanned) == before
    assert [summary.id for summary in found[0]] == ["0-0", "L2", "L5", "5-0"]
    assert found == fresh(path, monkeypatch)
    with path.open("ab") as file:
        file.write(b"\n" + dumped(rows((6, 0))[0]) + b"\n")
    assert listed(path) == fresh(path, monkeypatch)
    assert (index.read_bytes() == kept) == (small > 0)  # little that was added is not written
    assert [r.id for r in open_paths([f"{path}#L3", f"{path}#6-0"]).rollouts()] == ["6-0"]


def test_a_reward_that_was_rewritten_before_the_file_grew_was_listed_as_it_had_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "READ_AGAIN", 1 << 28)
    path = write(tmp_path / "rollouts.jsonl", *(dumped(row(0, n, [message("x" * 5000)])) for n in range(200)))
    listed(path)
    data = path.read_bytes()
    reward = b'"reward":'
    at = data.index(reward, data.index(b"\n", len(data) // 3)) + len(reward) + 1
    changed = data[:at] + (b"0" if data[at : at + 1] == b"1" else b"1") + data[at + 1 :]
    with path.open("r+b") as file:
        file.write(changed + dumped(row(1, 0, [message("4")])) + b"\n")
    assert listed(path) == fresh(path, monkeypatch)


def test_a_rewritten_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)))
    listed(path)
    state = path.stat()
    changed = path.read_bytes().replace(b'"reward": 0.0', b'"reward": 1.0')
    with path.open("r+b") as file:  # same inode, same size
        file.write(changed)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert [summary.reward for summary in listed(path)[0]] == [1.0, 1.0]
    path.write_bytes(dumped(rows((9, 9))[0]) + b"\n" + changed)  # longer, another start
    assert [summary.id for summary in listed(path)[0]] == ["9-9", "0-0", "0-1"]
    path.write_bytes(changed[: changed.index(b"\n") + 1])
    assert [summary.id for summary in listed(path)[0]] == ["0-0"]
    assert listed(path) == fresh(path, monkeypatch)


def test_changed_rules_make_an_index_stale(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, scanned: list[tuple[int, int]]
) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0)))
    listed(path)
    scanned.clear()
    module = tmp_path / "package" / "formats" / "gym_scan.py"
    module.parent.mkdir(parents=True)
    module.write_text("x = 1\n")
    monkeypatch.setattr(version, "_PACKAGE", tmp_path / "package")
    version.rules_version.cache_clear()
    try:
        listed(path)
        assert scanned != []
        first = version.rules_version()
        version.rules_version.cache_clear()
        module.write_text("x = 2\n")
        os.utime(module, ns=(1, 1))
        assert version.rules_version() != first
    finally:
        version.rules_version.cache_clear()


@pytest.mark.parametrize("place", [0, 10, 0.3, 0.6, 0.9, -30, -1])
@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_a_damaged_index_is_ignored(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, place: float, damage: str
) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)), *ODD)
    expected = fresh(path, monkeypatch)
    listed(path)
    (index,) = indexes(cache)
    data = bytearray(index.read_bytes())
    at = int(len(data) * place) if isinstance(place, float) else place
    if damage == "flip":
        data[at] ^= 0xFF
    else:
        del data[at:]
    index.write_bytes(data)
    assert listed(path) == expected
    assert listed(path) == expected
    assert [r.id for r in open_paths([f"{path}#0-1"]).rollouts()] == ["0-1"]


@pytest.mark.parametrize("where", ["off", "file", "foreign", "full"])
def test_without_a_usable_cache_nothing_is_missing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)), *ODD)
    expected = fresh(path, monkeypatch)
    if where == "off":
        monkeypatch.setenv(folder.SWITCH, "off")
    elif where == "file":
        cache.parent.write_text("in the way")
    elif where == "foreign":
        cache.mkdir(parents=True)
        cache.chmod(0o777)
    else:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(container.IndexWriter, "add", full)
    assert listed(path) == expected
    assert listed(path) == expected
    assert not cache.is_dir() or indexes(cache) == []


def test_a_killed_writer_leaves_no_torn_index(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)))
    expected = fresh(path, monkeypatch)
    program = (
        "import sys, os, time\n"
        "from rollout_loaders.index import container, opened, identity\n"
        "from rollout_loaders.collection import open_paths\n"
        "opened.PAYS = identity.FRESH_NS = 0\n"
        "finish = container.IndexWriter.finish\n"
        "def slow(self, *given):\n"
        "    self._file.flush(); print('writing', flush=True); time.sleep(60)\n"
        "container.IndexWriter.finish = slow\n"
        "list(open_paths([sys.argv[1]]).summaries())\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)
    assert [each.suffix for each in indexes(cache)] == [folder.PARTIAL]
    assert listed(path) == expected
    assert {each.suffix for each in indexes(cache)} == {folder.PARTIAL, folder.SUFFIX}


def test_a_reading_that_is_left_early_leaves_a_whole_index(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0), (0, 1)))
    summaries: Iterator[RolloutSummary] = open_paths([str(path)]).summaries()
    next(summaries)
    (index,) = indexes(cache)
    opened_index = container.open_index(index)
    assert opened_index is not None
    opened_index.close()


def test_the_cache_is_bounded_and_the_least_used_goes_first(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths: list[Path] = []
    for number in range(3):
        (tmp_path / f"r{number}").mkdir()
        paths.append(write(tmp_path / f"r{number}" / "rollouts.jsonl", *rows((number, 0))))
    listed(paths[0])
    (first,) = indexes(cache)
    os.utime(first, (time.time() - 100, time.time() - 100))
    listed(paths[1])
    (second,) = set(indexes(cache)) - {first}
    os.utime(second, (time.time() - 50, time.time() - 50))
    monkeypatch.setenv(folder.SIZE_SWITCH, str(int(first.stat().st_size * 2.5)))
    listed(paths[0])  # used again: now the younger of the two
    listed(paths[2])
    assert first in indexes(cache) and second not in indexes(cache)


def test_what_is_forced_is_not_kept(tmp_path: Path, cache: Path) -> None:
    from rollout_loaders.reader import ReadOptions

    path = write(tmp_path / "rollouts.jsonl", *rows((0, 0)))
    list(open_paths([str(path)], ReadOptions(max_answer_chars=3)).summaries())
    assert indexes(cache) == []


def test_a_file_written_this_moment_is_not_kept(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "FRESH_NS", 3_600_000_000_000)
    listed(write(tmp_path / "rollouts.jsonl", *rows((0, 0))))
    assert indexes(cache) == []


def test_a_row_keeps_every_field_of_a_summary() -> None:
    given = RolloutSummary(
        "3-1",
        SourceRef("p", "f", "L1", ("a", "b"), Span(0, 1, "made anew by each listing, so not kept")),
        Harness("h", "v", "a", "m", "p"),
        Task(3, 1, 2, "t", "prompt"),
        "graded",
        0.5,
        "completed",
        "kind",
        4,
        5,
        6,
        True,
        ("one", "two"),
        Usage(1, 2, 3, 4, 0.5, "c"),
        7,
    )
    later = [each.name for each in dataclasses.fields(given) if getattr(given, each.name) is None]
    given = dataclasses.replace(given, **{name: f"a {name}" for name in later})  # type: ignore[arg-type]
    for model in (given, given.source, given.harness, given.task, given.usage):
        for each in dataclasses.fields(model):
            assert getattr(model, each.name) is not None, f"{each.name} is new: give it a value here"
    kept = orjson.loads(orjson.dumps(row_of(given)))
    assert summary_of(kept, "p", "3-1") == given
