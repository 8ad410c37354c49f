"""Turns of one stored session: reasoning, answer and tool calls apart, and what came in before each (CONTRACT 3, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import InputMessage, JsonValue, Retry, TextPiece, ToolCall, Turn

from .compactions import reverted_from
from .reply import Piece, pieces
from .stored import StoredMessage, StoredPart, StoredSession
from .times import iso
from .tool_calls import tool_call

STEP_PARTS = frozenset({"step-start", "step-finish"})
OWN_FIELDS = STEP_PARTS | {"text", "reasoning", "tool", "compaction"}
"""Part types that a turn or a compaction shows in fields of its own; every other one goes to `extra`."""
NO_FINISH = "the last turn has no finish: no complete reply of the model is recorded in it"
UNREADABLE = "a record of the last turn is damaged, so part of its text may be missing"


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of a session and what came in after the last one."""

    turns: tuple[Turn, ...]
    trailing_input: tuple[InputMessage, ...] = ()


def turns(
    session: StoredSession,
    *,
    gate: bool,
    sessions: AbstractSet[str] = frozenset(),
    kept_from: int | None = None,
    open_before: int = 0,
) -> Turns:
    """Every assistant message that is no compaction summary, in message order.

    `sessions` are the ids that a tool call may lead to; `kept_from` (of `compactions`) is the first message that the
    context still held, or None to leave `in_context_at_end` open, as it is for messages before `open_before`.
    """
    hidden_from = reverted_from(session)
    found: list[Turn] = []
    waiting: list[InputMessage] = []
    for place, message in enumerate(session.messages):
        reverted = place >= hidden_from
        held = None if kept_from is None else place >= kept_from and not reverted
        if held and place < open_before:
            held = None
        if message.role == "assistant":
            if message.summary:
                continue
            taken = _take(pieces(session, message, gate), sessions)
            inputs = (*waiting, *taken.harness_texts)
            found.append(_turn(message, len(found) + 1, taken, inputs, reverted, held))
            waiting = []
        else:
            waiting.extend(_inputs(message, reverted, held))
    return Turns(tuple(found), tuple(waiting))


@dataclass(slots=True)
class _Taken:
    """A message's parts sorted into the fields of a turn."""

    reasoning: list[TextPiece] = field(default_factory=list[TextPiece])
    answer: list[TextPiece] = field(default_factory=list[TextPiece])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    order: list[str] = field(default_factory=list[str])
    retries: list[Retry] = field(default_factory=list[Retry])
    harness_texts: list[InputMessage] = field(default_factory=list[InputMessage])
    other: list[JsonValue] = field(default_factory=list[JsonValue])
    damaged: bool = False


def _broken_off(parts: tuple[StoredPart, ...]) -> tuple[set[int], list[Retry]]:
    """Indices of parts of a try that was made again in the same message (formats 1.6: two step-starts, one finish)."""
    dead, start, retries = set[int](), -1, list[Retry]()
    for index, part in enumerate(parts):
        if part.type == "step-finish":
            start = -1
        elif part.type == "step-start":
            if start >= 0:
                dead.update(range(start, index))
                reason = "the stream broke off and the call was made again in the same message"
                retries.append(Retry(len(retries) + 1, reason, iso(part.time_created)))
            start = index
    return dead, retries


def _take(found: list[Piece], sessions: AbstractSet[str]) -> _Taken:
    taken = _Taken()
    dead, taken.retries = _broken_off(tuple(piece.part for piece in found))
    for index, piece in enumerate(found):
        part, broken = piece.part, index in dead or piece.part.open_ended
        if part.unreadable:
            taken.damaged = True
        elif part.type == "text" and (part.synthetic or part.ignored):
            if part.text:
                taken.harness_texts.append(
                    InputMessage(part.id, "assistant", part.text, part.synthetic, part.ignored, "harness text")
                )
        elif part.type == "text":
            _take_text(taken, piece, broken)
        elif part.type == "reasoning":
            if (part.text or "").strip():
                taken.reasoning.append(TextPiece(part.id, part.text or "", broken))
                taken.order.append(part.id)
        elif part.tool is not None:
            taken.calls.append(tool_call(part, part.tool, sessions, index in dead))
            taken.order.append(part.id)
        if part.retry is not None:
            taken.retries.append(part.retry)
        if part.type not in OWN_FIELDS or part.unreadable:
            taken.other.append({"id": part.id, "type": part.type, "data": part.data})
    return taken


