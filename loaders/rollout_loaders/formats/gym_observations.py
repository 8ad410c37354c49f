"""`ng_agent_observations`: invocations with their conversations, tool calls, compactions, gaps (gym-semantics 3.1-3.6).

Gym's own models forbid unknown fields; this reader keeps them and passes over nothing it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from rollout_loaders.convert.context import with_context
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import CallRef, Compaction, Gap, Invocation, Item, JsonObject, JsonValue, Turn

from .fields import array, integer, mapping, number, objects, text, words
from .gym_capture import model_ref, moment
from .gym_trajectory import Trajectory, TurnMark
from .responses_calls import ToolFacts
from .responses_items import item, output_text
from .responses_turns import Grouped, group

STATUSES = frozenset({"completed", "failed", "incomplete", "unknown"})


@dataclass(frozen=True, slots=True)
class Observed:
    """The observed lens of a row: conversations, root first, and what lies beside them."""

    invocations: tuple[Invocation, ...] = ()
    call_refs: tuple[CallRef, ...] = ()
    gaps: tuple[Gap, ...] = ()
    other_records: tuple[JsonObject, ...] = ()
    """Records of kinds without a place here (`sandbox` and whatever newer releases write)."""
    split: bool = False
    """Whether an item id ends in `-reasoning`: the run was split (CONTRACT 4.3)."""


@dataclass(slots=True)
class _Records:
    """The records of a bundle, sorted by kind and invocation; record order carries no time (3.6)."""

    invocations: dict[str, JsonObject] = field(default_factory=lambda: {})
    tools: dict[str, dict[str, list[ToolFacts]]] = field(default_factory=lambda: {})
    compactions: dict[str, list[JsonObject]] = field(default_factory=lambda: {})
    others: list[JsonObject] = field(default_factory=lambda: [])


def observed(bundle: JsonObject, trajectory: Trajectory) -> Observed:
    """The conversations of a row's observations and of its trajectory, each invocation once."""
    records = _sorted(objects(bundle, "records"))
    for raw in trajectory.invocations:
        own = records.invocations.setdefault(text(raw, "invocation_id") or "", raw)
        if not array(own, "conversation") and array(raw, "conversation"):
            records.invocations[text(raw, "invocation_id") or ""] = {**own, "conversation": raw["conversation"]}
    for raw in trajectory.tool_calls:
        known = records.tools.setdefault(text(raw, "invocation_id") or "", {})
        if text(raw, "tool_call_id") not in known:
            known[text(raw, "tool_call_id") or ""] = [tool_facts(raw)]
    built = [_invocation(name, records, trajectory) for name in _root_first(records.invocations)]
    refs = [ref for raw in records.invocations.values() for ref in call_refs(raw, "invocation")]
    refs += [ref for group_ in records.compactions.values() for raw in group_ for ref in call_refs(raw, "compaction")]
    return Observed(
        invocations=tuple(built),
        call_refs=tuple(refs),
        gaps=gaps_of(bundle),
        other_records=tuple(records.others),
        split=any((it.id or "").endswith("-reasoning") for invocation in built for it in invocation.items),
    )


def _sorted(raws: Iterable[JsonObject]) -> _Records:
    records = _Records()
    for raw in raws:
        kind, name = text(raw, "kind"), text(raw, "invocation_id") or ""
        if kind == "agent_invocation":
            records.invocations.setdefault(name, raw)
        elif kind == "tool_call":
            by_call = records.tools.setdefault(name, {})
            by_call.setdefault(text(raw, "tool_call_id") or "", []).append(tool_facts(raw))
        elif kind == "context_compaction":
            records.compactions.setdefault(name, []).append(raw)
        else:
            records.others.append(raw)
    for name in (*records.compactions, *records.tools):
        # A record may name an invocation that the bundle lost; its evidence must not vanish with it.
        records.invocations.setdefault(name, {"invocation_id": name})
    return records


def _root_first(invocations: Mapping[str, JsonObject]) -> list[str]:
    """Names, the root first: the first without a parent, else the first whose parent is not here (3.2)."""
    names = list(invocations)
    parents = {name: text(raw, "parent_invocation_id") for name, raw in invocations.items()}
    root = next((name for name in names if parents[name] is None), None)
    if root is None:
        root = next((name for name in names if parents[name] not in invocations), names[0] if names else None)
    return names if root is None else [root, *(name for name in names if name != root)]


