"""The observed conversation of one session, with the split (gym-semantics 4.3 and 4.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Item, Place

from .call_ids import call_id_of
from .items import function_call_item, function_call_output_item, message_item, reasoning_item
from .reply import Piece, turn_numbers, walk
from .stored import PartOrder, StoredSession

PRUNED = "[Old tool result content cleared]"
"""What later model inputs saw in place of a pruned tool output."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The conversation of one session."""

    items: tuple[Item, ...]
    first_items: Mapping[str, str]
    """Message id to the id of the first item its record gives, for every message, also one outside the activation."""


def observed(
    session: StoredSession,
    *,
    gate: bool,
    order: PartOrder = PartOrder.ROW_TIME,
    activation: AbstractSet[str] | None = None,
) -> Observed:
    """Responses-shaped items of `session`.

    `activation` limits the items to those messages, as a continued run observes only its own; `first_items` is the
    same with and without it, since both come from the same split.
    """
    numbers = turn_numbers(session)
    items: list[Item] = []
    first: dict[str, str] = {}
    for piece in walk((session,), order, gate):
        given = tuple(_items(piece, numbers.get(piece.message.id)))
        if given and given[0].id is not None and piece.message.role == "assistant":
            first.setdefault(piece.message.id, given[0].id)
        if activation is None or piece.message.id in activation:
            items.extend(given)
    return Observed(tuple(items), first)


def _items(piece: Piece, turn: int | None) -> Iterator[Item]:
    part, message = piece.part, piece.message
    place = Place(invocation=piece.session.id, turn=turn, item_id=part.id)
    if message.role == "user":
        if part.type == "text" and not part.ignored and (part.text or "").strip():
            yield message_item(part.text or "", item_id=part.id, role="user", place=place)
    elif message.role != "assistant":
        return
    elif part.type == "text":
        yield from _text(piece, place)
    elif part.type == "reasoning" and (part.text or "").strip():
        yield reasoning_item(part.text or "", item_id=part.id, place=place)
    elif part.tool is not None:
        yield from _tool(piece, place)


def _text(piece: Piece, place: Place) -> Iterator[Item]:
    if piece.split.has_reasoning:
        reasoning_place = Place(invocation=place.invocation, turn=place.turn, item_id=piece.reasoning_id)
        yield reasoning_item(piece.split.reasoning or "", item_id=piece.reasoning_id, place=reasoning_place)
    if piece.split.answer.strip():
        yield message_item(piece.split.answer, item_id=piece.part.id, place=place)
    elif piece.empty_answer:
        yield message_item("", item_id=piece.part.id, place=place)


def _tool(piece: Piece, place: Place) -> Iterator[Item]:
    tool = piece.part.tool
    assert tool is not None
    call_id = call_id_of(piece.part)
    status = "completed" if tool.status == "completed" else "incomplete"
    yield function_call_item(
        call_id=call_id, name=tool.name, arguments=tool.arguments, item_id=call_id, status=status, place=place
    )
    output = PRUNED if tool.status == "completed" and tool.pruned else tool.output or tool.error
    if output:
        yield function_call_output_item(output, call_id=call_id, status=status, place=place)
