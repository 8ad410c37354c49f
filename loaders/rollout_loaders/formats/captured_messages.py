"""Messages of a captured model request in one shape, whatever dialect they were sent in (gym-semantics 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.model import CapturedMessage, JsonObject, JsonValue

from .fields import as_array, objects, text
from .responses_items import content_text, item_text, item_type

_CHAT_EXTRAS = (
    "tool_calls",
    "function_call",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "audio",
)


def dialect_of(body: JsonObject, path: str = "") -> str | None:
    """`chat`, `responses` or `messages`, by the request's path where one is known, else by its shape."""
    if path.rstrip("/").endswith("/chat/completions"):
        return "chat"
    if path.rstrip("/").endswith("/responses"):
        return "responses"
    if path.rstrip("/").endswith("/messages"):
        return "messages"
    if "input" in body:
        return "responses"
    if "messages" not in body:
        return None
    if "system" in body or any(_has_anthropic_block(message) for message in objects(body, "messages")):
        return "messages"
    return "chat"


def request_messages(body: JsonObject, dialect: str | None) -> tuple[CapturedMessage, ...] | None:
    """The messages of a request in order, system text first; None where the body holds none."""
    if dialect == "responses":
        return _responses(body)
    if "messages" not in body:
        return None
    system = body.get("system")
    first = () if system is None else (_message("system", system, ()),)
    return first + tuple(_chat(message) for message in as_array(body.get("messages")) or ())


def sent_tools(body: JsonObject) -> bool:
    """Whether the request offered tools."""
    return bool(body.get("tools") or body.get("functions"))


def _chat(raw: JsonValue) -> CapturedMessage:
    if not isinstance(raw, Mapping):
        return CapturedMessage("unknown", raw if isinstance(raw, str) else None, False)
    calls = objects(raw, "tool_calls")
    legacy = raw.get("function_call")
    if isinstance(legacy, Mapping):
        calls = (*calls, legacy)
    content = raw.get("content")
    calls += tuple(block for block in _blocks(content) if block.get("type") == "tool_use")
    beside = any(raw.get(key) for key in _CHAT_EXTRAS)
    return _message(text(raw, "role") or "unknown", content, calls, beside)


def _message(role: str, content: JsonValue, calls: tuple[JsonObject, ...], beside: bool = False) -> CapturedMessage:
    plain = isinstance(content, str) or (content is not None and _only_text_blocks(content))
    return CapturedMessage(role, content_text(content), plain and not beside and not calls, calls)


def _only_text_blocks(content: JsonValue) -> bool:
    blocks = as_array(content)
    return blocks is not None and all(
        isinstance(block, str) or (isinstance(block, Mapping) and content_text(block) is not None) for block in blocks
    )


def _responses(body: JsonObject) -> tuple[CapturedMessage, ...] | None:
    if "input" not in body:
        return None
    instructions = text(body, "instructions")
    first = () if not instructions else (CapturedMessage("system", instructions, True),)
    given = body.get("input")
    if isinstance(given, str):
        return (*first, CapturedMessage("user", given, True))
    return first + tuple(_item(raw) for raw in as_array(given) or ())


def _item(raw: JsonValue) -> CapturedMessage:
    if not isinstance(raw, Mapping):
        return CapturedMessage("unknown", raw if isinstance(raw, str) else None, False)
    kind = item_type(raw)
    if kind == "message":
        return _message(text(raw, "role") or "unknown", raw.get("content"), ())
    if kind == "function_call_output":
        return CapturedMessage("tool", item_text(kind, raw), True)
    if kind == "function_call":
        return CapturedMessage("assistant", None, False, (raw,))
    return CapturedMessage("assistant" if kind == "reasoning" else "unknown", None, False)


def _blocks(content: JsonValue) -> Sequence[JsonObject]:
    return [block for block in as_array(content) or () if isinstance(block, Mapping)]


def _has_anthropic_block(message: JsonObject) -> bool:
    return any(
        block.get("type") in ("tool_use", "tool_result", "thinking") for block in _blocks(message.get("content"))
    )
