"""Faults of the machine around the files: each ends in a clear line and exit 2, or in what could be read and a word."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from rollout_inspector.cli import run
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document, encode
from tests.hostile.test_databases import make_database
from tests.hostile.test_defects import message, row
from tests.paths import RECORDINGS, SAMPLES

COMMAND = [sys.executable, "-m", "rollout_inspector"]
TREES = [root for root in (SAMPLES, RECORDINGS) if root.is_dir()]


def command(
    *arguments: str,
    stdin: int | None = None,
    preexec: Callable[[], None] | None = None,
    seconds: float = 60,
    **env: str,
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        timeout=seconds,
        check=False,
        preexec_fn=preexec,
        env={**os.environ, **env},
    )


def one_clear_line(done: subprocess.CompletedProcess[bytes]) -> str:
    """Exit 2, nothing on stdout, one line on stderr and no traceback; the line."""
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert done.stdout == b""
    assert len(said.splitlines()) == 1, said
    assert "Traceback" not in said
    assert "internal error" not in said
    return said


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def write_rows(path: Path, count: int, text: str = "four") -> Path:
    records = [{**row(message({"type": "output_text", "text": text})), "_ng_task_index": n} for n in range(count)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def state_of(tree: Path) -> dict[str, tuple[object, ...]]:
    """Names, times and bytes of everything in a tree. Access times too: reading leaves nothing behind."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(tree.rglob("*")):
        stat = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(tree))] = (stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, data)
    return found


