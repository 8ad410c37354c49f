"""`Follower.poll`: what another program wrote since, whatever it did to the file, without holding it up."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_files import dumped, write
from tests.samples.gym_rows import message, row

from rollout_loaders.collection import open_paths
from rollout_loaders.collection.following import Follower
from rollout_loaders.formats import gym_scan
from rollout_loaders.index import folder, identity, opened


@pytest.fixture(autouse=True, params=["cache", "no cache"])
def cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv(folder.SWITCH, "" if request.param == "cache" else "off")
    monkeypatch.setattr(opened, "PAYS", 0)
    monkeypatch.setattr(identity, "FRESH_NS", 0)


def line(task: int, text: str = "x") -> bytes:
    return dumped(row(task, 0, [message(text)])) + b"\n"


def following(*paths: Path) -> tuple[Follower, list[str]]:
    follower = Follower(open_paths([str(path) for path in paths]))
    return follower, [summary.id for summary in follower.summaries()]


def polled(follower: Follower) -> tuple[list[str], list[str]] | None:
    change = follower.poll()
    return None if change is None else ([s.id for s in change.rows], sorted(Path(p).name for p in change.replaced))


def appended(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_new_lines_are_new_rows_and_nothing_else_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0) + line(1))
    follower, first = following(path)
    assert first == ["0-0", "1-0"] and polled(follower) is None
    before = path.stat().st_size
    appended(path, line(2) + b"no json\n" + line(3, "fourth")[:50])
    starts: list[int] = []
    scan = gym_scan.scan

    def noted(file: Any, start: int, end: int, plain: Any) -> Any:
        starts.append(start)
        return scan(file, start, end, plain)

    monkeypatch.setattr(gym_scan, "scan", noted)
    assert polled(follower) == (["2-0"], [])  # what is not complete is not read
    assert starts == [before]
    assert polled(follower) is None
    appended(path, line(3, "fourth")[50:])
    change = follower.poll()
    assert change is not None and [s.source.locator for s in change.rows] == ["L5"]
    assert follower.load(change.rows[0]).final_answer.text == "fourth"
    assert [d.locator for d in follower.diagnostics] == [f"{path}#L4"]


def test_rows_of_every_kind_are_as_a_new_listing_gives_them(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0))
    follower, _ = following(path)
    odd: list[dict[str, Any]] = [
        row(7, 0, [{"type": "unheard_of"}]),
        {"response": {"output": []}},
        row(8, 0, [], mask_sample=True),
    ]
    appended(path, b"\n" + b"".join(dumped(one) + b"\n" for one in odd))
    change = follower.poll()
    assert change is not None
    assert list(change.rows) == list(open_paths([str(path)]).summaries())[1:]
    assert len(change.rows) == 3


def rotate(path: Path) -> None:
    path.rename(path.with_name("rollouts.jsonl.1"))
    path.write_bytes(line(5) + line(6))


def truncate(path: Path) -> None:
    path.write_bytes(line(5))


def rewrite(path: Path) -> None:
    path.write_bytes(line(5, "longer than before") + line(6) + line(7) + line(8))


def edit(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(path.read_bytes().replace(b'"reward": 0.0', b'"reward": 1.0'))


def repeat(path: Path) -> None:
    appended(path, line(1))


@pytest.mark.parametrize("change", [rotate, truncate, rewrite, edit, repeat])
def test_a_file_that_did_not_just_grow_is_read_again(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0) + line(1) + line(2))
    follower, _ = following(path)
    os.utime(path, ns=(1, 1))
    assert polled(follower) is not None  # its time changed
    change(path)
    found = follower.poll()
    assert found is not None and found.replaced == {str(path)}
    assert list(found.rows) == list(open_paths([str(path)]).summaries())
    appended(path, line(9))
    assert polled(follower) == (["9-0"], [])


def test_a_failure_beside_it_changes_its_row(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", row(0, 0, [message("x")]))
    follower, _ = following(path)
    failed = {"_ng_task_index": 0, "_ng_rollout_index": 0, "_ng_failure_class": "agent_error"}
    write(tmp_path / "rollouts_failures.jsonl", failed)
    assert polled(follower) == (["0-0"], ["rollouts.jsonl"])


def test_a_new_file_of_a_folder_and_a_file_that_vanishes(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    write(run / "a_rollouts.jsonl", row(0, 0, [message("x")]))
    follower, first = following(run)
    assert first == ["0-0"]
    write(run / "b_rollouts.jsonl", row(1, 0, [message("x")]))
    assert polled(follower) == (["1-0"], [])
    appended(run / "b_rollouts.jsonl", line(2))
    assert polled(follower) == (["2-0"], [])
    (run / "a_rollouts.jsonl").unlink()
    assert polled(follower) == ([], ["a_rollouts.jsonl"])
    assert polled(follower) is None


def cut_to_nothing(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("gone", [cut_to_nothing, Path.unlink])
def test_a_file_that_was_met_while_it_was_written_anew_is_followed_on(
    tmp_path: Path, gone: Callable[[Path], object]
) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0) + line(1))
    follower, _ = following(path)
    gone(path)
    assert polled(follower) == ([], ["rollouts.jsonl"])
    assert polled(follower) is None
    path.write_bytes(line(5))
    assert polled(follower) == (["5-0"], ["rollouts.jsonl"])
    appended(path, line(6))
    assert polled(follower) == (["6-0"], [])


def store(path: Path) -> sqlite3.Connection:
    """Tables as formats 1.2 has them, as far as they are read."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode=wal")
    db.execute(
        "create table `session` (id text primary key, project_id text, parent_id text, directory text, title text,"
        " version text, time_created integer, time_updated integer)"
    )
    for table, more in (("message", ""), ("part", "message_id text,")):
        db.execute(
            f"create table `{table}` (id text primary key, {more} session_id text, time_created integer,"
            " time_updated integer, data text)"
        )
    return db


