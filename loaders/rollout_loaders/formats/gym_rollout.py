"""One Gym row as a `Rollout` (gym-semantics 1.2, 2, 3; CONTRACT 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.convert.context import with_context
from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.model import (
    Diagnostic,
    Evidence,
    Gap,
    InputMessage,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    ModelCall,
    Place,
    Reason,
    Rollout,
    Route,
    Scored,
    SourceRef,
    StoredPart,
    TokenEntry,
    TurnError,
)

from .fields import mapping, objects, text
from .gym_capture import calls_of_capture, calls_of_trajectory, merged
from .gym_observations import Observed, bundle_of, gaps_of, observed
from .gym_row import harness_of, prompt_of, record_of, task_of, timed_out, usage_of
from .gym_tokens import token_entry
from .gym_trajectory import Trajectory, trajectory_of
from .responses_items import Conversation, conversation, item
from .responses_turns import Grouped, group, input_message

ROOT = "root"
"""Id of the conversation of a row that records no invocation (simple_agent's own name, gym-semantics 12)."""
CUT_OFF_REASONS = frozenset({"max_output_tokens", "length", "max_tokens"})
STATUSES = frozenset({"completed", "failed", "incomplete"})


@dataclass(frozen=True, slots=True)
class OwnConversation:
    """What the row itself says: the request's input, then the items of its response."""

    given: Conversation
    output: Conversation
    input_items: tuple[Item, ...]
    items: tuple[Item, ...]
    grouped: Grouped


def rollout_of(row: JsonObject, rollout_id: str, source: SourceRef, diagnostics: Sequence[Diagnostic] = ()) -> Rollout:
    """Everything that the row alone tells; outcome, grading and findings are `evidence.complete`'s."""
    response = mapping(row, "response")
    params = mapping(row, "responses_create_params")
    trajectory = trajectory_of(row)
    seen = observed(bundle_of(row), trajectory)
    own = own_conversation(params, response, in_context=None if seen.invocations else True)
    invocations, notes = _invocations(row, response, own, seen)
    placed = _placed(own, invocations, observed_root=not notes and bool(seen.invocations))
    root = invocations[0]
    invocations = (changed(root, parts=parts_of(row, own)), *invocations[1:])
    return Rollout(
        id=rollout_id,
        source=source,
        harness=harness_of(row, response),
        route=_route(seen),
        task=task_of(row, prompt_of(params)),
        invocations=invocations,
        final_answer=final_answer_of(root),
        scored=_scored(placed),
        usage=usage_of(response),
        gaps=_gaps(row, seen),
        diagnostics=tuple(diagnostics),
        evidence=_evidence(row, response, placed, seen, trajectory),
        notes=notes,
        extra=_extra(row, seen),
    )


def own_conversation(params: JsonObject, response: JsonObject, in_context: bool | None = None) -> OwnConversation:
    """The row's own input and output as items, and the turns they make.

    Everything in the input came in, also assistant messages: this rollout did not write them, so none of them may
    become its answer. `in_context` True: the row records no conversation that could have been compacted.
    """
    given = conversation(params.get("input"), "input")
    output = conversation(response.get("output"))
    input_items = tuple([_input_item(raw) for raw in given.items])
    came_in = [
        input_message(each, each.id or each.call_id or f"{given.path}[{index}]", in_context)
        for index, each in enumerate(input_items)
    ]
    prelude = (*_instructions(params, in_context), *came_in)
    items = tuple([item(raw) for raw in output.items])
    keys = [f"{output.path}[{index}]" for index in range(len(items))]
    grouped = group(items, keys, prelude=prelude, in_context=in_context)
    return OwnConversation(given, output, input_items, items, grouped)


def _input_item(raw: JsonValue) -> Item:
    """A bare string in the input is a user message (gym-semantics 1.2: `input` string or item list)."""
    if isinstance(raw, str):
        return item({"role": "user", "content": raw, "type": "message"})
    return item(raw)


def _instructions(params: JsonObject, in_context: bool | None) -> tuple[InputMessage, ...]:
    said = text(params, "instructions")
    if not said:
        return ()
    return (InputMessage("instructions", "system", said, kind="instructions", in_context_at_end=in_context),)


def _invocations(
    row: JsonObject, response: JsonObject, own: OwnConversation, seen: Observed
) -> tuple[tuple[Invocation, ...], tuple[Reason, ...]]:
    """The observed conversations; the row's own one where none is recorded, or the recorded root holds nothing."""
    status = text(response, "status")
    base = Invocation(
        id=ROOT,
        status=status if status in STATUSES else "unknown",
        turns=own.grouped.turns,
        trailing_input=own.grouped.trailing,
        items=own.input_items + own.items,
        agent=text(mapping(row, "agent_ref"), "name"),
    )
    if not seen.invocations:
        return (_ended(base, row, response),), ()
    root, *others = seen.invocations
    if root.turns or root.trailing_input or not own.items:
        return (_ended(changed(root, agent=base.agent), row, response), *others), ()
    filled = changed(base, id=root.id, status=root.status, compactions=root.compactions, extra=root.extra)
    note = Reason(
        "The recorded root conversation is empty: the turns shown are those of the row's own input and output.",
        rests_on="ng_agent_observations",
    )
    return (_ended(with_context(filled), row, response), *others), (note,)


def _ended(invocation: Invocation, row: JsonObject, response: JsonObject) -> Invocation:
    """The root with what the response says about the end of its last turn."""
    if not invocation.turns:
        return invocation
    last = invocation.turns[-1]
    error = response_error(response)
    if error is not None and last.error is None:
        last = changed(last, error=error)
    reason = text(mapping(response, "incomplete_details"), "reason")
    unfinished = _unfinished(response, row, reason)
    if last.finish is None and reason is not None:
        last = changed(last, finish="length" if reason in CUT_OFF_REASONS else reason.replace("_", "-"))
    if unfinished is not None and last.unfinished is None:
        last = changed(last, unfinished=unfinished)
    return changed(invocation, turns=(*invocation.turns[:-1], last))


def _unfinished(response: JsonObject, row: JsonObject, reason: str | None) -> str | None:
    if timed_out(row, mapping(response, "metadata")) is True:
        return "the agent was cut off by its deadline (agent_timed_out)"
    if text(response, "status") == "incomplete" or reason is not None:
        return "the last turn was cut off: response.status is incomplete"
    return None


def response_error(response: JsonObject) -> TurnError | None:
    """`response.error` of a failed response, or that it failed without one."""
    error = response.get("error")
    if isinstance(error, Mapping) and error:
        return TurnError(text(error, "code") or text(error, "type"), text(error, "message"))
    if isinstance(error, str) and error:
        return TurnError(None, error)
    return TurnError("failed", "response.status is failed") if text(response, "status") == "failed" else None


def _placed(own: OwnConversation, invocations: Sequence[Invocation], observed_root: bool) -> tuple[Item, ...]:
    """The scored items with the turn that wrote each."""
    if not observed_root:
        root = invocations[0].id
        pairs = zip(own.items, own.grouped.turn_of, strict=True)
        return tuple([_at(each, Place(root, turn, each.id)) for each, turn in pairs])
    where = _places(invocations)
    return tuple(
        _at(each, where.get(each.id or "") or _by_text(each, invocations) or Place(item_id=each.id))
        for each in own.items
    )


def _at(each: Item, place: Place) -> Item:
    """`each` at `place`; built anew, which takes a fifth of the time of `dataclasses.replace`."""
    return Item(each.type, each.data, each.id, each.role, each.text, each.call_id, each.name, place)


def _places(invocations: Sequence[Invocation]) -> dict[str, Place]:
    """Item ids of every conversation, the root's first; an id that several turns use is nobody's."""
    found: dict[str, Place] = {}
    shared: set[str] = set()
    for invocation in invocations:
        for turn in invocation.turns:
            for item_id in turn.order:
                if item_id in found:
                    shared.add(item_id)
                found.setdefault(item_id, Place(invocation.id, turn.number, item_id))
    return {item_id: place for item_id, place in found.items() if item_id not in shared}


def _by_text(each: Item, invocations: Sequence[Invocation]) -> Place | None:
    """The one turn that wrote exactly this text, where the row's ids are not those of the observations."""
    if not each.is_assistant_message or not each.text:
        return None
    wrote = [
        Place(invocation.id, turn.number, piece.id)
        for invocation in invocations
        for turn in invocation.turns
        for piece in turn.answer
        if piece.text == each.text
    ]
    return wrote[0] if len(wrote) == 1 else None


def _scored(items: tuple[Item, ...]) -> Scored:
    """The items of the response; graded is the last assistant message among them (CONTRACT 3, gym-semantics 9.1)."""
    last = next((index for index in range(len(items) - 1, -1, -1) if items[index].is_assistant_message), None)
    if last is None:
        return Scored(reading="row", items=items)
    graded = items[last]
    return Scored(
        reading="row",
        items=items,
        final_text=graded.text or "",
        final_item_id=graded.id,
        final_index=last,
        origin=graded.place,
    )


def _route(seen: Observed) -> Route:
    if seen.split:
        return Route(because="the row records what was scored; its observations were split (ids end in -reasoning)")
    return Route(because="the row records what was scored")


def _gaps(row: JsonObject, seen: Observed) -> tuple[Gap, ...]:
    holders = (mapping(row, "ng_trajectory"), mapping(row, "ng_model_call_capture"))
    found = seen.gaps + tuple(gap for holder in holders for gap in gaps_of(holder))
    return tuple(dict.fromkeys(found))


def _evidence(
    row: JsonObject, response: JsonObject, scored: Sequence[Item], seen: Observed, trajectory: Trajectory
) -> Evidence:
    return Evidence(
        row=record_of(row, response, scored),
        model_calls=model_calls(row),
        call_refs=trajectory.call_refs + seen.call_refs,
        recorded_turns=trajectory.turns,
        trajectory_state=trajectory.state,
        trajectory_gaps=gaps_of(mapping(row, "ng_trajectory")),
        token_entries=token_entries(row),
    )


def model_calls(row: JsonObject) -> tuple[ModelCall, ...]:
    """Captured calls of the row: the trajectory's, completed by the capture's records of the same calls."""
    return merged(
        calls_of_trajectory(mapping(row, "ng_trajectory")), calls_of_capture(mapping(row, "ng_model_call_capture"))
    )


def token_entries(row: JsonObject) -> tuple[TokenEntry, ...]:
    """Token records that a row itself carries under `_ng_token_capture` (`records` or `entries`)."""
    capture = mapping(row, "_ng_token_capture")
    raws = objects(capture, "records") or objects(capture, "entries")
    return tuple(entry for raw in raws if (entry := token_entry(raw)) is not None)


def _extra(row: JsonObject, seen: Observed) -> JsonObject:
    kept: dict[str, JsonValue] = {key: row[key] for key in ("ng_perf", "skills_ref", "task_source") if key in row}
    if seen.other_records:
        kept["observation_records"] = seen.other_records
    return kept


def parts_of(row: JsonObject, own: OwnConversation) -> tuple[StoredPart, ...]:
    """The stored lens: every input item, every output item and every other field of the row, verbatim."""
    parts = [
        _part(f"{own.given.path}[{index}]", each if raw is each.data else item(raw), None)
        for index, (raw, each) in enumerate(zip(own.given.items, own.input_items, strict=True))
    ]
    parts += [_part(place, item(raw), None) for place, raw in (*own.given.earlier, *own.output.earlier)]
    parts += [
        _part(f"{own.output.path}[{index}]", each, own.grouped.turn_of[index]) for index, each in enumerate(own.items)
    ]
    for key, value in row.items():
        shown = value
        if key == "response" and isinstance(value, Mapping):
            shown = {name: inner for name, inner in value.items() if name != "output"}
        elif key == "responses_create_params" and isinstance(value, Mapping):
            shown = {name: inner for name, inner in value.items() if name != "input"}
        parts.append(StoredPart(id=key, message_id="", type="field", data={key: shown}, locator=key))
    return tuple(parts)


def _part(place: str, each: Item, turn: int | None) -> StoredPart:
    message_id = each.id or each.call_id or place
    return StoredPart(place, message_id, each.type, each.data, locator=place, role=each.role, turn=turn)
