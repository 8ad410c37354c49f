"""Stored sessions for tests of the conversion core, made of parts written as `reply("…")`, `call("c1")`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rollout_loaders.convert.stored import StoredCompaction, StoredMessage, StoredPart, StoredSession, StoredTool


def reply(words: str, kind: str = "text", **more: Any) -> StoredPart:
    return StoredPart("", "", "", kind, {"type": kind, "text": words}, text=words, **more)


def call(call_id: str | None = "call_1", output: str | None = "out", **more: Any) -> StoredPart:
    given: dict[str, Any] = {"name": "bash", "status": "completed", "arguments": {"command": "ls"}, "error": None}
    tool = StoredTool(call_id=call_id, output=output, **{**given, **more})
    return StoredPart("", "", "", "tool", {"type": "tool"}, tool=tool)


def mark(kind: str) -> StoredPart:
    return StoredPart("", "", "", kind, {"type": kind})


def compact(trigger: str = "automatic", tail: str | None = None) -> StoredPart:
    return StoredPart("", "", "", "compaction", {"type": "compaction"}, compaction=StoredCompaction(trigger, tail))


def message(role: str, *parts: StoredPart, **fields: Any) -> StoredMessage:
    fields.setdefault("id", "")
    fields.setdefault("time_created", None)
    if role == "assistant":
        fields = {"finish": "stop", "time_completed": 1, "provider": "nemo", **fields}
    return StoredMessage(session_id="", role=role, parts=tuple(parts), **fields)


def session(*messages: StoredMessage, session_id: str = "ses_1", start: int = 1000, **fields: Any) -> StoredSession:
    """Ids `msg_00`, `msg_01`, … and `prt_00_0`, … ascend with time, as OpenCode's do; ids that are given stay."""
    built = [_numbered(given, number, session_id, start) for number, given in enumerate(messages)]
    fields.setdefault("parent_id", None)
    return StoredSession(id=session_id, time_created=start, messages=tuple(built), **fields)


def _numbered(given: StoredMessage, number: int, session_id: str, start: int) -> StoredMessage:
    message_id = given.id or f"msg_{number:02d}"
    time = start + number * 100
    parts = [
        replace(
            part,
            id=part.id or f"prt_{number:02d}_{position}",
            message_id=message_id,
            session_id=session_id,
            time_created=time + position if part.time_created is None else part.time_created,
        )
        for position, part in enumerate(given.parts)
    ]
    return replace(given, id=message_id, session_id=session_id, time_created=time, parts=tuple(parts))


def texts(items: Sequence[Any]) -> list[tuple[str, str | None]]:
    """`(type, text)` of items; a message's type is its role."""
    return [(item.role if item.type == "message" else item.type, item.text) for item in items]
