"""What OpenClaw writes into Pi's messages beside Pi's own fields (gym-semantics 12), added to turns and items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rollout_loaders.convert.items import reasoning_item
from rollout_loaders.model import (
    Compaction,
    Invocation,
    Item,
    Place,
    Scored,
    StoredPart,
    TextPiece,
    ToolCall,
    Turn,
)

from . import fields
from .chat_messages import REASONING_KEYS


def with_additions(invocation: Invocation, scored: Scored) -> tuple[Invocation, Scored]:
    """The conversation with OpenClaw's reasoning, tool times and compaction counts, and the scored items with them."""
    thoughts = _thoughts(invocation.parts)
    times = _times(invocation.parts)
    turns = tuple(_turn(turn, thoughts.get(turn.number, []), times) for turn in invocation.turns)
    entries = {part.id: part for part in invocation.parts if part.type == "compaction"}
    compactions = tuple(_compaction(one, entries.get(one.id)) for one in invocation.compactions)
    items = tuple(_with_thoughts(invocation.items, thoughts, invocation.id))
    read = tuple(_with_thoughts(scored.items, thoughts, invocation.id))
    added = len(read) - len(scored.items)
    index = None if scored.final_index is None else _moved(read, scored, added)
    return (
        replace(invocation, turns=turns, compactions=compactions, items=items),
        replace(scored, items=read, final_index=index),
    )


def _moved(read: Sequence[Item], scored: Scored, added: int) -> int | None:
    """Where the graded item stands behind the added ones."""
    if not added or scored.final_index is None:
        return scored.final_index
    graded = scored.items[scored.final_index]
    return next((at for at in range(len(read) - 1, -1, -1) if read[at] is graded), None)


def _thoughts(parts: Sequence[StoredPart]) -> dict[int, list[TextPiece]]:
    """By turn: typed reasoning of a message's own key, or of blocks that Pi does not have."""
    found: dict[int, list[TextPiece]] = {}
    for part in parts:
        if part.turn is None or part.role != "assistant":
            continue
        message = fields.mapping(part.data, "message")
        if message:
            key = next((key for key in REASONING_KEYS if fields.text(message, key)), None)
            said = None if key is None else fields.text(message, key)
            if said:
                found.setdefault(part.turn, []).append(TextPiece(f"{part.id}-{key}", said))
        elif part.type == "reasoning":
            said = fields.text(part.data, "text") or fields.text(part.data, "reasoning")
            if said:
                found.setdefault(part.turn, []).append(TextPiece(f"{part.id}-reasoning", said))
    return found


def _times(parts: Sequence[StoredPart]) -> dict[tuple[int, str], tuple[int | None, str | None]]:
    """By turn and call id: `durationMs` and `status` of a result's `details`."""
    found: dict[tuple[int, str], tuple[int | None, str | None]] = {}
    for part in parts:
        message = fields.mapping(part.data, "message")
        call_id = fields.text(message, "toolCallId")
        if part.turn is None or call_id is None:
            continue
        details = fields.mapping(message, "details")
        duration = fields.number(details, "durationMs")
        found.setdefault(
            (part.turn, call_id), (None if duration is None else round(duration), fields.text(details, "status"))
        )
    return found


def _turn(turn: Turn, thoughts: list[TextPiece], times: dict[tuple[int, str], tuple[int | None, str | None]]) -> Turn:
    calls = tuple(_call(call, times.get((turn.number, call.call_id or ""))) for call in turn.tool_calls)
    turn = replace(turn, tool_calls=calls)
    new = [piece for piece in thoughts if piece.text.strip() and piece.text not in {p.text for p in turn.reasoning}]
    if not new:
        return turn
    order = (*(piece.id for piece in new), *turn.order)
    # Pi's reader kept these blocks as such that it does not know.
    told = {f"reasoning: {piece.text}" for piece in new}
    others = [said for said in fields.array(turn.extra, "other_blocks") if said not in told]
    extra = {key: value for key, value in turn.extra.items() if key != "other_blocks"}
    if others:
        extra["other_blocks"] = others
    return replace(turn, reasoning=(*new, *turn.reasoning), order=order, extra=extra)


def _call(call: ToolCall, known: tuple[int | None, str | None] | None) -> ToolCall:
    if known is None:
        return call
    duration, status = known
    extra = {**call.extra, "recorded_status": status} if status is not None else call.extra
    return replace(call, duration_ms=call.duration_ms if call.duration_ms is not None else duration, extra=extra)


def _compaction(one: Compaction, entry: StoredPart | None) -> Compaction:
    if entry is None:
        return one
    after, reason = fields.integer(entry.data, "tokensAfter"), fields.text(entry.data, "reason")
    return replace(one, tokens_after=one.tokens_after if after is None else after, trigger=one.trigger or reason)


def _with_thoughts(items: Sequence[Item], thoughts: dict[int, list[TextPiece]], owner: str) -> Iterator[Item]:
    """Reasoning items before the first item of their turn that the model wrote."""
    told: set[int] = set()
    present = {item.text for item in items if item.type == "reasoning"}
    for item in items:
        number = item.place.turn
        wrote = item.type in ("reasoning", "function_call") or item.is_assistant_message
        if number is not None and wrote and number not in told:
            told.add(number)
            for piece in thoughts.get(number, ()):
                if piece.text.strip() and piece.text not in present:
                    yield reasoning_item(piece.text, item_id=piece.id, place=Place(owner, number, piece.id))
        yield item
