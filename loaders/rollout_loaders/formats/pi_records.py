"""Pi's message shapes (gym-semantics 5.3, formats 2.1 and 2.5), picked apart one way for logs and session files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.convert.pi_message import PiBlock, PiCall, PiMessage, PiToolResult
from rollout_loaders.model import JsonObject, JsonValue, StoredPart

_SUMMARY_ROLES = frozenset({"branchSummary", "compactionSummary"})


def object_of(value: JsonValue) -> JsonObject:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: JsonValue) -> Sequence[JsonValue]:
    """`value` when it is a list, else an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def text_of(value: JsonValue) -> str | None:
    """`value` when it is a string."""
    return value if isinstance(value, str) else None


def number_of(value: JsonValue) -> float | None:
    """`value` when it is a number and no bool."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def count_of(value: JsonValue) -> int | None:
    """`value` when it is a non-negative integer."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def flag_of(value: JsonValue) -> bool | None:
    """`value` when it is a bool."""
    return value if isinstance(value, bool) else None


def blocks_of(content: JsonValue) -> tuple[PiBlock, ...]:
    """Content blocks; a string is one text block."""
    if isinstance(content, str):
        return (PiBlock("text", content),)
    return tuple(_block(object_of(value)) for value in list_of(content))


def _block(data: JsonObject) -> PiBlock:
    kind = text_of(data.get("type")) or "unknown"
    if kind == "thinking":
        return PiBlock(kind, text_of(data.get("thinking")))
    if kind == "toolCall":
        return PiBlock(kind, call=call_of(data))
    if kind == "image":
        return PiBlock(kind, attachment=_attachment(data))
    return PiBlock(kind, text_of(data.get("text")))


def call_of(data: JsonObject) -> PiCall:
    """A `toolCall` block."""
    return PiCall(
        call_id=text_of(data.get("id")) or None,
        name=text_of(data.get("name")) or "",
        arguments=data.get("arguments"),
        arguments_error=text_of(data.get("argumentsError")),
    )


def _attachment(data: JsonObject) -> str:
    mime = text_of(data.get("mimeType")) or "image"
    payload = text_of(data.get("data"))
    return mime if payload is None else f"{mime}, {len(payload):,} characters of base64"


def usage_of(value: JsonValue) -> dict[str, int | float | None]:
    """Pi's own counts under this project's names; `cached` is `cacheRead`. Empty where nothing was counted.

    A refused call leaves the zeros it began with, and a cache count of 0 has no measured provenance (gym-semantics
    5.3): both are unknown.
    """
    usage = object_of(value)
    if not any(count_of(usage.get(key)) for key in ("input", "output", "cacheRead", "cacheWrite", "totalTokens")):
        return {}
    return {
        "input": count_of(usage.get("input")),
        "output": count_of(usage.get("output")),
        "reasoning": count_of(usage.get("reasoning")),
        "cached": count_of(usage.get("cacheRead")) or None,
        "cache_write": count_of(usage.get("cacheWrite")) or None,
        "cost": number_of(object_of(usage.get("cost")).get("total")),
    }


def message_of(
    value: JsonValue, *, message_id: str, locator: str, ended_ms: float | None = None, ended: bool = True
) -> PiMessage:
    """A message of any role; one that is no object is a message of role `unknown`."""
    data = object_of(value)
    role = text_of(data.get("role")) or "unknown"
    started = number_of(data.get("timestamp"))
    if ended_ms is None and started is not None:
        duration = number_of(data.get("durationMs"))
        ended_ms = None if duration is None else started + duration
    return PiMessage(
        role=role,
        blocks=blocks_of(data.get("content")),
        message_id=message_id,
        locator=locator,
        stop_reason=text_of(data.get("stopReason")),
        error_message=text_of(data.get("errorMessage")),
        usage=usage_of(data.get("usage")),
        started_ms=started,
        ended_ms=ended_ms,
        response_id=text_of(data.get("responseId")),
        model=text_of(data.get("model")),
        provider=text_of(data.get("provider")),
        tool=_tool_result(data) if role == "toolResult" else None,
        speech=_speech(role, data),
        synthetic=role in _SUMMARY_ROLES or role == "custom",
        ended=ended,
    )


def _tool_result(data: JsonObject) -> PiToolResult:
    duration = number_of(data.get("durationMs"))
    return PiToolResult(
        call_id=text_of(data.get("toolCallId")) or "",
        name=text_of(data.get("toolName")),
        is_error=flag_of(data.get("isError")),
        duration_ms=None if duration is None else round(duration),
    )


def _speech(role: str, data: JsonObject) -> str | None:
    if role == "bashExecution":
        return _shell_text(data)
    if role in _SUMMARY_ROLES:
        return text_of(data.get("summary"))
    if role == "system":
        sections = [f"[{name}]\n{text}" for name, text in object_of(data.get("sections")).items() if text]
        return "\n\n".join(sections) or None
    return None


def _shell_text(data: JsonObject) -> str:
    lines = [f"$ {text_of(data.get('command')) or ''}", text_of(data.get("output")) or ""]
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
    message = object_of(record.get("message"))
    role = text_of(message.get("role"))
    kind = text_of(record.get("type")) or "unknown"
    content = message.get("content")
    if isinstance(content, str) or not isinstance(content, Sequence):
        return (StoredPart(message_id, message_id, kind, record, locator=locator, role=role, turn=turn),)
    rest: dict[str, JsonValue] = {key: value for key, value in message.items() if key != "content"}
    head: JsonObject = {**record, "message": rest}
    parts = [StoredPart(message_id, message_id, kind, head, locator=locator, role=role, turn=turn)]
    for index, block in enumerate(content):
        data: JsonObject = block if isinstance(block, Mapping) else {"value": block}
        name = text_of(data.get("type")) or "unknown"
        where = f"{kind} {locator} block {index}"
        parts.append(StoredPart(f"{message_id}.{index}", message_id, name, data, locator=where, role=role, turn=turn))
    return tuple(parts)
