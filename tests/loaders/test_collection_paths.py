"""PATHs: files, folders, globs, stdin, locators; hostile folders; nothing that is read is touched (CONTRACT 2)."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path

import pytest
from tests.loaders import pi_logs
from tests.loaders.session_folders import SESSION, write_database, write_export, write_pi_log, write_requests
from tests.loaders.test_collection_rows import answered, write_rows
from tests.loaders.test_source import tree

from rollout_loaders.collection import Collection, open_paths
from rollout_loaders.model import Place
from rollout_loaders.natural_order import natural_key


def ids(collection: Collection) -> list[str]:
    return [rollout.id for rollout in collection.rollouts()]


def said(collection: Collection) -> str:
    return "\n".join(f"{d.code} {d.locator}: {d.message}" for d in collection.diagnostics)


def other(number: int) -> str:
    return pi_logs.SESSION.replace("7000", f"7{number:03}")


def test_natural_order_counts() -> None:
    assert sorted(["run-10", "run-9", "a", "run-1b"], key=natural_key) == ["a", "run-1b", "run-9", "run-10"]


def test_a_folder_is_searched_files_first_then_folders_in_natural_order(tmp_path: Path) -> None:
    for number, name in enumerate(("run-10/log.jsonl", "run-9/log.jsonl", "z.jsonl", "a/b/c/log.jsonl"), 1):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write_rows(tmp_path / name, answered(number, 0))
    collection = open_paths([str(tmp_path)])
    assert ids(collection) == ["3-0", "4-0", "2-0", "1-0"]


def test_a_path_is_shown_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    write_rows(tmp_path / "runs" / "a.jsonl", answered(1, 0))
    monkeypatch.chdir(tmp_path)
    for given, shown in (
        ("runs", "runs/a.jsonl"),
        ("./runs/", "./runs/a.jsonl"),
        (".", "./runs/a.jsonl"),
        ("runs/a.jsonl", "runs/a.jsonl"),
        ("runs/*.jsonl", "runs/a.jsonl"),
    ):
        (rollout,) = open_paths([given]).rollouts()
        assert rollout.source.path == shown


def test_a_glob_matches_in_natural_order_and_takes_a_locator(tmp_path: Path) -> None:
    for number in (10, 9):
        write_rows(tmp_path / f"r{number}.jsonl", answered(number, 0), answered(1, 1))
    assert ids(open_paths([str(tmp_path / "r*.jsonl")])) == ["9-0", "1-1", "10-0", "1-1"]
    assert ids(open_paths([str(tmp_path / "r*.jsonl#L1")])) == ["9-0", "10-0"]


def test_standard_input_is_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "a.jsonl", answered(1, 0)).read_bytes()

    class Stdin:
        buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Stdin())
    with open_paths(["-"]) as collection:
        (rollout,) = collection.rollouts()
        assert (rollout.id, rollout.source.path) == ("1-0", "-")


def test_one_session_of_a_database_and_a_place_in_it(tmp_path: Path) -> None:
    newer = "ses_dd2faa1acffeNiq4HgvRkzPVn8"
    database = write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)), (newer, None, ("6", "66")))
    collection = open_paths([f"{database}#{newer}@turn:2"])
    (rollout,) = collection.rollouts()
    assert rollout.id == newer
    assert collection.place == Place(newer, 2)
    assert collection.place_of(rollout) == Place(newer, 2)
    assert ids(open_paths([f"{database}@{newer}/turn:2"])) == [newer]


@pytest.mark.parametrize(
    ("tail", "what"), [("#9-9", "has no rollout 9-9"), ("#1-0@turn:9", "has no turn 9"), ("@item:no", "no item no")]
)
def test_a_locator_that_names_nothing_is_said(tmp_path: Path, tail: str, what: str) -> None:
    path = write_rows(tmp_path / "a.jsonl", answered(1, 0))
    collection = open_paths([f"{path}{tail}"])
    assert ids(collection) == []
    assert what in said(collection)


def test_a_rollout_that_is_not_in_a_folder_was_not_said_where_the_folder_held_other_files(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", answered(1, 0))
    (tmp_path / "notes.txt").write_text("of no format", "utf-8")
    collection = open_paths([f"{tmp_path}#9-9"])
    assert ids(collection) == []
    assert "has no rollout 9-9" in said(collection)


def test_missing_and_dangling_and_unmatched_are_three_things(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    collection = open_paths([str(tmp_path / name) for name in ("missing.jsonl", "link", "*.none")])
    assert ids(collection) == []
    assert "does not exist" in said(collection)
    assert "missing.jsonl" in said(collection)
    assert "matches nothing" in said(collection)
    assert len(collection.diagnostics) == 3


def test_an_empty_folder_and_one_with_nothing_readable_say_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("hello")
    (tmp_path / "other" / "script.json").write_text("{}")
    collection = open_paths([str(tmp_path / "empty"), str(tmp_path / "other")])
    assert ids(collection) == []
    assert "holds no files" in said(collection)
    assert "no rollout in its 2 files (1 of unknown format, 1 of evidence); formats tried: opencode-sqlite" in said(
        collection
    )


@pytest.mark.parametrize("name", ["requests.jsonl", "run_materialized_inputs.jsonl", "quality_summary.json"])
def test_evidence_named_as_a_rollout_is_named_for_what_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"n": 1}\n')
    collection = open_paths([str(tmp_path / name)])
    assert ids(collection) == []
    assert "no rollout; name the artifact beside it" in said(collection)


def test_evidence_in_a_folder_is_counted_and_is_no_rollout(tmp_path: Path) -> None:
    write_pi_log(tmp_path / "stdout.jsonl", "4")
    write_requests(tmp_path / "requests.jsonl", None)
    for name in ("script.json", "status.json", "models.json", "settings.json", "expect.json", "x_manifest.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "hook.mjs").write_text("export default 1")
    (tmp_path / "README").write_text("hello")
    collection = open_paths([str(tmp_path)])
    assert len(ids(collection)) == 1
    assert "8 files: evidence and no rollout" in said(collection)
    assert "1 file: no known format (README)" in said(collection)


def test_fifos_sockets_and_devices_are_skipped_and_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "null").symlink_to(os.devnull)
    write_rows(tmp_path / "a.jsonl", answered(1, 0))
    collection = open_paths([str(tmp_path)])
    assert ids(collection) == ["1-0"]
    assert "pipe.jsonl: a named pipe (FIFO), not opened" in said(collection)
    assert "null: a character device, not opened" in said(collection)
    named = open_paths([str(tmp_path / "pipe.jsonl")])
    assert ids(named) == []
    assert "named pipe" in said(named)


def test_loops_of_links_end_and_nothing_is_read_twice(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write_rows(tmp_path / "inner" / "a.jsonl", answered(1, 0))
    (tmp_path / "inner" / "up").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "inner")
    (tmp_path / "latest.jsonl").symlink_to(tmp_path / "inner" / "a.jsonl")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    assert ids(open_paths([str(tmp_path)])) == ["1-0"]


def test_a_link_out_of_the_tree_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write_rows(tmp_path / "elsewhere" / "a.jsonl", answered(1, 0))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "there").symlink_to(tmp_path / "elsewhere")
    assert ids(open_paths([str(tmp_path / "here")])) == ["1-0"]


def test_a_damaged_artifact_costs_itself(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", answered(1, 0))
    (tmp_path / "b.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    (tmp_path / "c.jsonl").write_bytes(b"{" * 70_000)
    write_export(tmp_path / "d.json", SESSION, "4")
    collection = open_paths([str(tmp_path)])
    assert ids(collection) == ["1-0", SESSION]
    assert "b.db" in said(collection)


def test_one_path_that_fails_does_not_cost_the_others(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", answered(1, 0))
    collection = open_paths(["/no/such/thing", str(path)])
    assert ids(collection) == ["1-0"]
    assert "/no/such/thing" in said(collection)


def test_a_summary_leads_back_to_its_rollout_after_other_paths(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "a.jsonl", answered(1, 0), answered(2, 0))
    log = write_pi_log(tmp_path / "log.jsonl", "4")
    collection = open_paths([str(rows), str(log)])
    summaries = list(collection.summaries())
    assert [collection.load(summary).id for summary in reversed(summaries)] == [pi_logs.SESSION, "2-0", "1-0"]


def test_a_tree_is_the_same_before_and_after(tmp_path: Path) -> None:
    write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)))
    write_export(tmp_path / "export-0.json", SESSION, "4")
    write_rows(tmp_path / "rollouts.jsonl", answered(1, 0))
    write_pi_log(tmp_path / "stdout.jsonl", "4")
    os.utime(tmp_path, ns=(1, 1))
    before = tree(tmp_path)
    with open_paths([str(tmp_path)]) as collection:
        assert len(list(collection.rollouts())) == 3
        for summary in list(collection.summaries()):
            collection.load(summary)
    assert tree(tmp_path) == before


def test_many_files_do_not_hang(tmp_path: Path) -> None:
    for number in range(40):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        for index in range(50):
            (folder / f"f{index}").touch()
    write_rows(tmp_path / "d39" / "a.jsonl", answered(1, 0))
    started = time.monotonic()
    assert ids(open_paths([str(tmp_path)])) == ["1-0"]
    assert time.monotonic() - started < 20
