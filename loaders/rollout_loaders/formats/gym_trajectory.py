"""`ng_trajectory`: recorded turns, invocations and calls (gym-semantics 3.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import CallRef, JsonObject, JsonValue, RecordedTurn

from .fields import as_array, integer, mapping, objects, text
from .gym_capture import model_ref, moment
from .responses_items import content_text, item_text, item_type


@dataclass(frozen=True, slots=True)
class TurnMark:
    """What a recorded turn adds to the turn of the conversation that holds the same items."""

    message_id: str | None
    started_at: str | None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The trajectory of a row, picked apart. Empty where the row has none."""

    state: str | None = None
    """`valid`, `invalid`, or None without an `ng_trajectory` (precondition T of gym-semantics 7)."""
    invocations: tuple[JsonObject, ...] = ()
    tool_calls: tuple[JsonObject, ...] = ()
    turns: tuple[RecordedTurn, ...] = ()
    call_refs: tuple[CallRef, ...] = ()
    ids_by_invocation: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {})
    """Invocation, then item id, to the key of the one recorded turn that holds it."""
    marks: Mapping[tuple[str, str], TurnMark] = field(default_factory=lambda: {})
    items_by_invocation: Mapping[str, Sequence[tuple[str, JsonValue]]] = field(default_factory=lambda: {})
    """What the recorded turns of an invocation hold, as items with the key of their turn, in order."""


def trajectory_of(row: JsonObject) -> Trajectory:
    """The row's trajectory; anything but an object with the lists of 3.7 is `invalid`."""
    if row.get("ng_trajectory") is None:
        return Trajectory()
    raw = mapping(row, "ng_trajectory")
    lists = ("invocations", "turns", "model_calls", "tool_calls", "gaps")
    valid = bool(raw) and all(as_array(raw.get(name, ())) is not None for name in lists)
    turns = objects(raw, "turns")
    ids, marks = _marks(turns)
    return Trajectory(
        state="valid" if valid else "invalid",
        invocations=objects(raw, "invocations"),
        tool_calls=objects(raw, "tool_calls"),
        turns=tuple(recorded_turn(turn) for turn in turns),
        call_refs=tuple(ref for turn in turns for ref in _refs(turn)),
        ids_by_invocation=ids,
        marks=marks,
        items_by_invocation=_items(turns),
    )


def recorded_turn(raw: JsonObject) -> RecordedTurn:
    """One TrajectoryTurn, whose answer and reasoning may be items, a Chat message, part-like dicts or strings."""
    answer = list(_members(raw.get("answer")))
    reasoning = [said for member in _members(raw.get("reasoning_content")) for said in _texts(member)]
    thoughts = [said for member in answer if _is_reasoning(member) for said in _texts(member)]
    return RecordedTurn(
        invocation_id=text(raw, "invocation_id") or "",
        number=integer(raw, "turn_no") or 0,
        message_id=_message_id(raw, answer),
        reasoning=tuple(reasoning + thoughts),
        answer=tuple(said for member in answer if not _is_reasoning(member) for said in _answer_texts(member)),
        tool_names=tuple(name for member in answer for name in _tool_names(member)),
    )


def _members(value: JsonValue) -> Sequence[JsonValue]:
    if value is None:
        return ()
    listed = as_array(value)
    return (value,) if listed is None else listed


def _is_reasoning(member: JsonValue) -> bool:
    return isinstance(member, Mapping) and member.get("type") == "reasoning"


def _texts(member: JsonValue) -> list[str]:
    if isinstance(member, str):
        return [member]
    if not isinstance(member, Mapping):
        return []
    said = text(member, "text")
    if said is None:
        said = item_text(item_type(member), member)
    return [] if said is None else [said]


def _answer_texts(member: JsonValue) -> list[str]:
    if isinstance(member, Mapping) and str(member.get("type", "message")).endswith(("_call", "_call_output")):
        return []
    if isinstance(member, Mapping) and "content" in member:
        said = content_text(member.get("content"))
        return [] if said is None else [said]
    return _texts(member)


