"""Databases of every release whose schema is recorded, also upgraded ones (formats 1.2 and 1.10)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from tests.loaders.opencode_data import Session, text
from tests.paths import SHARED

from rollout_loaders.formats.opencode_sqlite import READER
from rollout_loaders.reader import ReadOptions

SCHEMAS = sorted((SHARED / "reference" / "schema").glob("opencode-*.sql"))


def insert(connection: sqlite3.Connection, table: str, values: dict[str, object]) -> None:
    """Insert a row, with '' or 0 for columns that must not be null."""
    row = dict(values)
    for _, name, kind, needed, default, _ in connection.execute(f"PRAGMA table_info({table})").fetchall():
        if needed and default is None and name not in row:
            row[name] = 0 if "int" in kind.lower() else ""
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


@pytest.mark.skipif(not SCHEMAS, reason="needs the recorded schemas beside the repository")
@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda path: path.stem)
def test_release(schema: Path, tmp_path: Path) -> None:
    session = Session()
    session.user()
    session.assistant(text("<think>r</think>4"))
    path = tmp_path / "opencode.db"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA foreign_keys = OFF;" + schema.read_text())
    insert(connection, "session", {"id": session.id, "title": "t", "version": schema.stem, "time_created": 1})
    for message in session.messages:
        ids: dict[str, object] = {"id": message.id, "session_id": session.id, "time_created": message.time}
        insert(connection, "message", {**ids, "data": json.dumps(message.data)})
        for part_id, time, data in message.parts:
            row = {"id": part_id, "message_id": message.id, "session_id": session.id, "time_created": time}
            insert(connection, "part", {**row, "data": json.dumps(data)})
    connection.commit()
    connection.close()
    artifact = READER.open(path, "opencode.db", ReadOptions())
    (rollout,) = artifact.rollouts()
    assert (rollout.final_answer.text, rollout.harness.version) == ("4", schema.stem)
    assert artifact.diagnostics() == ()
