"""Every piece of text in a source file, gathered without the readers: what `test_nothing_lost` holds them against.

Words that only say what a record is (keys, the `type` of an event) and repeats that the format itself makes are left
out, each with its reason. Everything else counts, as a multiset.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

Json = Any
COPIES = frozenset({"turn_end", "agent_end"})
"""Pi events whose messages are those of the `message_end` events before them (formats 2.1)."""


def strings(value: object) -> Iterator[str]:
    """Every string inside a JSON value, keys left out; without recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(cast("Mapping[str, object]", item).values())
        elif isinstance(item, Sequence):
            waiting.extend(cast("Sequence[object]", item))


def counted(values: Iterable[object]) -> Counter[str]:
    """The multiset of strings in these values."""
    return Counter(text for value in values for text in strings(value))


def of_database(path: Path) -> Counter[str]:
    """Every `data` of `message` and `part`."""
    with _copied(path) as (connection, tables):
        found = [
            _or_text(data)
            for table in ("message", "part")
            if table in tables
            for (data,) in connection.execute(f"SELECT data FROM {table}")
        ]
    return counted(found)


def session_rows(path: Path) -> Counter[str]:
    """Titles, models, reverts and so on of the rows of `session`."""
    with _copied(path) as (connection, tables):
        rows = connection.execute("SELECT * FROM session").fetchall() if "session" in tables else []
    return counted(_or_text(cell) for row in rows for cell in row if isinstance(cell, str))


@contextmanager
def _copied(path: Path) -> Generator[tuple[sqlite3.Connection, set[str]]]:
    """A copy of a database with its `-wal`, opened by SQLite itself, and the names of its tables."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        for suffix in ("", "-wal"):
            if Path(f"{path}{suffix}").exists():
                shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        connection = sqlite3.connect(copy)
        yield (
            connection,
            {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")},
        )
        connection.close()


def _or_text(cell: str) -> Json:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def of_store(folder: Path) -> Counter[str]:
    """Every message and part file of a JSON store."""
    kinds = ("message", "part")
    return counted(json.loads(path.read_text("utf-8")) for kind in kinds for path in (folder / kind).rglob("*.json"))


def of_export(path: Path) -> Counter[str]:
    """Messages of an export; of one that is cut off, those and the parts before the cut that are whole."""
    text = path.read_text("utf-8")
    text = text[text.index("{") :]
    try:
        document: Json = json.loads(text)
    except ValueError:
        document = _closed(text)
    return counted([document.get("messages"), document.get("usage_messages"), document.get("info")])


def _closed(text: str) -> Json:
    """The longest beginning that is a document when its brackets are closed behind a whole part."""
    end = len(text)
    while (end := text.rfind("}", 0, end)) > 0:
        for closing in ("", "}", "]}", "]}]}"):
            try:
                return json.loads(text[: end + 1] + closing)
            except ValueError:
                continue
    return {}


def of_rows(path: Path) -> Counter[str]:
    """Every line that is an object with a `response`: a row, wholly."""
    return counted(row for row in map(_object, lines(path)) if "response" in row)


def _object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def of_entries(path: Path) -> Counter[str]:
    """Every entry of a Pi session file."""
    return counted(lines(path))


def of_any(path: Path) -> Counter[str]:
    """Everything in a file, one document or one a line."""
    try:
        return counted([json.loads(path.read_bytes())])
    except ValueError:
        return of_entries(path)


def of_stream(path: Path) -> Counter[str]:
    """OpenCode's stdout stream: what each event says beside its kind and its session (formats 1.7)."""
    events = map(_object, lines(path))
    return counted({key: value for key, value in event.items() if key not in ("type", "sessionID")} for event in events)


def lines(path: Path) -> list[Json]:
    r"""Every JSON line, split on `\n` only."""
    found: list[Json] = []
    for raw in path.read_bytes().split(b"\n"):
        try:
            found.append(json.loads(raw))
        except ValueError:
            continue
    return found


def of_events(path: Path) -> Counter[str]:
    """A Pi event log: finished messages by their `message_end`, all else by its own event.

    `message_start` and `message_update` of a message that ended repeat it; so do `turn_end` and `agent_end`
    (formats 2.1). The output of a running tool is a beginning of its end's. What stands in `unfinished` and
    `running` is asked for apart.
    """
    found: list[object] = []
    for event, finished in _events(path):
        kind = event.get("type")
        if kind in COPIES or kind in ("message_start", "message_update", "tool_execution_update"):
            continue
        if finished:
            found.append({key: value for key, value in event.items() if key != "type"})
    return counted(found)


def unfinished(path: Path) -> list[str]:
    """Texts of messages that never ended, joined from their deltas by content block."""
    blocks: dict[tuple[int, int], str] = {}
    number = 0
    for event, finished in _events(path):
        if event.get("type") == "message_start":
            number += 1
        delta = _object(event.get("assistantMessageEvent"))
        if not finished and str(delta.get("type")).endswith("_delta"):
            key = (number, int(delta.get("contentIndex", 0)))
            blocks[key] = blocks.get(key, "") + str(delta.get("delta", ""))
    return [text for text in blocks.values() if text]


def running(path: Path) -> list[str]:
    """The latest output that each tool call had shown while it ran."""
    latest: dict[str, list[str]] = {}
    for event, _ in _events(path):
        if event.get("type") == "tool_execution_update":
            result: Json = event.get("partialResult")
            texts = [str(block.get("text", "")) for block in result.get("content", [])]
            latest[str(event.get("toolCallId"))] = [text for text in texts if text]
    return [text for texts in latest.values() for text in texts]


def _events(path: Path) -> list[tuple[dict[str, Json], bool]]:
    """Events in file order, each with whether the message it is of ended (True for what is of none)."""
    events = [_object(line[-1] if isinstance(line, list) else line) for line in lines(path)]
    ended: list[bool] = []
    open_from: int | None = None
    for place, event in enumerate(events):
        kind = event.get("type")
        ended.append(True)
        if kind == "message_start":
            _unended(ended, events, open_from, place)
            open_from = place
        elif kind == "message_end":
            open_from = None
    _unended(ended, events, open_from, len(events))
    return list(zip(events, ended, strict=True))


def _unended(ended: list[bool], events: list[dict[str, Json]], start: int | None, stop: int) -> None:
    if start is None:
        return
    for place in range(start, stop):
        if events[place].get("type") in ("message_start", "message_update"):
            ended[place] = False
