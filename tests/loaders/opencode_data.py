"""OpenCode records and the three forms they are kept in, written small for tests (formats 1.2, 1.4, 1.5, 1.8, 1.10)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from rollout_loaders.fast_dataclass import dataclass

Data = dict[str, Any]

SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, title text, version text,
  revert text, agent text, model text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
  data text);
CREATE TABLE todo (session_id text, content text, status text, priority text, position integer);
"""
OLD_SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, parent_id text, title text, version text, time_created integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, data text);
"""

TURNED_SCHEMA = """
CREATE TABLE session (version text, time_created integer, title text, parent_id text, id text, added text);
CREATE TABLE message (data text, time_created integer, session_id text, id text);
CREATE TABLE part (data text, session_id text, time_created integer, message_id text, id text);
"""


def text(words: str, **more: Any) -> Data:
    return {"type": "text", "text": words, **more}


def thinking(words: str) -> Data:
    return {"type": "reasoning", "text": words}


def tool(call_id: str | None, name: str = "bash", **state: Any) -> Data:
    given: Data = {"status": "completed", "input": {"command": "ls"}, "output": "a.txt", "time": {"start": 5, "end": 9}}
    given.update(state)
    found: Data = {"type": "tool", "tool": name, "state": given}
    return found if call_id is None else {**found, "callID": call_id}


STEP = {"type": "step-start"}
STEP_END = {"type": "step-finish", "reason": "stop"}


@dataclass
class Message:
    id: str
    data: Data
    parts: list[tuple[str, int, Data]]
    time: int


@dataclass
class Session:
    """One session; messages and parts get ascending ids and times."""

    id: str = "ses_root"
    parent: str | None = None
    time: int = 1000
    columns: Data = field(default_factory=dict[str, Any])
    messages: list[Message] = field(default_factory=list[Message])
    clock: int = 1000

    def add(self, role: str, parts: Sequence[Data], message_id: str | None = None, **data: Any) -> Message:
        self.clock += 10
        name = message_id or f"msg_{self.id[4:]}_{len(self.messages):04d}"
        given: Data = {"role": role, "time": {"created": self.clock}}
        if role == "assistant":
            given |= {"providerID": "nemo", "modelID": "lab", "agent": "build", "finish": "stop"}
            given["time"] = {"created": self.clock, "completed": self.clock + 9}
            counts = {"total": 120, "input": 100, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}}
            given |= {"cost": 0, "tokens": counts}
        given |= data
        kept = {key: value for key, value in given.items() if value is not ...}
        # `part` sorts between the message's id and the next one's, as ids of OpenCode do.
        listed = [(f"prt_{name[4:]}_{i:02d}", self.clock + i, part) for i, part in enumerate(parts)]
        message = Message(name, kept, listed, self.clock)
        self.messages.append(message)
        return message

    def user(self, words: str = "What is 2+2?", **data: Any) -> Message:
        return self.add("user", [text(words)], **data)

    def assistant(self, *parts: Data, **data: Any) -> Message:
        return self.add("assistant", parts, **data)


def write_database(path: Path, *sessions: Session, schema: str = SCHEMA, wal: bool = False) -> Path:
    """A database with these sessions. With `wal`, everything lies in `-wal`, as OpenCode leaves it (formats 1.1)."""
    connection = sqlite3.connect(path, isolation_level=None)
    if wal:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("BEGIN")
    for statement in schema.split(";"):
        connection.execute(statement)
    for session in sessions:
        row = {"id": session.id, "parent_id": session.parent, "title": "t", "version": "1.18.33"}
        _insert(connection, "session", {**row, "time_created": session.time, **session.columns})
        for message in session.messages:
            record = {"id": message.id, "session_id": session.id, "time_created": message.time}
            _insert(connection, "message", {**record, "data": json.dumps(message.data)})
            for part_id, time, data in message.parts:
                record = {"id": part_id, "message_id": message.id, "session_id": session.id, "time_created": time}
                _insert(connection, "part", {**record, "data": json.dumps(data)})
    connection.execute("COMMIT")
    if not wal:
        connection.close()
        return path
    _keep_wal(connection, path)
    return path


def _keep_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Closing checkpoints; so the files are copied while they are open and put back."""
    kept = {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")}
    connection.close()
    for suffix, content in kept.items():
        Path(f"{path}{suffix}").write_bytes(content)
    Path(f"{path}-shm").unlink(missing_ok=True)


def _insert(connection: sqlite3.Connection, table: str, row: Data) -> None:
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def export(session: Session) -> Data:
    """The export document of one session."""
    info: Data = {"id": session.id, "version": "1.18.33", "title": "t", "time": {"created": session.time}}
    if session.parent is not None:
        info["parentID"] = session.parent
    if "revert" in session.columns:
        info["revert"] = json.loads(session.columns["revert"])
    return {"info": info, "messages": [_exported(session, message) for message in session.messages]}


def _exported(session: Session, message: Message) -> Data:
    ids = {"sessionID": session.id}
    return {
        "info": {**message.data, "id": message.id, **ids},
        "parts": [{**data, "id": part_id, "messageID": message.id, **ids} for part_id, _, data in message.parts],
    }


def write_export(path: Path, session: Session, before: str = "") -> Path:
    path.write_text(before + json.dumps(export(session), indent=2), encoding="utf-8")
    return path


def write_storage(root: Path, *sessions: Session) -> Path:
    """A JSON store of 1.1.x."""
    for session in sessions:
        document = export(session)
        _write(root / "session" / "global" / f"{session.id}.json", document["info"])
        for message in document["messages"]:
            message_id = message["info"]["id"]
            _write(root / "message" / session.id / f"{message_id}.json", message["info"])
            for part in message["parts"]:
                _write(root / "part" / message_id / f"{part['id']}.json", part)
    return root


def _write(path: Path, value: Data) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