def _tool_names(member: JsonValue) -> list[str]:
    if not isinstance(member, Mapping):
        return []
    if str(member.get("type", "")).endswith("_call"):
        return [text(member, "name") or str(member.get("type"))]
    calls = objects(member, "tool_calls")
    return [name for call in calls if (name := text(mapping(call, "function") or call, "name")) is not None]


def _message_id(raw: JsonObject, answer: Sequence[JsonValue]) -> str | None:
    own = text(raw, "source_message_id")
    if own is not None:
        return own
    messages = [member for member in answer if isinstance(member, Mapping) and member.get("type") == "message"]
    return text(messages[0], "id") if messages else None


def _marks(turns: Sequence[JsonObject]) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], TurnMark]]:
    ids: dict[str, dict[str, str]] = {}
    shared: set[tuple[str, str]] = set()
    marks: dict[tuple[str, str], TurnMark] = {}
    for raw in turns:
        name, key = text(raw, "invocation_id") or "", str(integer(raw, "turn_no"))
        marks[name, key] = TurnMark(_message_id(raw, list(_members(raw.get("answer")))), moment(raw.get("timestamp")))
        for item_id in _item_ids(raw):
            if ids.setdefault(name, {}).setdefault(item_id, key) != key:
                shared.add((name, item_id))
    for name, item_id in shared:
        # An id that several turns hold (call ids repeat) says nothing about where a turn ends.
        del ids[name][item_id]
    return ids, marks


def _items(turns: Sequence[JsonObject]) -> dict[str, list[tuple[str, JsonValue]]]:
    found: dict[str, list[tuple[str, JsonValue]]] = {}
    for raw in turns:
        key = str(integer(raw, "turn_no"))
        held = found.setdefault(text(raw, "invocation_id") or "", [])
        if not held:
            held += [(key, _as_item(member, "user")) for member in _members(raw.get("question"))]
        held += [(key, _thought(member)) for member in _members(raw.get("reasoning_content"))]
        for member in _members(raw.get("answer")):
            held += [(key, each) for each in _answer_items(member)]
    return found


def _thought(member: JsonValue) -> JsonValue:
    """A reasoning item; a bare string is one without an id."""
    return {"type": "reasoning", "text": member} if isinstance(member, str) else member


def _as_item(member: JsonValue, role: str) -> JsonValue:
    return {"type": "message", "role": role, "content": member} if isinstance(member, str) else member


def _answer_items(member: JsonValue) -> list[JsonValue]:
    """An answer member as items: a Chat message gives its reasoning, its text and its calls."""
    if not isinstance(member, Mapping) or ("tool_calls" not in member and "reasoning_content" not in member):
        return [_as_item(member, "assistant")]
    items: list[JsonValue] = []
    thought = text(member, "reasoning_content") or text(member, "reasoning")
    if thought:
        items.append({"type": "reasoning", "text": thought})
    if member.get("content"):
        items.append({"type": "message", "role": "assistant", "content": member.get("content")})
    for call in objects(member, "tool_calls"):
        inner = mapping(call, "function") or call
        items.append({**inner, "type": "function_call", "call_id": call.get("id")})
    return items


def _item_ids(raw: JsonObject) -> list[str]:
    found: list[str] = []
    for member in (*_members(raw.get("answer")), *_members(raw.get("reasoning_content"))):
        if not isinstance(member, Mapping):
            continue
        found += [value for key in ("id", "call_id") if (value := text(member, key)) is not None]
        found += [value for block in objects(member, "content") if (value := text(block, "id")) is not None]
        found += [value for call in objects(member, "tool_calls") if (value := text(call, "id")) is not None]
    split = [f"{value}-reasoning" for value in found if not value.endswith("-reasoning")]
    return found + split


def _refs(turn: JsonObject) -> list[CallRef]:
    return [
        CallRef(
            model_call_id=text(ref, "model_call_id"),
            response_id=text(ref, "response_id"),
            model_ref=model_ref(ref.get("model_ref")),
            owner="turn",
            invocation_id=text(turn, "invocation_id"),
            turn=integer(turn, "turn_no"),
        )
        for ref in objects(turn, "model_calls")
    ]
