"""An opened OpenCode database as a source of sessions: rows by column name, one query a table (formats 1.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rollout_loaders import source
from rollout_loaders.convert.stored import StoredMessage, StoredPart, StoredSession
from rollout_loaders.model import Diagnostic, Gap, JsonObject, JsonValue

from .opencode_parts import part_of
from .opencode_records import Records, damaged_message, damaged_part, message_of, message_order, session_of
from .opencode_store import Loaded
from .opencode_tables import Row, Tables

V2_TABLES = ("session_v2", "session_message")
"""Tables of OpenCode's second store; no release that was recorded runs on them (formats 1.2)."""
PICKED = frozenset({"id", "parent_id", "title", "version", "agent", "model", "time_created"})
JSON_COLUMNS = frozenset({"model", "revert", "permission", "metadata", "summary_diffs"})
RECORD = ("id", "session_id", "message_id", "time_created", "data")
WAL_MODE = b"\x02\x02"
WAL_MODE_AT = 18


class Database:
    """A `SessionSource` over the tables of one private copy."""

    def __init__(self, tables: Tables, names: Sequence[str], path: Path, shown: str) -> None:
        self._tables = tables
        self._names = frozenset(names)
        self._path = path
        self._shown = shown
        self._records = Records()
        self._sessions: list[StoredSession] | None = None

    def sessions(self) -> Sequence[StoredSession]:
        """Rows of `session`, and a session without a row for every one that messages name."""
        if self._sessions is None:
            todo = self._todo()
            found = {row_id: self._session(row, row_id, todo) for row, row_id in self._ids("session")}
            for session_id, time in self._named_by_messages():
                if session_id not in found:
                    reason = f"session {session_id} has messages but no row of its own; it is shown as a root"
                    self._records.diagnostics.append(Diagnostic("session-row-missing", reason, session_id))
                    found[session_id] = StoredSession(session_id, None, time, ())
            self._sessions = list(found.values())
        return self._sessions

    def _ids(self, table: str) -> Iterator[tuple[Row, str]]:
        if table in self._names:
            for row in self._tables.rows(table):
                yield row, str(row.get("id"))

    def _session(self, row: Row, session_id: str, todo: Mapping[str, list[JsonValue]]) -> StoredSession:
        extra: dict[str, JsonValue] = {
            name: self._json(row[name], f"session:{session_id} {name}") if name in JSON_COLUMNS else _plain(row[name])
            for name in row
            if name not in PICKED and row[name] not in (None, "")
        }
        if session_id in todo:
            extra["todo"] = tuple(todo[session_id])
        info: JsonObject = {
            "parentID": _plain(row.get("parent_id")),
            "title": _plain(row.get("title")),
            "version": _plain(row.get("version")),
            "agent": _plain(row.get("agent")),
            "directory": _plain(row.get("directory")),
            "model": self._json(row.get("model"), f"session:{session_id} model"),
            "revert": self._json(row.get("revert"), f"session:{session_id} revert"),
            "time": {"created": _time(row)},
        }
        return session_of(info, session_id, extra)

    def _json(self, value: object, locator: str) -> JsonValue:
        if not isinstance(value, str) or not value.lstrip().startswith("{"):
            return _plain(value)
        decoded = self._records.decode(value.encode("utf-8", "surrogatepass"), locator)
        return value if decoded is None else decoded

    def _todo(self) -> dict[str, list[JsonValue]]:
        """The last state of `todowrite`, by session and position."""
        found: dict[str, list[JsonValue]] = {}
        rows = list(self._tables.rows("todo")) if "todo" in self._names else []
        for row in sorted(rows, key=lambda row: _number(row.get("position"))):
            kept: JsonValue = {name: _plain(row[name]) for name in ("content", "status", "priority") if name in row}
            found.setdefault(str(row.get("session_id")), []).append(kept)
        return found

    def _named_by_messages(self) -> list[tuple[str, int | None]]:
        first: dict[str, int | None] = {}
        if "message" in self._names:
            for row in self._tables.rows("message", ("session_id", "time_created")):
                session_id, time = str(row.get("session_id")), _time(row)
                known = first.get(session_id)
                first[session_id] = time if known is None or (time is not None and time < known) else known
        return list(first.items())

    def load(self, session_ids: Sequence[str]) -> Loaded:
        """Messages and parts of these sessions, one query a table."""
        records = Records()
        parts, parts_by_message = self._parts(session_ids, records), dict[str, list[StoredPart]]()
        for part in parts:
            parts_by_message.setdefault(part.message_id, []).append(part)
        messages: dict[str, list[StoredMessage]] = {}
        if "message" in self._names:
            for row in self._tables.rows("message", RECORD, "session_id", session_ids):
                message = self._message(row, parts_by_message.pop(str(row.get("id")), []), records)
                messages.setdefault(message.session_id, []).append(message)
        for found in messages.values():
            found.sort(key=message_order)
        orphans: dict[str, list[StoredPart]] = {}
        gaps: list[Gap] = []
        for part in (part for left in parts_by_message.values() for part in left):
            orphans.setdefault(part.session_id, []).append(part)
            gaps.append(Gap("agent_artifact_record_unowned", part.session_id, part.id))
            text = f"part:{part.id} belongs to message {part.message_id}, which is not in the database"
            records.diagnostics.append(Diagnostic("part-without-message", text, part.session_id))
        doubt = None
        if self._tables.damaged:
            doubt = f"table {', '.join(self._tables.damaged)} has damaged pages: messages or parts may be missing"
        return Loaded(messages, orphans, (*records.diagnostics, *self._damage()), tuple(gaps), doubt)

    def _parts(self, session_ids: Sequence[str], records: Records) -> list[StoredPart]:
        if "part" not in self._names:
            return []
        rows = self._tables.rows("part", RECORD, "session_id", session_ids)
        return [self._part(row, records) for row in rows]

    @staticmethod
    def _part(row: Row, records: Records) -> StoredPart:
        part_id, message_id, session_id = (str(row.get(name)) for name in ("id", "message_id", "session_id"))
        raw, time = _bytes(row.get("data")), _time(row)
        data = records.decode(raw, f"part:{part_id}")
        if data is None:
            return damaged_part(raw, part_id, message_id, session_id, time)
        return part_of(data, part_id=part_id, message_id=message_id, session_id=session_id, time=time)

    @staticmethod
    def _message(row: Row, parts: Sequence[StoredPart], records: Records) -> StoredMessage:
        message_id, session_id = str(row.get("id")), str(row.get("session_id"))
        raw, time = _bytes(row.get("data")), _time(row)
        data = records.decode(raw, f"message:{message_id}")
        if data is None:
            return damaged_message(raw, message_id, session_id, time, sorted(parts, key=lambda part: part.id))
        return message_of(data, message_id=message_id, session_id=session_id, time=time, parts=parts)

    def newest_parts(self) -> Iterator[tuple[str, str]]:
        """Latest first by (time_created, id), as Gym's host reading orders them."""
        if "part" not in self._names:
            return
        rows = list(self._tables.rows("part", ("id", "message_id", "time_created")))
        rows.sort(key=lambda row: (_number(row.get("time_created")), str(row.get("id"))), reverse=True)
        for row in rows:
            yield str(row.get("message_id")), str(row.get("id"))

    def message(self, message_id: str) -> StoredMessage | None:
        """One message with its parts."""
        records = Records()
        if "message" not in self._names or "part" not in self._names:
            return None
        parts = [self._part(row, records) for row in self._tables.rows("part", RECORD, "message_id", (message_id,))]
        for row in self._tables.rows("message", RECORD, "id", (message_id,)):
            return self._message(row, parts, records)
        return None

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Empty for want of its `-wal`, rows of the second store, damaged tables, damaged session rows."""
        return (
            *self._empty(),
            *self._missing(),
            *self._second_store(),
            *self._check(),
            *self._damage(),
            *self._records.diagnostics,
        )

    def _check(self) -> Iterator[Diagnostic]:
        if self._tables.bad_index is not None:
            text = f"SQLite's check of this database says: {self._tables.bad_index}; no index of it was trusted"
            yield Diagnostic("database-check", text, self._shown)
        for view in self._tables.views:
            text = f"{view} is a view, a query that the file brings, and no table: it was not run"
            yield Diagnostic("view-not-read", text, self._shown)

    def _damage(self) -> Iterator[Diagnostic]:
        for table, said in self._tables.damaged.items():
            text = f"table {table} has damaged pages ({said}); every row that can still be reached was read"
            yield Diagnostic("database-damaged", text, self._shown)

    def _empty(self) -> Iterator[Diagnostic]:
        """A database that was never checkpointed is a valid, empty one without its `-wal` (formats trap 1)."""
        if self._names:
            return
        wal = self._path.with_name(f"{self._path.name}-wal")
        is_there = source.lies_there(wal)
        if is_there and wal.stat().st_size > 0:
            return
        if source.head(self._path, WAL_MODE_AT + 2)[WAL_MODE_AT:] == WAL_MODE:
            said = "is there but empty" if is_there else "is missing"
            text = (
                f"the database is empty because {wal.name} {said}: OpenCode leaves everything in that file, "
                "so copy it together with the database"
            )
            yield Diagnostic("wal-missing", text, self._shown)
        else:
            yield Diagnostic("database-empty", "the database holds no tables", self._shown)

    def _missing(self) -> Iterator[Diagnostic]:
        """Every release that wrote a database has these tables in it."""
        missing = [name for name in ("session", "message", "part") if name not in self._names]
        if self._names and missing:
            text = f"the database has no table {', '.join(missing)}, where OpenCode keeps what would be shown"
            yield Diagnostic("table-missing", text, self._shown)

    def _second_store(self) -> Iterator[Diagnostic]:
        for table in V2_TABLES:
            count = self._tables.count(table) if table in self._names else 0
            if count:
                text = f"{table} holds {count} rows of OpenCode's second store{self._kinds(table)}; they are not shown"
                yield Diagnostic("v2-rows", text, self._shown)

    def _kinds(self, table: str) -> str:
        if "type" not in self._tables.columns(table):
            return ""
        kinds: dict[str, int] = {}
        for row in self._tables.rows(table, ("type",)):
            kind = str(row.get("type"))
            kinds[kind] = kinds.get(kind, 0) + 1
        return f" ({', '.join(f'{number} {kind}' for kind, number in sorted(kinds.items()))})"


def _plain(value: object) -> JsonValue:
    if value is None or isinstance(value, str | int | float):
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _bytes(value: object) -> bytes | None:
    if isinstance(value, bytes):
        return value
    return None if value is None else str(value).encode("utf-8", "surrogatepass")


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0


def _time(row: Row) -> int | None:
    value = row.get("time_created")
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else None
