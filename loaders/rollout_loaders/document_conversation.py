"""The conversation half of the JSON document: invocations, turns, tool calls, compactions, branches, items, parts."""

from __future__ import annotations

from collections.abc import Mapping

from .model import (
    Branch,
    Compaction,
    InputMessage,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    StoredPart,
    TextPiece,
    ToolCall,
    Turn,
)


def invocation_document(invocation: Invocation, *, items: bool = False, parts: bool = False) -> JsonObject:
    """One entry of `invocations`; `items` and `parts` as the options of the command line."""
    found: dict[str, JsonValue] = {
        "id": invocation.id,
        "parent_id": invocation.parent_id,
        "spawned_by": invocation.spawned_by,
        "status": invocation.status,
        "title": invocation.title,
        "agent": invocation.agent,
        "started_at": invocation.started_at,
        "turns": [_turn(turn) for turn in invocation.turns],
        "compactions": [_compaction(compaction) for compaction in invocation.compactions],
        "branches": [_branch(branch, parts=parts) for branch in invocation.branches],
    }
    if invocation.trailing_input:
        found["trailing_input"] = [_input(message) for message in invocation.trailing_input]
    if items:
        found["items"] = [item_document(item) for item in invocation.items]
    if parts:
        found["parts"] = [_part(part) for part in invocation.parts]
    found.update(extra_document(invocation.extra))
    return found


def item_document(item: Item) -> JsonObject:
    """A Responses-shaped item, verbatim."""
    return dict(item.data)


def _turn(turn: Turn) -> JsonObject:
    error = turn.error
    return {
        "number": turn.number,
        "message_id": turn.message_id,
        "started_at": turn.started_at,
        "completed_at": turn.completed_at,
        "partial": turn.partial,
        "reverted": turn.reverted,
        "input": [_input(message) for message in turn.input],
        "reasoning": [_piece(piece) for piece in turn.reasoning],
        "answer": [_piece(piece) for piece in turn.answer],
        "tool_calls": [_tool_call(call) for call in turn.tool_calls],
        "order": list(turn.order),
        "finish": turn.finish,
        "error": None
        if error is None
        else {"name": error.name, "message": error.message, "status_code": error.status_code},
        "usage": dict(turn.usage),
        "retries": [{"attempt": retry.attempt, "reason": retry.reason, "at": retry.at} for retry in turn.retries],
        "in_context_at_end": turn.in_context_at_end,
        "model": turn.model,
        "agent": turn.agent,
        **extra_document(turn.extra),
    }


def _input(message: InputMessage) -> JsonObject:
    found: dict[str, JsonValue] = {
        "id": message.id,
        "role": message.role,
        "text": message.text,
        "synthetic": message.synthetic,
        "ignored": message.ignored,
        "kind": message.kind,
    }
    if message.reverted:
        found["reverted"] = True
    if message.in_context_at_end is not None:
        found["in_context_at_end"] = message.in_context_at_end
    return found


def _piece(piece: TextPiece) -> JsonObject:
    if piece.interrupted:
        return {"id": piece.id, "text": piece.text, "interrupted": True}
    return {"id": piece.id, "text": piece.text}


def _tool_call(call: ToolCall) -> JsonObject:
    return {
        "id": call.id,
        "call_id": call.call_id,
        "name": call.name,
        "arguments": call.arguments,
        "status": call.status,
        "output": call.output,
        "pruned": call.pruned,
        "error": call.error,
        "started_at": call.started_at,
        "duration_ms": call.duration_ms,
        "child": call.child,
        "exit_code": call.exit_code,
        "invalid": call.invalid,
        "interrupted": call.interrupted,
        "attachments": list(call.attachments),
        **extra_document(call.extra),
    }


def _compaction(compaction: Compaction) -> JsonObject:
    return {
        "id": compaction.id,
        "trigger": compaction.trigger,
        "outcome": compaction.outcome,
        "summary": compaction.summary,
        "tokens_before": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
        "first_kept_item_id": compaction.first_kept_item_id,
        "first_kept_turn": compaction.first_kept_turn,
        "after_turn": compaction.after_turn,
        "error": compaction.error,
        "started_at": compaction.started_at,
        "summary_message_ids": list(compaction.summary_message_ids),
        "lone_end": compaction.lone_end,
        "reverted": compaction.reverted,
        **extra_document(compaction.extra),
    }


def _branch(branch: Branch, *, parts: bool) -> JsonObject:
    found: dict[str, JsonValue] = {
        "id": branch.id,
        "forked_at": branch.forked_at,
        "leaf": branch.leaf,
        "summary": branch.summary,
        "turns": [_turn(turn) for turn in branch.turns],
    }
    if branch.trailing_input:
        found["trailing_input"] = [_input(message) for message in branch.trailing_input]
    if parts:
        found["parts"] = [_part(part) for part in branch.parts]
    return found


def _part(part: StoredPart) -> JsonObject:
    return {
        "id": part.id,
        "message_id": part.message_id,
        "type": part.type,
        "data": dict(part.data),
        "locator": part.locator,
    }


def extra_document(extra: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The member `extra`, where there is anything in it."""
    return {"extra": dict(extra)} if extra else {}