def add_session(db: sqlite3.Connection, number: int) -> None:
    name = f"ses_{number}"
    db.execute("insert into session values (?, 'p', null, '/', 't', '1.2.27', ?, ?)", (name, number, number))
    data = {"role": "assistant", "finish": "stop", "time": {"created": number, "completed": number}}
    db.execute("insert into message values (?, ?, ?, ?, ?)", (f"msg_{number}", name, number, number, json.dumps(data)))


def test_a_database_is_followed_while_its_writer_writes(tmp_path: Path) -> None:
    path = tmp_path / "run" / "opencode.db"
    path.parent.mkdir()
    writer = store(path)
    add_session(writer, 1)
    follower, first = following(path)
    assert first == ["ses_1"] and polled(follower) is None
    writer.execute("begin immediate")  # nothing that follows may wait for this, nor make it wait
    add_session(writer, 2)
    before = follower.poll()
    assert before is None or [s.id for s in before.rows] == ["ses_1"]
    writer.execute("commit")
    found = follower.poll()
    assert found is not None and [s.id for s in found.rows] == ["ses_1", "ses_2"]
    assert found.replaced == {str(path)}
    writer.execute("pragma wal_checkpoint(truncate)")  # fails with "locked" if a reader held it
    assert sorted(p.name for p in path.parent.iterdir()) == ["opencode.db", "opencode.db-shm", "opencode.db-wal"]
    writer.close()


async def test_the_list_shows_what_was_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rollout_inspector.app import InspectorApp
    from rollout_inspector.screens.browse import BrowseScreen

    monkeypatch.setattr("rollout_inspector.screens.browse_reading._FOLLOW_SECONDS", 0.02)
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0) + line(1))
    app = InspectorApp((str(path),), follow=True)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowseScreen)

        async def listed(*ids: str) -> None:
            for _ in range(500):
                await pilot.pause(0.02)
                if [row.id for row in screen.rows] == list(ids):
                    return
            raise AssertionError([row.id for row in screen.rows])

        await listed("0-0", "1-0")
        await pilot.pause(0.1)
        appended(path, line(2))
        await listed("0-0", "1-0", "2-0")
        truncate(path)
        await listed("5-0")
        app.workers.cancel_all()


def written_at_once(path: Path) -> None:
    path.write_bytes(line(0) + line(1))


def written_piece_by_piece(path: Path) -> None:
    path.write_bytes(line(0)[:20])


