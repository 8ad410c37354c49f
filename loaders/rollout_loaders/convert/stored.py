"""Sessions as a harness stored them, whatever file they came from: the input of the conversion core.

Every OpenCode reader (database, JSON store, export) builds these; so does the Pi reader for its messages. All rules of
CONTRACT 4 then run on them, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, JsonValue, Retry, TurnError


class PartOrder(Enum):
    """How parts of several messages are ordered for Gym's readings (CONTRACT 4.8)."""

    ROW_TIME = "by (time_created, id) of the part's row"
    PART_ID = "by part id: the parts of a JSON store carry no row time"
    MESSAGE = "by message, then part id: the parts of an export carry no row time"


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
    exit_code: int | None = None
    interrupted: bool = False
    """The record itself says that the call was broken off."""
    partial_output: str | None = None
    """What a call that never ended had printed so far."""
    extra: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class StoredCompaction:
    """A compaction part: the order to summarise (gym-semantics 4.4)."""

    trigger: str
    """`overflow`, `automatic` or `manual`."""
    tail_message_id: str | None = None
    """`tail_start_id`: the first kept message, which may be a user message (formats 1.5)."""


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
    compaction: StoredCompaction | None = None
    retry: Retry | None = None
    shown: str | None = None
    """For parts that are no text (files, agent mentions, subtasks, unknown types): what a reader of the input needs."""
    open_ended: bool = False
    """Its stream started and was never closed."""
    unreadable: bool = False
    """The record is damaged; `data` holds its raw text."""


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
    system: str | None = None
    """A system text sent with a user message."""
    unreadable: bool = False
    """The record is damaged; its role was read off its parts."""


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
