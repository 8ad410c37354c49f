"""Recorded artifacts, trimmed to what carries the rollout, and the few edits that the samples name."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rollout_loaders.model import is_array

Row = dict[str, Any]
Tables = dict[str, list[Row]]
KEPT_TABLES = ("session", "message", "part", "todo")


def tables(recording: Path) -> tuple[Tables, dict[str, str]]:
    """Rows and CREATE statements of the tables that carry the rollout, read from a private copy."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("opencode.db", "opencode.db-wal"):
            if (recording / name).exists():
                shutil.copy(recording / name, Path(folder) / name)
        database = sqlite3.connect(Path(folder) / "opencode.db")
        database.row_factory = sqlite3.Row
        sql = {
            name: statement
            for name, statement in database.execute("select name, sql from sqlite_master where type = 'table'")
            if name in KEPT_TABLES
        }
        rows = {name: [dict(row) for row in database.execute(f"select * from {name}")] for name in sql}
        database.close()
    return rows, sql


def write_database(
    folder: Path, recording: Path, edit: Callable[[Tables], None] | None = None, wal: bool = False
) -> None:
    """Write `opencode.db`; with `wal` everything lies in the `-wal`, as OpenCode leaves it (formats 1.1)."""
    rows, sql = tables(recording)
    if edit:
        edit(rows)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "opencode.db"
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("pragma foreign_keys = off")
        if wal:
            database.execute("pragma journal_mode = wal")
            database.execute("pragma wal_autocheckpoint = 0")
        database.execute("begin")
        for name, statement in sql.items():
            database.execute(statement)
            for row in rows[name]:
                columns = ", ".join(row)
                database.execute(
                    f"insert into {name} ({columns}) values ({', '.join('?' * len(row))})", list(row.values())
                )
        database.execute("commit")
        # Copied while it is open: closing would move the -wal into the main file.
        for suffix in ("", "-wal") if wal else ("",):
            shutil.copy(f"{path}{suffix}", folder / f"opencode.db{suffix}")
        database.close()


def data_of(row: Row) -> Any:
    """The decoded `data` column of a message or part row."""
    return json.loads(row["data"])


def set_data(row: Row, data: Any) -> None:
    """Write `data` back."""
    row["data"] = json.dumps(data, ensure_ascii=False)


def export(recording: Path, number: int = 0) -> Any:
    """The decoded export document of the `number`-th session."""
    return json.loads((recording / f"export-{number}.json").read_text(encoding="utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Pretty JSON, as OpenCode exports it."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="surrogatepass")


def write_lines(path: Path, values: list[Any]) -> None:
    """One compact JSON document a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(value) + "\n" for value in values)


def pi_lines(path: Path) -> list[Any]:
    """A Pi log without the growing snapshots that its `message_update` lines repeat (formats 2.1): deltas stay."""
    lines: list[Any] = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    for line in lines:
        event = _event(line)
        if event.get("type") == "message_update":
            event.pop("message", None)
            event["assistantMessageEvent"].pop("partial", None)
    return lines


def _event(line: Any) -> dict[str, Any]:
    event: dict[str, Any] = line[1] if is_array(line) else line  # type: ignore[assignment]  # of a recording
    return event


def first_model_requests(path: Path) -> list[Any]:
    """`requests.jsonl` as recorded; its system prompts are placeholders already."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
