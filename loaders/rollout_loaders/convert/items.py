"""Builders of Responses-shaped items (gym-semantics 2), one for each type that a harness gives.

Ids that Gym makes at random are passed in: the caller derives them from part ids or counts, so that two readings of
one file are equal.
"""

from __future__ import annotations

import json

from rollout_loaders.model import Item, JsonValue, Place

NOWHERE = Place()
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def arguments_json(arguments: JsonValue) -> str:
    """The arguments of a call as a JSON string; a string is what the model sent and stays as it is."""
    if isinstance(arguments, str):
        return arguments
    return _ENCODER.encode({} if arguments is None else arguments)


def message_item(
    text: str, *, item_id: str | None, role: str = "assistant", status: str = "completed", place: Place = NOWHERE
) -> Item:
    """An assistant output message; for any other role an easy input message (no id, no status in its data)."""
    if role == "assistant":
        block: JsonValue = {"type": "output_text", "text": text, "annotations": []}
        data: dict[str, JsonValue] = {
            "type": "message",
            "id": item_id,
            "role": "assistant",
            "status": status,
            "content": [block],
        }
    else:
        data = {"type": "message", "role": role, "content": text}
    return Item(type="message", data=data, id=item_id, role=role, text=text, place=place)


def reasoning_item(text: str, *, item_id: str | None, place: Place = NOWHERE) -> Item:
    """A reasoning item with its text in `summary[0]` (gym-semantics 4.3)."""
    data: dict[str, JsonValue] = {
        "type": "reasoning",
        "id": item_id,
        "summary": [{"type": "summary_text", "text": text}],
    }
    return Item(type="reasoning", data=data, id=item_id, text=text, place=place)


def function_call_item(
    *,
    call_id: str,
    name: str,
    arguments: JsonValue,
    item_id: str | None = None,
    status: str | None = "completed",
    place: Place = NOWHERE,
) -> Item:
    """A call; `item_id` None leaves `id` out of the data, as session output does (gym-semantics 4.6)."""
    written = arguments_json(arguments)
    data: dict[str, JsonValue] = {"type": "function_call", "call_id": call_id, "name": name, "arguments": written}
    if item_id is not None:
        data["id"] = item_id
    if status is not None:
        data["status"] = status
    return Item(
        type="function_call",
        data=data,
        id=item_id if item_id is not None else call_id,
        text=written,
        call_id=call_id,
        name=name,
        place=place,
    )


def function_call_output_item(
    output: str, *, call_id: str, item_id: str | None = None, status: str | None = "completed", place: Place = NOWHERE
) -> Item:
    """The result of a call, paired with it by its place right after it."""
    data: dict[str, JsonValue] = {"type": "function_call_output", "call_id": call_id, "output": output}
    if item_id is not None:
        data["id"] = item_id
    if status is not None:
        data["status"] = status
    return Item(type="function_call_output", data=data, id=item_id, text=output, call_id=call_id, place=place)