def _invocation(name: str, records: _Records, trajectory: Trajectory) -> Invocation:
    raw = records.invocations[name]
    recorded = trajectory.ids_by_invocation.get(name, {})
    items = tuple(item(member) for member in array(raw, "conversation"))
    keys = [f"conversation[{index}]" for index in range(len(items))]
    shown = items
    if not items:
        # No conversation, but turns: what they hold is all there is to see.
        members = trajectory.items_by_invocation.get(name, ())
        shown = tuple(item(member) for _, member in members)
        keys = [f"turns[{index}]" for index in range(len(shown))]
        recorded = {key: turn for key, (turn, _) in zip(keys, members, strict=True)}
        shown = tuple(replace(each, id=key) for each, key in zip(shown, keys, strict=True))
    children = {
        call_id: child
        for child, other in records.invocations.items()
        if text(other, "parent_invocation_id") == name
        and (call_id := text(other, "spawned_by_tool_call_id")) is not None
    }
    grouped = group(shown, keys, tools=records.tools.get(name), children=children, turn_keys=recorded)
    turns = _timed(grouped.turns, trajectory.marks, name, recorded)
    compactions = tuple(
        _compaction(f"{name}:compaction-{number_}", each, items, grouped, turns)
        for number_, each in enumerate(records.compactions.get(name, ()), 1)
    )
    status = text(raw, "status")
    left = {key: raw[key] for key in ("duration_ms", "error_type") if raw.get(key) is not None}
    return with_context(
        Invocation(
            id=name,
            parent_id=text(raw, "parent_invocation_id"),
            spawned_by=text(raw, "spawned_by_tool_call_id"),
            status=status if status in STATUSES else "unknown",
            turns=turns,
            compactions=tuple(sorted(compactions, key=lambda c: (c.started_at is None, c.started_at or ""))),
            trailing_input=grouped.trailing,
            items=items,
            extra=left,
        )
    )


def _timed(
    turns: Sequence[Turn], marks: Mapping[tuple[str, str], TurnMark], name: str, recorded: Mapping[str, str]
) -> tuple[Turn, ...]:
    """Turns with time and message id of the recorded turn that holds the same items."""
    filled: list[Turn] = []
    for turn in turns:
        key = next((recorded[item_id] for item_id in turn.order if item_id in recorded), None)
        found = marks.get((name, key or ""))
        if found is not None:
            turn_id = found.message_id or turn.message_id
            filled.append(replace(turn, started_at=found.started_at or turn.started_at, message_id=turn_id))
        else:
            filled.append(turn)
    return tuple(filled)


def _compaction(
    name: str, raw: JsonObject, items: Sequence[Item], grouped: Grouped, turns: Sequence[Turn]
) -> Compaction:
    kept = text(raw, "first_kept_item_id")
    at = moment(raw.get("observed_at"))
    known = [turn for turn in turns if turn.started_at is not None]
    before = [turn.number for turn in known if at is not None and (turn.started_at or "") <= at]
    after_turn = max(before, default=0) if known and at is not None else None
    read = {"kind", "invocation_id", "observed_at", "trigger", "tokens_before", "tokens_after", "outcome", "summary"}
    read |= {"first_kept_item_id", "source_message_ids"}
    return Compaction(
        id=name,
        trigger=text(raw, "trigger"),
        outcome=text(raw, "outcome") or "unknown",
        summary=text(raw, "summary"),
        tokens_before=integer(raw, "tokens_before"),
        tokens_after=integer(raw, "tokens_after"),
        first_kept_item_id=kept,
        first_kept_turn=None if kept is None else _turn_of_item(kept, items, grouped),
        after_turn=after_turn,
        error=text(raw, "error_type"),
        started_at=at,
        summary_message_ids=words(raw, "source_message_ids"),
        extra={key: value for key, value in raw.items() if key not in read and value is not None},
    )


def _turn_of_item(kept: str, items: Sequence[Item], grouped: Grouped) -> int | None:
    """Turn of the item with this id; for one that came in, the turn after it."""
    for index, candidate in enumerate(items):
        if kept in (candidate.id, candidate.call_id):
            return next((number_ for number_ in grouped.turn_of[index:] if number_ is not None), None)
    return None


def tool_facts(raw: JsonObject) -> ToolFacts:
    """A ToolCallObservation (3.3)."""
    extra: dict[str, JsonValue] = {
        key: raw[key] for key in ("sandbox_id", "timing_source", "error_type") if raw.get(key) is not None
    }
    duration = number(raw, "duration_ms")
    return ToolFacts(
        status=text(raw, "status") or "unknown",
        error=text(raw, "error_type"),
        started_at=moment(raw.get("started_at")),
        duration_ms=None if duration is None else round(duration),
        output=None if raw.get("output") is None else output_text(raw.get("output")),
        extra=extra,
    )


def call_refs(raw: JsonObject, owner: str, turn: int | None = None) -> tuple[CallRef, ...]:
    """The ModelCallRefs of a record (3.1)."""
    return tuple(
        CallRef(
            model_call_id=text(ref, "model_call_id"),
            response_id=text(ref, "response_id"),
            model_ref=model_ref(ref.get("model_ref")),
            owner=owner,
            invocation_id=text(raw, "invocation_id"),
            turn=turn,
        )
        for ref in objects(raw, "model_calls")
    )


def gaps_of(holder: JsonObject) -> tuple[Gap, ...]:
    """The gaps of a bundle, a trajectory or a capture (3.6)."""
    return tuple(
        Gap(code, text(raw, "invocation_id"), _detail(raw.get("detail")))
        for raw in objects(holder, "gaps")
        if (code := text(raw, "code")) is not None
    )


def _detail(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def bundle_of(row: JsonObject) -> JsonObject:
    """The row's observation bundle, empty where it has none."""
    return mapping(row, "ng_agent_observations")
