"""Mutation of OpenCode databases by SQL: columns, types, views for tables, ids that repeat, rows that point nowhere."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

from tests.hostile.json_mutation import NUMBERS, STRINGS, Texts, mutate

TABLES = ("session", "message", "part", "todo", "project")
SCHEMA: tuple[str, ...] = (
    "ALTER TABLE {t} ADD COLUMN extra TEXT DEFAULT 'kept?'",
    "ALTER TABLE {t} ADD COLUMN data2 BLOB DEFAULT x'ff00'",
    "ALTER TABLE {t} RENAME COLUMN {c} TO {c}_x",
    "ALTER TABLE {t} DROP COLUMN {c}",
    "ALTER TABLE {t} RENAME TO {t}_old",
    "CREATE TABLE {t}_new AS SELECT * FROM {t}",
    "CREATE VIEW {t}_view AS SELECT * FROM {t}",
    "DROP TABLE {t}",
    "DELETE FROM {t} WHERE rowid % 2 = 0",
    "INSERT INTO {t} SELECT * FROM {t} LIMIT 3",
    "CREATE TABLE session_v2 (id TEXT, type TEXT, data TEXT)",
    "INSERT INTO session_v2 VALUES ('a', char(27) || '[2J', '{{}}')",
    "CREATE INDEX fuzz_{t} ON {t} ({c})",
    "PRAGMA user_version = 999",
)


def mutated_database(rng: Random, source: Path, target: Path, texts: Texts) -> None:
    """Write a changed copy of `source` (without a `-wal`) to `target`."""
    shutil.copyfile(source, target)
    for suffix in ("-wal",):
        if Path(f"{source}{suffix}").exists():
            shutil.copyfile(f"{source}{suffix}", f"{target}{suffix}")
    connection = sqlite3.connect(target, isolation_level=None)
    try:
        connection.execute(f"PRAGMA journal_mode = {rng.choice(['DELETE', 'WAL'])}")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for _ in range(rng.randint(1, 6)):
            with contextlib.suppress(sqlite3.Error):
                _step(rng, connection, texts)
        with contextlib.suppress(sqlite3.Error):
            connection.execute("COMMIT")
    finally:
        connection.close()
    Path(f"{target}-shm").unlink(missing_ok=True)


def _step(rng: Random, connection: sqlite3.Connection, texts: Texts) -> None:
    table = rng.choice(TABLES[:3] if rng.random() < 0.9 else TABLES)
    columns = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
    if not columns:
        return
    column = rng.choice(columns)
    kind = rng.randrange(10)
    if kind == 0:
        connection.execute(rng.choice(SCHEMA).format(t=table, c=column))
    elif kind == 1:
        connection.execute(
            f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (_cell(rng), _rowid(rng, connection, table))
        )
    elif kind == 2:
        connection.execute(f"UPDATE {table} SET {column} = ?", (_cell(rng),))
    elif kind == 3:
        _as_view(connection, table, columns)
    elif kind == 4:
        _loose(connection, table, columns)
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid % 2 = 1", (_cell(rng),))
    elif kind == 5:
        other = rng.choice(["session", "message", "part"])
        query = f"UPDATE {table} SET {column} = (SELECT id FROM {other} ORDER BY random() LIMIT 1) WHERE rowid = ?"
        connection.execute(query, (_rowid(rng, connection, table),))
    else:
        _in_data(rng, connection, rng.choice(["message", "part", "part"]), texts)


def _in_data(rng: Random, connection: sqlite3.Connection, table: str, texts: Texts) -> None:
    rowid = _rowid(rng, connection, table)
    row = connection.execute(f"SELECT data FROM {table} WHERE rowid = ?", (rowid,)).fetchone()
    if row is None or not isinstance(row[0], str):
        return
    with contextlib.suppress(ValueError, RecursionError):
        data = texts.dump(mutate(rng, json.loads(row[0]), texts, rng.randint(1, 4)))
        stored: Any = data if rng.random() < 0.1 else data.decode("utf-8", "replace")
        connection.execute(f"UPDATE {table} SET data = ? WHERE rowid = ?", (stored, rowid))


def _as_view(connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
    """A view under the table's name over a table under another."""
    connection.execute(f"ALTER TABLE {table} RENAME TO {table}_under")
    connection.execute(f"CREATE VIEW {table} AS SELECT {', '.join(columns)} FROM {table}_under")


def _loose(connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
    """The same rows in a table without types or keys, so that ids may be NULL and repeat."""
    connection.execute(f"CREATE TABLE loose AS SELECT {', '.join(columns)} FROM {table}")
    connection.execute(f"DROP TABLE {table}")
    connection.execute(f"ALTER TABLE loose RENAME TO {table}")


def _rowid(rng: Random, connection: sqlite3.Connection, table: str) -> int:
    rows = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}") if row[0] is not None]  # a view has none
    return int(rng.choice(rows)) if rows else 0


def _cell(rng: Random) -> Any:
    kind = rng.randrange(5)
    if kind == 0:
        return None
    if kind == 1:
        number = rng.choice(NUMBERS)
        return number if abs(number) < 2**63 else float(number)
    if kind == 2:
        return rng.randbytes(rng.choice([0, 1, 9, 40]))
    return rng.choice(STRINGS).encode("utf-8", "replace").decode()