@pytest.mark.parametrize("write_it", [written_at_once, written_piece_by_piece])
@pytest.mark.parametrize("named", ["file", "folder"])
def test_a_file_that_was_empty_when_following_began_was_never_taken_up(
    tmp_path: Path, named: str, write_it: Callable[[Path], None]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    path = folder / "rollouts.jsonl"
    path.touch()
    follower, first = following(path if named == "file" else folder)
    assert first == [] and follower.diagnostics
    assert polled(follower) is None
    write_it(path)
    polled(follower)
    path.write_bytes(line(0) + line(1))
    polled(follower)
    appended(path, line(2))
    polled(follower)
    assert [summary.id for summary in follower.collection.summaries()] == ["0-0", "1-0", "2-0"]
    assert follower.diagnostics == (), "what was said of the empty file holds no longer"


def test_what_is_added_to_a_file_that_was_empty_is_a_new_row(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.touch()
    follower, first = following(path)
    assert first == []
    path.write_bytes(line(0))
    assert polled(follower) == (["0-0"], [])
    assert polled(follower) is None
    appended(path, line(1))
    assert polled(follower) == (["1-0"], [])


def test_a_long_file_of_no_known_format_is_not_asked_about_again_when_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "rollouts.jsonl").write_bytes(line(0))
    log = folder / "server.log"
    log.write_bytes(b"started\n" * 20_000)
    follower, first = following(folder)
    assert first == ["0-0"]
    polled(follower)  # the folder is new: it may have changed while it was listed
    polled(follower)
    searched: list[object] = []
    units_of = follower.collection.units_of

    def noted(*arguments: Any) -> Any:
        searched.append(arguments)
        return units_of(*arguments)

    monkeypatch.setattr(follower.collection, "units_of", noted)
    appended(log, b"more\n")
    assert polled(follower) is None and not searched
    (folder / "new.jsonl").touch()
    assert polled(follower) is None and searched


def test_what_was_said_of_a_line_that_was_half_written_is_forgotten_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0) + line(1)[:40])
    follower, first = following(path)
    assert first == ["0-0"] and [one.code for one in follower.diagnostics] == ["torn-line"]
    path.write_bytes(line(0) + line(1))
    polled(follower)
    assert [summary.id for summary in follower.collection.summaries()] == ["0-0", "1-0"]
    assert follower.diagnostics == ()


def test_damaged_lines_that_come_while_following_are_said(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(line(0) + line(1)[:30])
    follower, _ = following(path)
    assert [one.code for one in follower.diagnostics] == ["torn-line"]
    path.write_bytes(line(0) + line(1)[:30] + b" oops}\n{]\n" + line(2))
    assert polled(follower) == (["2-0"], [])
    assert [one.locator for one in follower.diagnostics] == [f"{path}#L2", f"{path}#L3"]
    assert "torn-line" not in {one.code for one in follower.diagnostics}


def test_a_row_longer_than_the_head_of_a_file_is_taken_up_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "rollouts.jsonl").write_bytes(line(0))
    path = folder / "unnamed.jsonl"
    path.touch()
    follower, first = following(folder)
    assert first == ["0-0"]
    long = line(1, "x" * 150_000)
    for end in (50_000, 100_000, len(long)):
        polled(follower)
        path.write_bytes(long[:end])
    assert polled(follower) == (["1-0"], [])
    appended(path, line(2))
    assert polled(follower) == (["2-0"], [])


def test_a_log_that_becomes_a_rollouts_file_in_its_place_is_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "rollouts"
    path.write_bytes(b"a log line\n" * 20_000)
    follower, first = following(path)
    assert first == [] and polled(follower) is None
    appended(path, b"more\n")
    assert polled(follower) is None
    path.write_bytes(line(0, "x" * 250_000))
    assert polled(follower) == (["0-0"], [])
    assert follower.diagnostics == ()


def test_a_subfolder_that_held_nothing_is_looked_into_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "empty").mkdir(parents=True)
    (folder / "rollouts.jsonl").write_bytes(line(0))
    follower, _ = following(folder)
    polled(follower)
    (folder / "new").mkdir()
    polled(follower)
    (folder / "empty" / "rollouts.jsonl").write_bytes(line(1))
    assert polled(follower) == (["1-0"], [])
    (folder / "new" / "rollouts.jsonl").write_bytes(line(2))
    assert polled(follower) == (["2-0"], [])


@pytest.mark.parametrize("named", ["rollouts.jsonl", "*.jsonl"])
def test_what_is_not_there_when_following_begins_is_taken_up(tmp_path: Path, named: str) -> None:
    follower, first = following(tmp_path / named)
    assert first == [] and len(follower.diagnostics) == 1
    assert polled(follower) is None
    (tmp_path / "rollouts.jsonl").write_bytes(line(0))
    assert polled(follower) == (["0-0"], [])
    assert not follower.diagnostics


def test_what_a_search_met_is_forgotten_when_it_meets_something_else(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "rollouts.jsonl").write_bytes(line(0))
    os.mkfifo(folder / "other.jsonl")
    follower, _ = following(folder)
    assert [one.code for one in follower.diagnostics] == ["entry-skipped"]
    (folder / "other.jsonl").unlink()
    (folder / "other.jsonl").write_bytes(line(1))
    assert polled(follower) == (["1-0"], [])
    assert follower.diagnostics == ()


def test_what_is_said_of_a_file_whose_name_begins_as_that_of_another_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    first, second = folder / "a_rollouts.jsonl", folder / "a_rollouts.jsonl#b_rollouts.jsonl"
    first.write_bytes(line(0))
    second.write_bytes(line(1) + b"no json\n")
    follower, _ = following(folder)
    said = follower.diagnostics
    assert [one.locator for one in said] == [f"{second}#L2"]
    rewrite(first)
    assert polled(follower) is not None
    assert follower.diagnostics == said
