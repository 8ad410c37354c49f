"""Read-only access: nothing is written to or beside a source, and nothing that blocks is opened."""

from __future__ import annotations

import io
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from rollout_loaders import source
from rollout_loaders.errors import ReadError


def a_wal_database(folder: Path) -> Path:
    """A database whose rows lie in its WAL only, as OpenCode leaves it (formats 1.1)."""
    path = folder / "opencode.db"
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma wal_autocheckpoint=0")
    connection.execute("create table t(x)")
    connection.execute("insert into t values (4)")
    connection.commit()
    saved = {name: (folder / name).read_bytes() for name in ("opencode.db", "opencode.db-wal")}
    connection.close()  # a clean close folds the WAL in: put back what a killed writer leaves
    for name, data in saved.items():
        (folder / name).write_bytes(data)
    (folder / "opencode.db-shm").unlink(missing_ok=True)
    return path


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        path.name: (path.stat().st_mtime_ns, path.stat().st_size, path.read_bytes() if path.is_file() else b"")
        for path in [folder, *sorted(folder.rglob("*"))]
    }


def test_a_private_copy_has_the_wal_and_leaves_the_source_alone(tmp_path: Path) -> None:
    database = a_wal_database(tmp_path)
    before = tree(tmp_path)
    with source.private_copy(database) as copy:
        assert tmp_path not in copy.parents
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
        connection = sqlite3.connect(copy)
        assert connection.execute("select x from t").fetchall() == [(4,)]
        connection.close()
    assert not copy.parent.exists()
    assert tree(tmp_path) == before


def test_the_copy_is_removed_when_its_user_fails(tmp_path: Path) -> None:
    database = a_wal_database(tmp_path)
    with pytest.raises(KeyError), source.private_copy(database) as copy:
        raise KeyError
    assert not copy.parent.exists()


def test_a_database_that_changes_during_the_copy_is_copied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "opencode.db"
    database.write_bytes(b"old")
    opened = source.open_file
    changes = [b"new!"]

    def open_and_change(path: Path) -> object:
        file = opened(path)
        if changes:
            database.write_bytes(changes.pop())
            os.utime(database, ns=(1, 1))
        return file

    monkeypatch.setattr(source, "open_file", open_and_change)
    with source.private_copy(database) as copy:
        assert copy.read_bytes() == b"new!"


def test_a_database_that_never_rests_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "opencode.db"
    database.write_bytes(b"x")
    opened = source.open_file
    ticks = iter(range(1, 100))

    def open_and_change(path: Path) -> object:
        os.utime(database, ns=(next(ticks), next(ticks)))
        return opened(path)

    monkeypatch.setattr(source, "open_file", open_and_change)
    monkeypatch.setattr(source, "_PAUSE", 0.0)
    with pytest.raises(ReadError, match="changed during each of"), source.private_copy(database):
        pass


def test_a_wal_that_only_grows_is_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "opencode.db"
    database.write_bytes(b"x")
    wal = tmp_path / "opencode.db-wal"
    wal.write_bytes(b"h" * 32)
    opened = source.open_file
    copies: list[Path] = []

    def open_and_grow(path: Path) -> object:
        copies.append(path)
        if path == wal:
            with wal.open("ab") as file:
                file.write(b"frame")
        return opened(path)

    monkeypatch.setattr(source, "open_file", open_and_grow)
    with source.private_copy(database) as copy:
        assert copy.with_name("copy.db-wal").read_bytes().startswith(b"h" * 32)
    assert copies.count(database) == 1


@pytest.mark.parametrize("kind", ["fifo", "folder", "missing"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    expected = {"fifo": "named pipe", "folder": "folder", "missing": "does not exist"}[kind]
    with pytest.raises(ReadError, match=expected) as refused:
        source.head(path)
    assert str(path) in str(refused.value)


def test_a_device_is_refused() -> None:
    with pytest.raises(ReadError, match="character device"):
        source.head(Path(os.devnull))


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(ReadError, match="is no path"):
        source.head(Path("a\0b"))


def test_a_head_is_bounded_and_a_whole_file_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100_000)
    assert len(source.head(path)) == 65_536
    assert source.read_whole(path) == b"x" * 100_000
    with pytest.raises(ReadError, match="more than 99,999"):
        source.read_whole(path, 99_999)


def test_standard_input_is_spooled_to_a_private_file() -> None:
    with source.spooled_stdin(io.BytesIO(b"{}\n")) as spool:
        assert spool.read_bytes() == b"{}\n"
        assert stat.S_IMODE(spool.parent.stat().st_mode) == 0o700
    assert not spool.exists()
