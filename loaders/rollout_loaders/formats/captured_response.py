"""The text, reasoning and calls of a captured model response, whatever its dialect (gym-semantics 10)."""

from __future__ import annotations

from collections.abc import Mapping

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, JsonValue

from .fields import NOTHING, as_array, mapping, objects, text
from .responses_items import content_text, item_text, item_type


@dataclass(frozen=True, slots=True)
class CapturedResponse:
    """What one call returned; texts are None where it returned none."""

    text: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[JsonObject, ...] = ()


def captured_response(body: JsonObject, dialect: str | None) -> CapturedResponse:
    """Read a response body; the dialect decides, its shape where the dialect is unknown."""
    if dialect == "responses" or (dialect is None and "output" in body):
        return _responses(body)
    if dialect == "messages" or (dialect is None and "choices" not in body and "content" in body):
        return _messages(body)
    return _chat(body)


def _responses(body: JsonObject) -> CapturedResponse:
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[JsonObject] = []
    for raw in objects(body, "output"):
        kind = item_type(raw)
        said = item_text(kind, raw)
        if kind == "message" and said is not None:
            texts.append(said)
        elif kind == "reasoning" and said is not None:
            thoughts.append(said)
        elif kind == "function_call":
            calls.append(raw)
    return CapturedResponse(_joined(texts), _joined(thoughts), tuple(calls))


def _chat(body: JsonObject) -> CapturedResponse:
    choices = objects(body, "choices")
    message = mapping(choices[0], "message") if choices else NOTHING
    thought = text(message, "reasoning_content") or text(message, "reasoning")
    return CapturedResponse(content_text(message.get("content")), thought, objects(message, "tool_calls"))


def _messages(body: JsonObject) -> CapturedResponse:
    blocks = [block for block in as_array(body.get("content")) or () if isinstance(block, Mapping)]
    thoughts = [said for block in blocks if (said := text(block, "thinking")) is not None]
    calls = tuple(block for block in blocks if block.get("type") == "tool_use")
    return CapturedResponse(content_text(body.get("content")), _joined(thoughts), calls)


def finish_reason(body: JsonObject) -> str | None:
    """First string of `stop_reason`, the first choice's `finish_reason`, `incomplete_details.reason`."""
    choices = objects(body, "choices")
    candidates: tuple[JsonValue, ...] = (
        body.get("stop_reason"),
        choices[0].get("finish_reason") if choices else None,
        mapping(body, "incomplete_details").get("reason"),
    )
    return next((value for value in candidates if isinstance(value, str)), None)


def _joined(texts: list[str]) -> str | None:
    return "\n".join(texts) if texts else None
