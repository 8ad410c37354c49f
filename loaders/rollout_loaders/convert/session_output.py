"""Session output: the assistant messages of the root session (gym-semantics 4.6 and 4.7)."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Gap, Item, Place

from .call_ids import call_id_of, digest
from .items import function_call_item, function_call_output_item, message_item, reasoning_item
from .reply import Piece, pieces, turn_numbers
from .stored import StoredSession

SKIPPED = frozenset({"step-start", "step-finish", "patch", "snapshot", "compaction", "agent", "retry"})


@dataclass(frozen=True, slots=True)
class SessionOutput:
    """The items, and a gap for every part that the converter cannot read."""

    items: tuple[Item, ...]
    gaps: tuple[Gap, ...] = ()


def session_output(root: StoredSession, *, gate: bool) -> SessionOutput:
    """Items of the root's assistant messages, summaries included, by message and then part id."""
    numbers = turn_numbers(root)
    items: list[Item] = []
    gaps: list[Gap] = []
    for message in root.messages:
        if message.role != "assistant":
            continue
        for piece in pieces(root, message, gate):
            place = Place(invocation=root.id, turn=numbers.get(message.id), item_id=piece.part.id)
            items.extend(_items(piece, place))
            if _unknown(piece):
                gaps.append(
                    Gap(
                        "agent_artifact_record_unparseable",
                        root.id,
                        "unreadable" if piece.part.unreadable else piece.part.type,
                    )
                )
    return SessionOutput(tuple(items), tuple(gaps))


def _unknown(piece: Piece) -> bool:
    part = piece.part
    if part.unreadable:
        return True
    if part.type in ("text", "reasoning"):
        return part.text is None
    return part.tool is None and part.type not in SKIPPED


def _items(piece: Piece, place: Place) -> Iterator[Item]:
    part = piece.part
    if part.type == "text" and part.text is not None:
        yield from _text(piece, place)
    elif part.type == "reasoning" and part.text:
        yield reasoning_item(part.text, item_id=f"rs_{digest(part.id, 24)}", place=place)
    elif part.tool is not None:
        call_id = call_id_of(part)
        status = "completed" if part.tool.status == "completed" else "incomplete"
        yield function_call_item(
            call_id=call_id, name=part.tool.name, arguments=part.tool.arguments, status=status, place=place
        )
        output = part.tool.output if part.tool.output is not None else part.tool.error or ""
        yield function_call_output_item(output, call_id=call_id, status=status, place=place)


def _text(piece: Piece, place: Place) -> Iterator[Item]:
    """A blank part without a block gives an empty message, as Gym's converter does (CONTRACT 3, `scored`)."""
    item_id = f"msg_{digest(piece.part.id, 24)}"
    if piece.split.has_reasoning:
        reasoning_place = Place(invocation=place.invocation, turn=place.turn, item_id=piece.reasoning_id)
        yield reasoning_item(
            piece.split.reasoning or "", item_id=f"rs_{digest(piece.reasoning_id, 24)}", place=reasoning_place
        )
    if piece.split.answer.strip() or piece.empty_answer or not piece.split.has_block:
        yield message_item(piece.split.answer, item_id=item_id, place=place)