def _take_text(taken: _Taken, piece: Piece, broken: bool) -> None:
    if piece.split.has_reasoning:
        taken.reasoning.append(TextPiece(piece.reasoning_id, piece.split.reasoning or "", broken))
        taken.order.append(piece.reasoning_id)
    if piece.split.answer.strip() or piece.empty_answer:
        taken.answer.append(TextPiece(piece.part.id, piece.split.answer, broken))
        taken.order.append(piece.part.id)


def _unfinished(message: StoredMessage, damaged: bool) -> str | None:
    if damaged or message.unreadable:
        return UNREADABLE
    if message.finish is None and message.error is None and message.time_completed is not None:
        return NO_FINISH
    return None


def _turn(
    message: StoredMessage,
    number: int,
    taken: _Taken,
    inputs: tuple[InputMessage, ...],
    reverted: bool,
    held: bool | None,
) -> Turn:
    extra: dict[str, JsonValue] = {}
    if taken.other:
        extra["parts"] = tuple(taken.other)
    if message.parent_id is not None:
        extra["parent_message_id"] = message.parent_id
    never_ended = message.time_completed is None and message.finish is None and message.error is None
    return Turn(
        number=number,
        message_id=message.id,
        started_at=iso(message.time_created),
        completed_at=iso(message.time_completed),
        partial=never_ended and not message.unreadable,
        reverted=reverted,
        input=inputs,
        reasoning=tuple(taken.reasoning),
        answer=tuple(taken.answer),
        tool_calls=tuple(taken.calls),
        order=tuple(taken.order),
        finish=message.finish,
        error=message.error,
        usage=turn_usage(message.tokens),
        retries=tuple(taken.retries),
        unfinished=_unfinished(message, taken.damaged),
        in_context_at_end=held,
        model=message.model,
        agent=message.agent,
        extra=extra,
    )


def has_counts(tokens: Mapping[str, int | float | None]) -> bool:
    """Whether a message reports usage: killed and failed ones hold zeros and no `total` (formats 1.4)."""
    counted = [tokens.get(name) for name in ("total", "input", "output", "reasoning", "cache_read", "cache_write")]
    return counted[0] is not None or any(counted)


def turn_usage(tokens: Mapping[str, int | float | None]) -> Mapping[str, int | float | None]:
    """`input, output, reasoning, cached, cost` as the harness counted them; unknown is None, never 0."""
    if not has_counts(tokens):
        return {"input": None, "output": None, "reasoning": None, "cached": None, "cost": None}
    return {
        "input": tokens.get("input"),
        "output": tokens.get("output"),
        "reasoning": tokens.get("reasoning"),
        "cached": tokens.get("cache_read"),
        "cost": tokens.get("cost"),
    }


def _inputs(message: StoredMessage, reverted: bool, held: bool | None) -> Iterator[InputMessage]:
    """A user message's parts, its own system text first; the compaction order itself is a record of its own."""
    if message.system:
        yield InputMessage(
            f"{message.id}-system", "system", message.system, kind="text", reverted=reverted, in_context_at_end=held
        )
    for part in message.parts:
        text = part.text if part.type == "text" else part.shown
        if part.compaction is not None or not text:
            continue
        yield InputMessage(
            id=part.id,
            role=message.role,
            text=text,
            synthetic=part.synthetic,
            ignored=part.ignored,
            kind=part.type,
            reverted=reverted,
            in_context_at_end=False if part.ignored else held,
        )
