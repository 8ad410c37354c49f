"""The host response of a local run: all sessions of the rollout interleaved (gym-semantics 4.2 and 4.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rollout_loaders.model import Item, Place

from .call_ids import call_id_of, digest
from .items import function_call_item, function_call_output_item, message_item
from .reply import Piece, turn_numbers, walk
from .stored import PartOrder, StoredSession


def host_response(
    sessions: Sequence[StoredSession], *, gate: bool, order: PartOrder = PartOrder.ROW_TIME
) -> tuple[Item, ...]:
    """Items of root and descendants, summaries and subagent text included; reasoning is dropped.

    Where no assistant message item comes out, Gym appends one empty message, and so does this.
    """
    numbers = {session.id: turn_numbers(session) for session in sessions}
    items: list[Item] = []
    for piece in walk(sessions, order, gate):
        if piece.message.role == "assistant":
            turn = numbers[piece.session.id].get(piece.message.id)
            place = Place(invocation=piece.session.id, turn=turn, item_id=piece.part.id)
            items.extend(_items(piece, place, len(items)))
    if not any(item.is_assistant_message for item in items):
        items.append(message_item("", item_id=f"msg_{digest(sessions[0].id if sessions else '', 24)}"))
    return tuple(items)


def _items(piece: Piece, place: Place, count: int) -> Iterator[Item]:
    part = piece.part
    if part.type == "text":
        if piece.split.answer.strip() or piece.empty_answer:
            yield message_item(piece.split.answer, item_id=f"msg-{count}", place=place)
    elif part.tool is not None:
        call_id = call_id_of(part)
        yield function_call_item(
            call_id=call_id, name=part.tool.name, arguments=part.tool.arguments, item_id=call_id, place=place
        )
        if part.tool.output is not None:
            yield function_call_output_item(part.tool.output, call_id=call_id, place=place)
