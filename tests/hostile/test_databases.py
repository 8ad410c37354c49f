"""Databases that are made to mislead, to hang or to fill the memory."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import time
from contextlib import closing
from pathlib import Path

import pytest

from rollout_loaders.collection import open_paths
from rollout_loaders.formats.opencode_tables import Tables
from rollout_loaders.model import Diagnostic, Rollout
from tests.loaders.session_folders import write_database

PAGE = 512


def make_database(path: Path, parts: int = 2) -> sqlite3.Connection:
    """A database of one session with one assistant message; left open."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE}")
    connection.execute("CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT, time_created INTEGER)")
    columns = "id TEXT, session_id TEXT, time_created INTEGER, data TEXT"
    connection.execute(f"CREATE TABLE message ({columns})")
    connection.execute(f"CREATE TABLE part ({columns}, message_id TEXT)")
    connection.execute("CREATE INDEX part_session ON part (session_id)")
    connection.execute("INSERT INTO session VALUES ('ses_1', NULL, 'one', 1)")
    message = {"role": "assistant", "finish": "stop", "time": {"created": 1, "completed": 2}}
    connection.execute("INSERT INTO message VALUES ('msg_1', 'ses_1', 1, ?)", (json.dumps(message),))
    for number in range(parts):
        data = json.dumps({"type": "text", "text": f"part {number}"})
        connection.execute("INSERT INTO part VALUES (?, 'ses_1', 1, ?, 'msg_1')", (f"prt_{number:04}", data))
    return connection


def read(path: Path) -> tuple[list[Rollout], tuple[Diagnostic, ...]]:
    with open_paths([str(path)]) as collection:
        rollouts = list(collection.rollouts())
        return rollouts, collection.diagnostics


def test_a_view_is_named_and_never_run(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(make_database(path)) as connection:
        connection.execute("ALTER TABLE session RENAME TO hidden")
        endless = (
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS parent_id FROM n"
        )
        connection.execute(f"CREATE VIEW session AS {endless}")
    rollouts, said = read(path)
    assert [rollout.id for rollout in rollouts] == ["ses_1"]
    assert any(d.code == "view-not-read" and "session" in d.message for d in said)


def test_an_index_that_lost_its_entries_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(make_database(path, parts=5)) as connection:
        connection.execute("CREATE TABLE empty (x TEXT)")
        connection.execute("CREATE INDEX empty_x ON empty (x)")
        connection.execute("PRAGMA writable_schema = ON")
        other = "(SELECT rootpage FROM sqlite_master WHERE name = 'empty_x')"
        connection.execute(f"UPDATE sqlite_master SET rootpage = {other} WHERE name = 'part_session'")
    with closing(sqlite3.connect(path)) as connection:  # what a reader that trusts the index would see
        assert connection.execute("SELECT * FROM part WHERE session_id IN ('ses_1')").fetchall() == []
    (rollout,), said = read(path)
    assert [piece.text for piece in rollout.invocations[0].turns[0].answer] == [f"part {n}" for n in range(5)]
    assert "database-check" in [d.code for d in said]


def test_a_table_is_no_program(tmp_path: Path) -> None:
    """A generated column could make gigabytes of a row of no length."""
    path = tmp_path / "opencode.db"
    with closing(make_database(path)) as connection:
        connection.execute("DROP TABLE part")
        big = "data BLOB GENERATED ALWAYS AS (zeroblob(400000000)) VIRTUAL"
        connection.execute(
            f"CREATE TABLE part (id TEXT, session_id TEXT, message_id TEXT, time_created INTEGER, {big})"
        )
        connection.execute("INSERT INTO part VALUES ('prt_1', 'ses_1', 'msg_1', 1)")
    start = time.process_time()
    (rollout,), _ = read(path)
    assert time.process_time() - start < 1
    assert any(d.code == "record-unreadable" for d in rollout.diagnostics)


def _inner_page(child: int, children: int) -> bytes:
    """An inner page of a table whose children are all the same page."""
    cells = [struct.pack(">I", child) + bytes([number + 1]) for number in range(children)]
    start = PAGE - sum(map(len, cells))
    head = struct.pack(">BHHHBI", 5, 0, children, start, 0, child)
    pointers = b"".join(struct.pack(">H", start + 5 * number) for number in range(children))
    return (head + pointers).ljust(start, b"\0") + b"".join(cells)


@pytest.mark.parametrize("table", ["part", "session_v2"])
def test_pages_that_lead_back_do_not_hang(tmp_path: Path, table: str) -> None:
    """Twelve pages of fifty children each are fifty to the twelfth rows."""
    path = tmp_path / "opencode.db"
    with closing(make_database(path)) as connection:
        connection.execute("CREATE TABLE session_v2 (id TEXT)")
        connection.execute("INSERT INTO session_v2 VALUES ('ses_2')")
        pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
        found = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        root = int(found[0])
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (pages + 1, table))
    data = bytearray(path.read_bytes())
    levels = 12
    for level in range(levels):
        data += _inner_page(root if level == levels - 1 else pages + level + 2, 50)
    data[28:32] = struct.pack(">I", pages + levels)
    path.write_bytes(data)
    start = time.process_time()
    (rollout,), said = read(path)
    assert time.process_time() - start < 5
    assert {"database-damaged", "database-check"} <= {d.code for d in said}
    kept = [piece.text for piece in rollout.invocations[0].turns[0].answer]
    assert kept == ["part 0", "part 1"]


def test_a_row_id_that_is_sql_is_only_text(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    name = "ses_'; DROP TABLE part; --"
    with closing(make_database(path)) as connection:
        for table, column in (("session", "id"), ("message", "session_id"), ("part", "session_id")):
            connection.execute(f"UPDATE {table} SET {column} = ?", (name,))
    before = path.read_bytes()
    (rollout,), _ = read(path)
    assert rollout.id == name
    assert len(rollout.invocations[0].turns[0].answer) == 2
    assert path.read_bytes() == before


def test_a_database_without_indexes_took_the_square_of_its_sessions(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", *((f"ses_{number}", None, ("4",)) for number in range(5)))
    before = path.read_bytes()
    tables = Tables.of(Path(shutil.copy(path, tmp_path / "copy.db")))
    for number in range(5):
        assert [row["session_id"] for row in tables.rows("part", None, "session_id", [f"ses_{number}"])] == [
            f"ses_{number}",
            f"ses_{number}",
        ]
    plan = "EXPLAIN QUERY PLAN SELECT * FROM part WHERE session_id IN ('ses_1')"
    assert "USING INDEX" in str(tables.connection.execute(plan).fetchall())
    with pytest.raises(sqlite3.DatabaseError, match="readonly"):
        tables.connection.execute("DELETE FROM part")
    with open_paths([str(path)]) as collection:
        assert len(list(collection.rollouts())) == 5 and not collection.diagnostics
    assert path.read_bytes() == before and sorted(tmp_path.iterdir()) == [tmp_path / "copy.db", path]
