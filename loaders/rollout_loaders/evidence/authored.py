"""What the model wrote, in the canonical form that content fingerprints compare (gym-semantics 8.4).

Assistant texts and tool calls with canonical arguments; reasoning, user and tool items are ignored; an empty text adds
nothing. Think text stays part of its text. The hashes themselves are not recomputed: only their input is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from rollout_loaders.convert.think import split
from rollout_loaders.model import CapturedMessage, JsonObject, JsonValue

Unit = tuple[str, ...]
"""`("text", text)` or `("call", name, canonical arguments)`."""
Authored = tuple[Unit, ...]

TEXT_BLOCKS = ("output_text", "text", "input_text")  # a tuple: a block's type may be a list


def canonical_arguments(arguments: JsonValue) -> str:
    """Arguments as sorted, compact JSON; a string that holds no JSON, or one nested too deeply, stays as it is."""
    try:
        value: object = json.loads(arguments) if isinstance(arguments, str) else arguments
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    except (ValueError, RecursionError):
        return arguments if isinstance(arguments, str) else repr(type(arguments))


def call_unit(call: JsonObject) -> Unit:
    """A tool call of any dialect: a Responses `function_call`, a Chat `tool_calls[]` entry, a Messages `tool_use`."""
    inner = call.get("function")
    body: JsonObject = inner if isinstance(inner, Mapping) else call
    name = body.get("name")
    arguments = body.get("arguments") if "arguments" in body else body.get("input")
    return ("call", name if isinstance(name, str) else "", canonical_arguments(arguments))


def text_units(content: JsonValue) -> Authored:
    """The non-empty texts of a message's content: a string, or its text blocks."""
    if isinstance(content, str):
        return (("text", content),) if content else ()
    if not isinstance(content, Sequence):
        return ()
    texts: list[Unit] = []
    for block in content:
        if isinstance(block, Mapping) and block.get("type") in TEXT_BLOCKS:
            text = block.get("text")
            if isinstance(text, str) and text:
                texts.append(("text", text))
    return tuple(texts)


def item_units(item: JsonObject) -> Authored | None:
    """What the model wrote in one item: units, `()` for an item that is ignored, None for what others wrote."""
    kind = item.get("type", "message")
    if kind == "message":
        return text_units(item.get("content")) if item.get("role") == "assistant" else None
    if kind == "function_call":
        return (call_unit(item),)
    return () if kind == "reasoning" else None


def whole(items: Iterable[JsonObject]) -> Authored:
    """Everything the model wrote in `items`."""
    return tuple(unit for item in items for unit in item_units(item) or ())


def trailing_run(items: Sequence[JsonObject]) -> Authored:
    """What the model wrote after the last item of anybody else."""
    start = len(items)
    while start and item_units(items[start - 1]) is not None:
        start -= 1
    return whole(items[start:])


def message_units(messages: Iterable[CapturedMessage]) -> Authored:
    """What the model wrote in the messages of a captured request."""
    units: list[Unit] = []
    for message in messages:
        if message.role != "assistant":
            continue
        if message.text:
            units.append(("text", message.text))
        units.extend(call_unit(call) for call in message.tool_calls)
    return tuple(units)


def without_leading_think(units: Authored) -> Authored:
    """`units` with each text's leading think block left out, as the gateway puts it there (gym-semantics 4.7)."""
    kept: list[Unit] = []
    for unit in units:
        if unit[0] != "text":
            kept.append(unit)
            continue
        answer = split(unit[1]).answer
        if answer:
            kept.append(("text", answer))
    return tuple(kept)
