"""Sessions as a harness stored them, whatever file they came from: the input of the conversion core.

Every OpenCode reader (database, JSON store, export) builds these; so does the Pi reader for its messages. All rules of
CONTRACT 4 then run on them, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rollout_loaders.model import JsonObject, JsonValue, TurnError


@dataclass(frozen=True, slots=True)
class StoredTool:
    """A tool part: the call and what came of it, as stored."""

    call_id: str | None
    name: str
    status: str | None
    """The harness's own word: `completed`, `error`, `running`, `pending`, …"""
    arguments: JsonValue
    output: str | None
    error: str | None
    started_ms: int | None = None
    ended_ms: int | None = None
    pruned: bool = False
    child_session_id: str | None = None
    metadata: JsonObject = field(default_factory=lambda: {})
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredPart:
    """One part of a message. `data` is verbatim."""

    id: str
    message_id: str
    session_id: str
    type: str
    data: JsonObject
    time_created: int | None = None
    """Row time in ms; None in stores whose parts carry none."""
    text: str | None = None
    """For text and reasoning parts, verbatim."""
    synthetic: bool = False
    ignored: bool = False
    tool: StoredTool | None = None
    locator: str | None = None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message with its parts in id order."""

    id: str
    session_id: str
    role: str
    time_created: int | None
    time_completed: int | None = None
    parent_id: str | None = None
    summary: bool = False
    """True only for an assistant message that is a compaction summary (formats trap 4)."""
    finish: str | None = None
    error: TurnError | None = None
    agent: str | None = None
    provider: str | None = None
    model: str | None = None
    tokens: Mapping[str, int | float | None] = field(default_factory=lambda: {})
    """`input, output, reasoning, cache_read, cache_write, total, cost` as stored; missing is None."""
    parts: tuple[StoredPart, ...] = ()
    data: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One session of a store."""

    id: str
    parent_id: str | None
    time_created: int | None
    messages: tuple[StoredMessage, ...]
    """By (time_created, id)."""
    title: str | None = None
    version: str | None = None
    agent: str | None = None
    model: str | None = None
    provider: str | None = None
    directory: str | None = None
    revert_message_id: str | None = None
    """Messages from this one on are reverted: hidden from the model, still stored (formats trap 14)."""
    extra: JsonObject = field(default_factory=lambda: {})
