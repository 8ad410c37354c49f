"""Pi's message shapes (gym-semantics 5.3, formats 2.1 and 2.5), picked apart one way for logs and session files."""

from __future__ import annotations

from rollout_loaders.convert.pi_message import PiBlock, PiCall, PiMessage, PiToolResult
from rollout_loaders.model import JsonObject, JsonValue, StoredPart, is_object

from . import fields

_SUMMARY_ROLES = frozenset({"branchSummary", "compactionSummary"})


def number_of(value: JsonValue) -> float | None:
    """`value` when it is a finite number of no absurd size and no bool."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if abs(value) < fields.BEYOND else None


def count_of(value: JsonValue) -> int | None:
    """`value` when it is a non-negative integer of 64 bits."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < fields.BEYOND else None


def blocks_of(content: JsonValue) -> tuple[PiBlock, ...]:
    """Content blocks; a string is one text block."""
    if isinstance(content, str):
        return (PiBlock("text", content),)
    return tuple(_block(fields.as_object(value)) for value in fields.as_array(content) or ())


def _block(data: JsonObject) -> PiBlock:
    kind = fields.text(data, "type") or "unknown"
    if kind == "thinking":
        return PiBlock(kind, fields.text(data, "thinking"))
    if kind == "toolCall":
        return PiBlock(kind, call=call_of(data))
    if kind == "image":
        return PiBlock(kind, attachment=_attachment(data))
    return PiBlock(kind, fields.text(data, "text"))


def call_of(data: JsonObject) -> PiCall:
    """A `toolCall` block."""
    return PiCall(
        call_id=fields.text(data, "id") or None,
        name=fields.text(data, "name") or "",
        arguments=data.get("arguments"),
        arguments_error=fields.text(data, "argumentsError"),
    )


def _attachment(data: JsonObject) -> str:
    mime = fields.text(data, "mimeType") or "image"
    payload = fields.text(data, "data")
    return mime if payload is None else f"{mime}, {len(payload):,} characters of base64"


def usage_of(value: JsonValue) -> dict[str, int | float | None]:
    """Pi's own counts under this project's names; `cached` is `cacheRead`. Empty where nothing was counted.

    A refused call leaves the zeros it began with, and a cache count of 0 has no measured provenance (gym-semantics
    5.3): both are unknown.
    """
    usage = fields.as_object(value)
    if not any(count_of(usage.get(key)) for key in ("input", "output", "cacheRead", "cacheWrite", "totalTokens")):
        return {}
    return {
        "input": count_of(usage.get("input")),
        "output": count_of(usage.get("output")),
        "reasoning": count_of(usage.get("reasoning")),
        "cached": count_of(usage.get("cacheRead")) or None,
        "cache_write": count_of(usage.get("cacheWrite")) or None,
        "cost": number_of(fields.mapping(usage, "cost").get("total")),
    }


def message_of(
    value: JsonValue, *, message_id: str, locator: str, ended_ms: float | None = None, ended: bool = True
) -> PiMessage:
    """A message of any role; one that is no object is a message of role `unknown`."""
    data = fields.as_object(value)
    role = fields.text(data, "role") or "unknown"
    started = number_of(data.get("timestamp"))
    if ended_ms is None and started is not None:
        duration = number_of(data.get("durationMs"))
        ended_ms = None if duration is None else started + duration
    return PiMessage(
        role=role,
        blocks=blocks_of(data.get("content")),
        message_id=message_id,
        locator=locator,
        stop_reason=fields.text(data, "stopReason"),
        error_message=fields.text(data, "errorMessage"),
        usage=usage_of(data.get("usage")),
        started_ms=started,
        ended_ms=ended_ms,
        response_id=fields.text(data, "responseId"),
        model=fields.text(data, "model"),
        provider=fields.text(data, "provider"),
        tool=_tool_result(data) if role == "toolResult" else None,
        speech=_speech(role, data),
        synthetic=role in _SUMMARY_ROLES or role == "custom",
        ended=ended,
    )


def _tool_result(data: JsonObject) -> PiToolResult:
    duration = number_of(data.get("durationMs"))
    return PiToolResult(
        call_id=fields.text(data, "toolCallId") or "",
        name=fields.text(data, "toolName"),
        is_error=fields.flag(data, "isError"),
        duration_ms=None if duration is None else round(duration),
    )


def _speech(role: str, data: JsonObject) -> str | None:
    if role == "bashExecution":
        return _shell_text(data)
    if role in _SUMMARY_ROLES:
        return fields.text(data, "summary")
    if role == "system":
        sections = [f"[{name}]\n{text}" for name, text in fields.mapping(data, "sections").items() if text]
        return "\n\n".join(sections) or None
    return None


def _shell_text(data: JsonObject) -> str:
    lines = [f"$ {fields.text(data, 'command') or ''}", fields.text(data, "output") or ""]
    code = count_of(data.get("exitCode"))
    if code:
        lines.append(f"(exit code {code})")
    if data.get("cancelled") is True:
        lines.append("(cancelled)")
    if data.get("truncated") is True:
        lines.append("(output truncated by Pi)")
    return "\n".join(lines)


def stored_parts(record: JsonObject, *, message_id: str, locator: str, turn: int | None) -> tuple[StoredPart, ...]:
    """The stored lens of a record with a `message`: the record without its content blocks, then every block as it is.

    Together they are the record verbatim; a content that is no list stays where it is.
    """
    message = fields.mapping(record, "message")
    role = fields.text(message, "role")
    kind = fields.text(record, "type") or "unknown"
    content = message.get("content")
    blocks = fields.as_array(content)
    if blocks is None:
        return (StoredPart(message_id, message_id, kind, record, locator=locator, role=role, turn=turn),)
    rest: dict[str, JsonValue] = {key: value for key, value in message.items() if key != "content"}
    head: JsonObject = {**record, "message": rest}
    parts = [StoredPart(message_id, message_id, kind, head, locator=locator, role=role, turn=turn)]
    for index, block in enumerate(blocks):
        data: JsonObject = block if is_object(block) else {"value": block}
        name = fields.text(data, "type") or "unknown"
        where = f"{kind} {locator} block {index}"
        parts.append(StoredPart(f"{message_id}.{index}", message_id, name, data, locator=where, role=role, turn=turn))
    return tuple(parts)
