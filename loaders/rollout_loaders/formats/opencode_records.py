"""OpenCode's own JSON, whatever file it lies in, as stored sessions (formats 1.4 and 1.5, gym-semantics 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from rollout_loaders import jsondecode
from rollout_loaders.convert.stored import StoredMessage, StoredPart, StoredSession
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, JsonObject, JsonValue, TurnError

from . import fields
from .opencode_parts import part_of

MODEL_KEYS = frozenset({"id", "modelID", "providerID"})
TIME_KEYS = frozenset({"created", "updated"})
RUN_PARTS = frozenset({"step-start", "step-finish", "reasoning", "tool"})
"""Part types that only an assistant message has: they tell its role when its own record is damaged."""


@dataclass(slots=True)
class Records:
    """Decodes records one by one; a damaged one costs itself and a diagnostic."""

    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def decode(self, raw: bytes | None, locator: str) -> JsonObject | None:
        """The object in `raw`, or None with a diagnostic."""
        if raw is None:
            self.unreadable(locator, "it holds no data")
            return None
        try:
            decoded = jsondecode.decode(raw)
        except jsondecode.BadJson as bad:
            self.unreadable(locator, str(bad))
            return None
        for code, message in decoded.problems:
            self.diagnostics.append(Diagnostic(code, f"{locator}: {message}", locator))
        if not isinstance(decoded.value, Mapping):
            self.unreadable(locator, "it is JSON but no object")
            return None
        return decoded.value

    def unreadable(self, locator: str, reason: str) -> None:
        """Say that a record was lost."""
        self.diagnostics.append(Diagnostic("record-unreadable", f"{locator} cannot be read: {reason}", locator))


def raw_text(raw: bytes | None) -> JsonObject:
    """What is shown of a damaged record: its bytes as text."""
    return {"raw": (raw or b"").decode("utf-8", "replace")}


def damaged_part(raw: bytes | None, part_id: str, message_id: str, session_id: str, time: int | None) -> StoredPart:
    """A part whose JSON cannot be read; its raw text stays visible in the stored lens."""
    return StoredPart(part_id, message_id, session_id, "unreadable", raw_text(raw), time, unreadable=True)


def damaged_message(
    raw: bytes | None, message_id: str, session_id: str, time: int | None, parts: Sequence[StoredPart]
) -> StoredMessage:
    """A message whose JSON cannot be read. Its parts tell whether it was an assistant's, so that it stays a turn."""
    assistant = any(part.type in RUN_PARTS for part in parts)
    return StoredMessage(
        id=message_id,
        session_id=session_id,
        role="assistant" if assistant else "unknown",
        time_created=time,
        parts=tuple(parts),
        data=raw_text(raw),
        unreadable=True,
    )


def message_of(
    data: JsonObject, *, message_id: str, session_id: str, time: int | None, parts: Sequence[StoredPart]
) -> StoredMessage:
    """A message from its `data` (database) or `info` (export, store); the row's time wins over the record's own."""
    times = fields.mapping(data, "time")
    model = fields.mapping(data, "model")
    role = fields.text(data, "role") or "unknown"
    return StoredMessage(
        id=message_id,
        session_id=session_id,
        role=role,
        time_created=time if time is not None else fields.integer(times, "created"),
        time_completed=fields.integer(times, "completed"),
        parent_id=fields.text(data, "parentID"),
        # On a user message `summary` is an object about diffs (formats trap 4).
        summary=role == "assistant" and fields.flag(data, "summary") is True,
        finish=fields.text(data, "finish"),
        error=error_of(data.get("error")),
        agent=fields.text(data, "agent") or fields.text(data, "mode"),
        provider=fields.text(data, "providerID") or fields.text(model, "providerID"),
        model=fields.text(data, "modelID") or fields.text(model, "modelID"),
        tokens=tokens_of(data),
        parts=tuple(sorted(parts, key=lambda part: part.id)),
        data=data,
        system=fields.text(data, "system"),
    )


def error_of(value: JsonValue) -> TurnError | None:
    """`{name, data: {message, statusCode}}` as an error; any other value that is set is kept as its message."""
    if value is None or value is False:
        return None
    if not isinstance(value, Mapping):
        return TurnError(None, value if isinstance(value, str) else jsondecode.encode(value).decode("ascii"))
    data = fields.mapping(value, "data")
    message = fields.text(data, "message") or fields.text(value, "message") or fields.text(data, "responseBody")
    return TurnError(fields.text(value, "name"), message, fields.integer(data, "statusCode"))


def tokens_of(data: JsonObject) -> Mapping[str, int | float | None]:
    """The token counters and cost; an empty mapping where the message has no `tokens` object."""
    tokens = data.get("tokens")
    if not isinstance(tokens, Mapping):
        return {}
    cache = fields.mapping(tokens, "cache")
    return {
        "total": fields.integer(tokens, "total"),
        "input": fields.integer(tokens, "input"),
        "output": fields.integer(tokens, "output"),
        "reasoning": fields.integer(tokens, "reasoning"),
        "cache_read": fields.integer(cache, "read"),
        "cache_write": fields.integer(cache, "write"),
        "cost": fields.number(data, "cost"),
    }


def session_of(info: JsonObject, session_id: str, extra: Mapping[str, JsonValue] | None = None) -> StoredSession:
    """A session without its messages, from an export's `info`, a store's file or a row shaped like them."""
    model = fields.mapping(info, "model")
    return StoredSession(
        id=session_id,
        parent_id=fields.text(info, "parentID"),
        time_created=fields.integer(fields.mapping(info, "time"), "created"),
        messages=(),
        title=fields.text(info, "title"),
        version=fields.text(info, "version"),
        agent=fields.text(info, "agent"),
        model=fields.text(model, "id") or fields.text(model, "modelID"),
        provider=fields.text(model, "providerID"),
        directory=fields.text(info, "directory"),
        revert_message_id=fields.text(fields.mapping(info, "revert"), "messageID"),
        extra={**(extra or {}), **_not_taken(info, model)},
    )


def _not_taken(info: JsonObject, model: JsonObject) -> dict[str, JsonValue]:
    """What stands under a field that was picked and is not of its type, or says more than was picked."""
    left: dict[str, JsonValue] = {
        key: info[key]
        for key in ("parentID", "title", "version", "agent")
        if info.get(key) is not None and not isinstance(info[key], str)
    }
    if info.get("model") is not None and not (model and model.keys() <= MODEL_KEYS):
        left["model"] = info["model"]
    times = info.get("time")
    if times is not None and not (isinstance(times, Mapping) and times.keys() <= TIME_KEYS):
        left["time"] = times
    return left


def message_order(message: StoredMessage) -> tuple[int, str]:
    """Sort key of CONTRACT 4.8: messages by (time_created, id)."""
    return (message.time_created if message.time_created is not None else 0, message.id)


__all__ = [
    "Records",
    "damaged_message",
    "damaged_part",
    "error_of",
    "message_of",
    "message_order",
    "part_of",
    "session_of",
    "tokens_of",
]
