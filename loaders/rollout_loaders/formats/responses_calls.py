"""A tool call of a Responses list: its item, the item that answers it, and what observations say of both.

The call is made once, from all three (gym-semantics 2, 3.3, 5.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import BadJson, decode, encode
from rollout_loaders.model import Item, JsonObject, JsonValue, ToolCall, is_object

from .fields import text
from .responses_items import foreign_blocks, output_text

HOSTED = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)
"""Calls that the provider runs within the same reply; their result is no item of its own (gym-semantics 2)."""


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What an observation adds to a call: status, times (gym-semantics 3.3)."""

    status: str = "unknown"
    error: str | None = None
    started_at: str | None = None
    duration_ms: int | None = None
    output: str | None = None
    """Only a trajectory's tool calls carry one (3.7)."""
    extra: Mapping[str, JsonValue] = field(default_factory=lambda: {})


NO_FACTS = ToolFacts()


def tool_call(item: Item, item_id: str, answer: Item | None, facts: ToolFacts | None, child: str | None) -> ToolCall:
    """The call of `item`, with its result where `answer` holds one or the item holds its own.

    Args: `item_id` is the id that the turn knows it by; `facts` decide its status where they are; `child` is the
    invocation that it started. The call's own recorded status holds; the output's stands in where there is none.
    """
    data, function = item.data, item.type == "function_call"
    status, (output, attachments) = _status(data), _output(data.get("output"))
    if answer is not None:
        status = status or _status(answer.data)
        output, attachments = _output(answer.data.get("output"))
        output = output or ""
    if facts is not None:
        status = facts.status
        output = facts.output if output is None else output
    elif output is None and function and status == "completed":
        # A call is written as completed when the model has sent it; without a result it was never run (5.3).
        status = "incomplete"
    said = facts or NO_FACTS
    return ToolCall(
        id=item_id,
        call_id=item.call_id,
        name=item.name or item.type,
        arguments=_arguments(data),
        status=status or "unknown",
        output=output,
        error=said.error or text(data, "error"),
        started_at=said.started_at,
        duration_ms=said.duration_ms,
        child=child,
        hosted=item.type in HOSTED,
        attachments=attachments,
        extra=said.extra if function else {"item": data, **said.extra},
    )


def as_json(value: JsonValue) -> str:
    """A shape that has no text, as its JSON; '' for null."""
    return "" if value is None else encode(value).decode("ascii")


def _status(data: JsonObject) -> str:
    """The recorded status, '' where there is none."""
    recorded = text(data, "status") or ""
    return "incomplete" if recorded == "in_progress" else recorded


def _output(value: JsonValue) -> tuple[str | None, tuple[str, ...]]:
    """Text of a tool's output and its attachments; JSON for a shape that has neither, None for no output."""
    if value is None or isinstance(value, str):
        return value, ()
    attachments = foreign_blocks({"content": value})
    said = output_text(value)
    if said is None:
        said = "" if attachments else as_json(value)
    return said, attachments


def _arguments(data: JsonObject) -> JsonValue:
    """The object that a JSON string holds, else the value as it is (`ToolCall.arguments`)."""
    given: JsonValue = data.get("arguments")
    if given is None:
        given = data.get("input", data.get("action", data.get("queries")))
    if not isinstance(given, str):
        return given
    try:
        value = decode(given.encode("utf-8", "surrogatepass")).value
    except BadJson:
        return given
    return value if is_object(value) else given