@pytest.mark.parametrize("tree", TREES, ids=lambda path: path.name)
def test_a_tree_that_is_read_stays_as_it_is(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state_of(tree)
    for arguments in (["list", "--json"], ["show", "--json", "--items", "--parts"], ["why"], ["check"]):
        run([*arguments, str(tree)])
    run(["export", str(tree), "-o", f"{tmp_path / 'out'}/"])
    run(["search", "four", str(tree)])
    capsys.readouterr()
    assert state_of(tree) == before


def test_a_folder_that_may_not_be_written_is_read_whole(tmp_path: Path) -> None:
    """No `-shm`, no lock file: a database in a read-only folder reads as anywhere."""
    folder = tmp_path / "ro"
    shutil.copytree(SAMPLES / "split-reply", folder)
    (folder / "opencode.db-shm").unlink(missing_ok=True)
    before = state_of(folder)
    folder.chmod(0o555)
    try:
        with open_paths([str(folder)]) as collection:
            assert len(list(collection.rollouts())) == 1
    finally:
        folder.chmod(0o755)
    assert state_of(folder) == before


@pytest.mark.parametrize("suffix", ["html", "md", "txt", "json", "ipynb"])
def test_an_export_that_finds_no_room_leaves_nothing(suffix: str, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rollouts.jsonl", 3, "x" * 8000)
    target = tmp_path / "out" / f"a.{suffix}"
    target.parent.mkdir()
    said = one_clear_line(command("export", str(rows), "-o", str(target), preexec=small_files))
    assert str(target) in said
    assert list(target.parent.iterdir()) == []


def test_a_fixture_that_finds_no_room_is_one_line(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rollouts.jsonl", 1, "x" * 8000)
    said = one_clear_line(command("walk", str(tmp_path / "fixture"), "--record", str(rows), preexec=small_files))
    assert "fixture" in said


def test_a_private_copy_that_finds_no_room_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    make_database(path, parts=100).close()
    said = one_clear_line(command("show", str(path), preexec=small_files))
    assert "TMPDIR" in said or "too large" in said
    assert list(tmp_path.iterdir()) == [path]


def test_no_temporary_folder_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    make_database(path).close()
    said = one_clear_line(command("show", str(path), TMPDIR=str(tmp_path / "nowhere"))) if not _tmp() else ""
    assert "TMPDIR" in said or _tmp()


def _tmp() -> bool:
    return any(os.access(folder, os.W_OK) for folder in ("/tmp", "/var/tmp", "/usr/tmp"))


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rollouts.jsonl", 400, "x" * 2000)
    with open_paths([str(rows)]) as collection:
        reading = collection.rollouts()
        first = next(reading)
        os.truncate(rows, 1000)
        rest = list(reading)
        said = collection.diagnostics
    assert first.final_answer.text == "x" * 2000
    assert len(rest) < 399
    assert said, "rows are gone and nothing says so"


def test_a_file_that_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    """What was listed is given, or it is said that the file has changed; never another rollout under its name."""
    rows = write_rows(tmp_path / "rollouts.jsonl", 50, "old")
    with open_paths([str(rows)]) as collection:
        summaries = list(collection.summaries())
        others = [
            {**row(message({"type": "output_text", "text": "new"})), "_ng_task_index": 1000 + n} for n in range(50)
        ]
        rows.write_text("".join(json.dumps(record) + "\n" for record in others), "utf-8")
        for summary in summaries[:5]:
            with contextlib.suppress(Exception):
                loaded = collection.load(summary)
                assert loaded.id == summary.id


def test_a_database_that_vanishes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    make_database(path).close()
    with open_paths([str(path)]) as collection:
        (summary,) = list(collection.summaries())
        path.unlink()
        with pytest.raises(Exception, match=r"does not exist|no longer there"):
            collection.load(summary)


def test_the_wal_of_another_database_is_no_silent_mixture(tmp_path: Path) -> None:
    """SQLite replays any `-wal` of the same page size; what comes of it is checked."""
    path, other = tmp_path / "opencode.db", tmp_path / "other.db"
    make_database(path, parts=40).close()
    with closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE strange (x TEXT)")
        connection.executemany("INSERT INTO strange VALUES (?)", [("y" * 300,)] * 40)
        shutil.copyfile(f"{other}-wal", f"{path}-wal")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    shutil.copyfile(f"{other}-wal", f"{path}-wal") if Path(f"{other}-wal").exists() else None
    with open_paths([str(path)]) as collection:
        rollouts = list(collection.rollouts())
        said = [*collection.diagnostics, *(d for rollout in rollouts for d in rollout.diagnostics)]
    kept = [piece for one in rollouts for turn in one.invocations[0].turns for piece in turn.answer]
    assert said or len(kept) == 40
    for rollout in rollouts:
        encode(document(rollout, parts=True))


def test_a_fifo_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rollouts.jsonl")
    assert "FIFO" in one_clear_line(command("show", str(tmp_path / "rollouts.jsonl"), seconds=30))
    alone = command("list", str(tmp_path), seconds=30)
    assert alone.returncode == 2
    assert b"FIFO" in alone.stderr
    write_rows(tmp_path / "other.jsonl", 1)
    done = command("list", "--json", str(tmp_path), seconds=30)
    assert done.returncode == 0
    assert b"FIFO" in done.stderr


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null", "/dev/tty"])
def test_a_device_is_no_file(device: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"no {device}")
    assert "device" in one_clear_line(command("show", device, seconds=30))


def test_an_endless_device_as_standard_input_is_refused() -> None:
    with Path("/dev/zero").open("rb") as zero:
        assert "device" in one_clear_line(command("show", "-", stdin=zero.fileno(), seconds=30))


def test_standard_input_has_a_bound_that_can_be_raised(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rollouts.jsonl", 200)
    with rows.open("rb") as file:
        said = one_clear_line(command("show", "-", stdin=file.fileno(), ROLLOUT_INSPECT_MAX_FILE="1000"))
    assert "ROLLOUT_INSPECT_MAX_FILE" in said


def test_links_that_lead_in_a_ring_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "symbolic link" in one_clear_line(command("show", str(tmp_path / "a")))
    inner = tmp_path / "runs"
    inner.mkdir()
    write_rows(inner / "rollouts.jsonl", 1)
    (inner / "again").symlink_to(inner)
    (inner / "up").symlink_to(tmp_path)
    done = command("list", "--json", str(tmp_path), seconds=30)
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 1


def test_a_folder_of_many_files_ends(tmp_path: Path) -> None:
    """100,000 files that are nothing: named once, in time."""
    for number in range(100_000):
        os.close(os.open(tmp_path / f"{number}.txt", os.O_CREAT | os.O_WRONLY))
    write_rows(tmp_path / "rollouts.jsonl", 1)
    start = time.process_time()
    with open_paths([str(tmp_path)]) as collection:
        assert len(list(collection.rollouts())) == 1
        assert len(collection.diagnostics) < 10
    assert time.process_time() - start < 60


@pytest.mark.parametrize("name", ["bomb.json", "bomb.jsonl", "bomb.json.gz", "opencode.db", "export.json"])
def test_a_compressed_bomb_is_never_unpacked(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"0" * 200_000_000, 9))
    said = one_clear_line(command("show", str(path)))
    assert name in said


@pytest.mark.parametrize(
    "name", ["rollouts.jsonl", "opencode.db", "export.json", "storage", "result.json", "expect.json"]
)
def test_a_folder_named_like_a_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    for arguments in (["show", str(tmp_path / name)], ["list", str(tmp_path)]):
        assert "folder" in one_clear_line(command(*arguments))
    write_rows(tmp_path / "other.jsonl", 2)
    done = command("list", "--json", str(tmp_path))
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 2)


def test_an_unreadable_file_among_others_costs_itself(tmp_path: Path) -> None:
    write_rows(tmp_path / "good.jsonl", 2)
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "zeros.db").write_bytes(bytes(8192))
    done = command("list", "--json", str(tmp_path))
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 2)
    assert b"nowhere.jsonl" in done.stderr


def test_names_of_files_are_text_and_no_options_or_escapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: Sequence[str] = (
        "-rf.jsonl",
        "a\x1b[2Jb.jsonl",
        "c\nd.jsonl",
        "\u202egnp.jsonl",
        "#3-1@turn:2.jsonl",
        "*.jsonl",
    )
    for name in names:
        write_rows(tmp_path / name, 1)
    assert run(["list", "--json", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert said.out.count("\n") == len(names)
    for word in ("\x1b", "\u202e"):
        assert word not in said.out + said.err
    for name in names:
        assert run(["show", "--json", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.count("\n") == 1, name
