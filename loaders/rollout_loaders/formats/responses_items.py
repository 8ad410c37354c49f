"""Responses items of any shape that a file may hold, as `model.Item` (gym-semantics 2)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Item, JsonObject, JsonValue, Place, is_object

from .fields import as_array, text

NOWHERE = Place()
TEXT_BLOCKS = frozenset({"output_text", "input_text", "text"})
"""Content blocks whose `text` is text of the message; a block without a `type` counts when it has a `text`."""
BARE_STRING = "string"
"""Our type for a list member that is no object but a string: shown, never taken for an assistant message."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The items of one list, and the earlier lists of a nested one, each raw."""

    items: tuple[JsonValue, ...] = ()
    path: str = "output"
    """Prefix of the place of an item: item 3 stands at `output[3]`, in a nested list at `output[1][3]`."""
    earlier: tuple[tuple[str, JsonValue], ...] = ()
    """`(place, item)` of every earlier list's items (an environment that records its transitions)."""


def conversation(value: JsonValue, path: str = "output") -> Conversation:
    """The conversation of an `output` or `input` of any shape.

    A list whose members are all lists records transitions: the last list is the conversation. A string or an object in
    place of a list counts as a list of one. Lists among items are read in place.
    """
    members = as_array(value)
    if members is None:
        return Conversation() if value is None else Conversation((value,), path)
    lists = [as_array(member) for member in members]
    if lists and all(inner is not None for inner in lists):
        earlier = tuple(
            (f"{path}[{outer}][{index}]", item)
            for outer, inner in enumerate(lists[:-1])
            for index, item in enumerate(inner or ())
        )
        return Conversation(tuple(lists[-1] or ()), f"{path}[{len(lists) - 1}]", earlier)
    if any(inner is not None for inner in lists):
        return Conversation(tuple(_flattened(members)), path)
    return Conversation(tuple(members), path)


def _flattened(members: Sequence[JsonValue]) -> list[JsonValue]:
    flat: list[JsonValue] = []
    for member in members:
        inner = as_array(member)
        if inner is None:
            flat.append(member)
        else:
            flat.extend(_flattened(inner))
    return flat


def item(raw: JsonValue, place: Place = NOWHERE) -> Item:
    """One item. `type` may be missing on an easy message; what is no object is kept under `value`."""
    if not is_object(raw):
        said = raw if isinstance(raw, str) else None
        return Item(type=BARE_STRING if said is not None else "value", data={"value": raw}, text=said, place=place)
    kind = item_type(raw)
    own_id, role, call_id, name = [
        value if isinstance(value, str) else None
        for value in (raw.get("id"), raw.get("role"), raw.get("call_id"), raw.get("name"))
    ]
    if call_id is None and kind == "mcp_call":
        call_id = own_id
    return Item(kind, raw, own_id, role, item_text(kind, raw), call_id, name, place)


def item_type(raw: JsonObject) -> str:
    """The recorded type; an object without one that has a role is an easy message."""
    kind = raw.get("type")
    if isinstance(kind, str):
        return kind
    return "message" if "role" in raw else "unknown"


def item_text(kind: str, raw: JsonObject) -> str | None:
    """The text as `model.Item` defines it for each type."""
    if kind == "message":
        return content_text(raw.get("content"))
    if kind == "reasoning":
        return _reasoning_text(raw)
    if kind == "function_call":
        return text(raw, "arguments")
    if kind == "function_call_output":
        return output_text(raw.get("output"))
    for key in ("text", "arguments", "input", "output", "code"):
        said = text(raw, key)
        if said is not None:
            return said
    return None


def content_text(content: JsonValue) -> str | None:
    """Text blocks of a message joined by newline, not stripped; None where it has none (CONTRACT 3, `final_text`)."""
    if isinstance(content, str):
        return content
    if is_object(content):
        return block_text(content)
    found = [said for block in as_array(content) or () if (said := block_text(block)) is not None]
    return "\n".join(found) if found else None


def block_text(block: JsonValue) -> str | None:
    """The text of one content block; None for an image, a refusal, a thinking block and anything else."""
    if isinstance(block, str):
        return block
    if not is_object(block):
        return None
    kind = block.get("type")
    return text(block, "text") if kind is None or (isinstance(kind, str) and kind in TEXT_BLOCKS) else None


def output_text(output: JsonValue) -> str | None:
    """The text of a tool's output, a string or a list of parts; None where it has none."""
    return content_text(output)


def refusal_text(raw: JsonObject) -> str | None:
    """The refusals of a message joined by newline, else None."""
    found = [
        said
        for block in as_array(raw.get("content")) or ()
        if is_object(block) and (said := text(block, "refusal")) is not None
    ]
    return "\n".join(found) if found else None


def foreign_blocks(raw: JsonObject) -> tuple[str, ...]:
    """One line for each content block of a message that is neither text nor refusal, e.g. `input_image`."""
    found: list[str] = []
    for block in as_array(raw.get("content")) or ():
        if is_object(block) and block_text(block) is None and "refusal" not in block:
            found.append(text(block, "type") or "block")
    return tuple(found)


def _reasoning_text(raw: JsonObject) -> str | None:
    found: list[str] = []
    for key in ("summary", "content"):
        value = raw.get(key)
        if isinstance(value, str):
            found.append(value)
            continue
        for part in as_array(value) or ():
            said = part if isinstance(part, str) else text(part, "text") if is_object(part) else None
            if said is not None:
                found.append(said)
    return "\n".join(found) if found else text(raw, "text")
