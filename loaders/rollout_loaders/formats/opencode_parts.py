"""One OpenCode part as a stored part (formats 1.5)."""

from __future__ import annotations

import json

from rollout_loaders.convert.stored import StoredCompaction, StoredPart, StoredTool
from rollout_loaders.convert.times import iso
from rollout_loaders.model import JsonObject, JsonValue, Retry

from . import fields

ABORTED = "Tool execution aborted"
USER_ABORTED = "User aborted the command\n</shell_metadata>"
"""Also stored when nobody aborted but the stream broke after the call (formats 1.5, 06q)."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
NOT_SHOWN = frozenset({"step-start", "step-finish", "text", "reasoning", "tool", "compaction"})


def part_of(
    data: JsonObject, *, part_id: str, message_id: str, session_id: str, time: int | None, locator: str | None = None
) -> StoredPart:
    """A part of any type; `data` stays verbatim, and a type that is not known is kept."""
    kind = fields.text(data, "type") or "unknown"
    times = fields.mapping(data, "time")
    return StoredPart(
        id=part_id,
        message_id=message_id,
        session_id=session_id,
        type=kind,
        data=data,
        time_created=time,
        text=fields.text(data, "text") if kind in ("text", "reasoning") else None,
        synthetic=fields.flag(data, "synthetic") is True,
        ignored=fields.flag(data, "ignored") is True,
        tool=_tool(data) if kind == "tool" else None,
        locator=locator,
        compaction=_compaction(data) if kind == "compaction" else None,
        retry=_retry(data) if kind == "retry" else None,
        shown=None if kind in NOT_SHOWN else _shown(kind, data),
        open_ended=kind in ("text", "reasoning") and "start" in times and "end" not in times,
    )


def _tool(data: JsonObject) -> StoredTool:
    state = fields.mapping(data, "state")
    times = fields.mapping(state, "time")
    metadata = fields.mapping(state, "metadata")
    output, error = _words(state.get("output")), _words(state.get("error"))
    child = fields.text(metadata, "sessionId") or fields.text(fields.mapping(data, "metadata"), "sessionId")
    partial = fields.text(metadata, "output")
    return StoredTool(
        call_id=fields.text(data, "callID"),
        name=fields.text(data, "tool") or "unknown",
        status=fields.text(state, "status"),
        arguments=state.get("input"),
        output=output,
        error=error,
        started_ms=fields.integer(times, "start"),
        ended_ms=fields.integer(times, "end"),
        pruned=fields.integer(times, "compacted") is not None,
        child_session_id=child,
        metadata=metadata,
        attachments=tuple(_attachment(value) for value in fields.objects(state, "attachments")),
        exit_code=fields.integer(metadata, "exit"),
        interrupted=_interrupted(metadata, output, error),
        partial_output=partial if partial and output is None and error is None else None,
        extra=_tool_extra(state, metadata),
    )


def _interrupted(metadata: JsonObject, output: str | None, error: str | None) -> bool:
    aborted = "exit" in metadata and metadata["exit"] is None and (output or "").rstrip().endswith(USER_ABORTED)
    return fields.flag(metadata, "interrupted") is True or error == ABORTED or aborted


def _tool_extra(state: JsonObject, metadata: JsonObject) -> dict[str, JsonValue]:
    """What a reader of the call may need beside its result: arguments cut off in the stream, the file with the rest."""
    extra: dict[str, JsonValue] = {}
    for key, source, name in (
        ("title", state, "title"),
        ("raw_arguments", state, "raw"),
        ("output_path", metadata, "outputPath"),
    ):
        value = fields.text(source, name)
        if value:
            extra[key] = value
    if fields.flag(metadata, "truncated") is True:
        extra["truncated"] = True
    return extra


def _words(value: JsonValue) -> str | None:
    """A result as text; what is no string is shown as its JSON, so that nothing is dropped."""
    if value is None or isinstance(value, str):
        return value
    return _ENCODER.encode(value)


def _attachment(value: JsonObject) -> str:
    mime = fields.text(value, "mime") or "unknown type"
    name = fields.text(value, "filename")
    return ", ".join(filter(None, (mime, name, _where(fields.text(value, "url") or ""))))


def _where(url: str) -> str:
    """A URL as it stands, but a `data:` URL as its size: its payload is in the stored lens."""
    if not url.startswith("data:"):
        return url
    head, _, payload = url.partition(",")
    if head.endswith(";base64"):
        return f"{len(payload) * 3 // 4 - payload[-2:].count('='):,} bytes (base64)"
    return f"{len(payload):,} characters"


def _compaction(data: JsonObject) -> StoredCompaction:
    """Trigger by gym-semantics 4.4."""
    if fields.flag(data, "overflow") is True:
        trigger = "overflow"
    else:
        trigger = "automatic" if fields.flag(data, "auto") is True else "manual"
    return StoredCompaction(trigger, fields.text(data, "tail_start_id"))


def _retry(data: JsonObject) -> Retry:
    error = fields.mapping(data, "error")
    reason = fields.text(fields.mapping(error, "data"), "message") or fields.text(error, "message")
    return Retry(
        fields.integer(data, "attempt"),
        reason or fields.text(error, "name"),
        iso(fields.integer(fields.mapping(data, "time"), "created")),
    )


def _shown(kind: str, data: JsonObject) -> str:
    if kind == "file":
        name = fields.text(data, "filename") or "file"
        return (
            f"{name} ({fields.text(data, 'mime') or 'unknown type'}) {_where(fields.text(data, 'url') or '')}".strip()
        )
    if kind == "agent":
        return f"@{fields.text(data, 'name') or 'unknown'}"
    if kind == "subtask":
        head = f"@{fields.text(data, 'agent') or 'unknown'} {fields.text(data, 'description') or ''}".strip()
        return f"{head}\n{fields.text(data, 'prompt') or ''}".strip()
    return _ENCODER.encode({key: value for key, value in data.items() if key != "type"})
