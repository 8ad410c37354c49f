"""A turn of the observed conversation as blocks, in the order of the record (CONTRACT 4.3, 4.4; `Turn.order`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import HarnessNote, Invocation, Place, Rollout, TextPiece, ToolCall, Turn

from .block import Block, Link, Tone
from .context import in_doubt
from .extra_blocks import turn_extra_blocks
from .formatting import clock, count, duration, one_line, quantity
from .input_blocks import input_block
from .scored_mark import BADGE, ScoredMark, find_invocation
from .tool_blocks import is_trouble, outcome_words, tool_blocks

LEFT_ANSWER = "left the answer: a leading <think> block"
SPLIT_ANSWER = "the <think> block that stood before it is shown apart"
ONLY_REASONING = "the reply was only its reasoning"
MAX_TOOLS_IN_TITLE = 3


@dataclass(frozen=True, slots=True)
class Scene:
    """What a turn is drawn against."""

    rollout: Rollout
    invocation: Invocation
    mark: ScoredMark | None

    @property
    def is_root(self) -> bool:
        """Tell whether the final answer of the rollout is looked for in this conversation."""
        return bool(self.rollout.invocations) and self.rollout.invocations[0] is self.invocation

    def is_last(self, turn: Turn) -> bool:
        """Tell whether this is the turn whose answer is the final one (CONTRACT 3, `final_answer`)."""
        return self.is_root and bool(self.invocation.turns) and self.invocation.turns[-1] is turn

    def turn_title(self, turn: Turn) -> str:
        """Return the outline line of a turn: `3 think 1.2k · answer (empty) ◆ scored`."""
        words: list[str] = []
        if turn.reasoning:
            words.append(f"think {count(sum(len(piece.text) for piece in turn.reasoning))}")
        if turn.answer:
            length = sum(len(piece.text) for piece in turn.answer)
            words.append(f"answer {count(length) if length else '(empty)'}")
        words += [f"{call.name} {outcome_words(call)}" for call in turn.tool_calls[:MAX_TOOLS_IN_TITLE]]
        hidden = len(turn.tool_calls) - MAX_TOOLS_IN_TITLE
        if hidden > 0:
            words.append(f"+{quantity(hidden, 'tool')}")
        flags = ((turn.error is not None, "error"), (turn.partial, "partial"), (turn.reverted, "reverted"))
        words += [word for said, word in flags if said]
        if not words:
            words.append("nothing recorded")
        badge = f" {BADGE}" if self.mark is not None and self.mark.at_turn(self.invocation.id, turn.number) else ""
        return f"{turn.number} {' · '.join(words)}{badge}"


def turn_tone(turn: Turn) -> Tone:
    """Return the tone of a turn in the outline."""
    if turn.error is not None or turn.partial:
        return "problem"
    if turn.reverted:
        return "muted"
    return "problem" if turn.tool_calls and any(map(is_trouble, turn.tool_calls)) else "normal"


def turn_blocks(scene: Scene, turn: Turn) -> list[Block]:
    """Return everything of one turn: what came in, its head, its pieces in order, and how it ended."""
    blocks = [input_block(message, scene.invocation.id, turn.number) for message in turn.input]
    if scene.is_root:
        blocks += [
            _note(note, index, scene, turn)
            for index, note in enumerate(scene.rollout.harness_notes)
            if note.turn == turn.number
        ]
    blocks.append(_head(scene, turn))
    blocks += [_retry(scene, turn, index) for index in range(len(turn.retries))]
    for kind, piece in _in_order(turn):
        blocks += _piece(scene, turn, kind, piece)
    blocks += turn_extra_blocks(turn, Place(scene.invocation.id, turn.number))
    blocks += _endings(scene, turn)
    return blocks


class _Piece(NamedTuple):
    kind: str
    piece: TextPiece | ToolCall


def _in_order(turn: Turn) -> Iterator[_Piece]:
    """Everything of the turn once: by `order`, then what `order` does not name."""
    waiting: dict[str, deque[_Piece]] = {}
    groups = (("think", turn.reasoning), ("answer", turn.answer), ("tool", turn.tool_calls))
    for kind, pieces in groups:
        for piece in pieces:
            waiting.setdefault(piece.id, deque()).append(_Piece(kind, piece))
    for ident in turn.order:
        if waiting.get(ident):
            yield waiting[ident].popleft()
    for left in waiting.values():
        yield from left


def _out(turn: Turn) -> bool:
    return turn.in_context_at_end is False


def _head(scene: Scene, turn: Turn) -> Block:
    parts = [clock(turn.started_at), _took(turn), _tokens(turn), turn.finish or "", *_who(scene, turn)]
    details = " · ".join(part for part in parts if part)
    flags = "".join(
        f" · {word}"
        for said, word in (
            (turn.reverted, "reverted: hidden from the model, still counted"),
            (_out(turn) and not turn.reverted, "out of context"),
            (in_doubt(scene.invocation, turn), "unknown whether it was still in context at the end"),
        )
        if said
    )
    total = len(scene.invocation.turns)
    number = f"{turn.number}/{total}" if turn.number <= total else str(turn.number)
    return Block(
        id=f"{turn.message_id}:head",
        label="turn",
        tone="problem" if turn.error is not None or turn.partial else "normal",
        title=f"{number}   {details}{flags}".rstrip(),
        place=Place(scene.invocation.id, turn.number),
        rule=True,
        out_of_context=_out(turn),
    )


def _who(scene: Scene, turn: Turn) -> list[str]:
    """Model and agent where the turn's are not those of the rollout or of its conversation."""
    harness, agent = scene.rollout.harness, scene.invocation.agent
    words = [f"model {turn.model}"] if turn.model and harness.model and turn.model != harness.model else []
    return words + ([f"agent {turn.agent}"] if turn.agent and turn.agent not in (harness.agent, agent) else [])


def _took(turn: Turn) -> str:
    if turn.started_at is None or turn.completed_at is None:
        return ""
    try:
        took = datetime.fromisoformat(turn.completed_at) - datetime.fromisoformat(turn.started_at)
    except (ValueError, TypeError):
        return ""
    return duration(took.total_seconds() * 1000)


def _tokens(turn: Turn) -> str:
    known = [
        f"{word} {count(turn.usage.get(name))}"
        for name, word in (("input", "in"), ("output", "out"), ("reasoning", "reasoning"), ("cached", "cached"))
        if turn.usage.get(name) is not None
    ]
    return " ".join(known) if known else "tokens ·"


def _piece(scene: Scene, turn: Turn, kind: str, piece: TextPiece | ToolCall) -> list[Block]:
    if isinstance(piece, ToolCall):
        place = Place(scene.invocation.id, turn.number, piece.id)
        return tool_blocks(piece, place, child=_child(scene, piece), out_of_context=_out(turn))
    return [(_reasoning if kind == "think" else _answer)(scene, turn, piece)]


def _child(scene: Scene, call: ToolCall) -> Link | None:
    child = None if call.child is None else find_invocation(scene.rollout, call.child)
    if child is None:
        return None
    name = child.title or child.agent or child.id
    turns = len(child.turns)
    return Link(f"subagent {name} ({quantity(turns, 'turn')}, {child.status})", Place(child.id, 1 if turns else None))


def _interrupted(piece: TextPiece) -> list[str]:
    return ["interrupted: this text was broken off"] if piece.interrupted else []


def _reasoning(scene: Scene, turn: Turn, piece: TextPiece) -> Block:
    split = scene.rollout.route.gym_reasoning and piece.id.endswith("-reasoning")
    return Block(
        id=piece.id,
        label="think",
        tone="reasoning",
        title="" if piece.text else "(empty)",
        body=piece.text,
        foldable=bool(piece.text),
        folded=bool(piece.text),
        mark="; ".join(([LEFT_ANSWER] if split else []) + _interrupted(piece)),
        place=Place(scene.invocation.id, turn.number, piece.id),
        out_of_context=_out(turn),
    )


def _answer(scene: Scene, turn: Turn, piece: TextPiece) -> Block:
    mark = scene.mark
    scored = mark is not None and mark.at_turn(scene.invocation.id, turn.number) and piece.id in mark.pieces
    split = scene.rollout.route.gym_reasoning and any(one.id == f"{piece.id}-reasoning" for one in turn.reasoning)
    words: list[str] = []
    if not piece.text:
        words += [ONLY_REASONING] if turn.reasoning else []
        words += _not_promoted(scene, turn)
    elif split:
        words.append(SPLIT_ANSWER)
    words += _interrupted(piece)
    if scene.is_last(turn) and not scene.rollout.final_answer.stands and piece.text.strip():
        because = scene.rollout.final_answer.because
        words.append("last text, no final answer" + (f": {because}" if because else ""))
    return Block(
        id=piece.id,
        label="answer",
        tone="answer",
        title=_blank_words(piece.text),
        body=piece.text if piece.text.strip() else "",
        foldable=bool(piece.text.strip()),
        badge=BADGE if scored else "",
        mark="; ".join(words),
        place=Place(scene.invocation.id, turn.number, piece.id),
        out_of_context=_out(turn),
    )


def _blank_words(text: str) -> str:
    if not text:
        return "(empty)"
    return "" if text.strip() else f"(blank: {quantity(len(text), 'white-space character')})"


def _not_promoted(scene: Scene, turn: Turn) -> list[str]:
    """Say that the nearest earlier answer is no final answer, in the last turn only."""
    if not scene.is_last(turn):
        return []
    for earlier in reversed(scene.invocation.turns[:-1]):
        text = earlier.answer_text
        if text.strip():
            mark = scene.mark
            if mark is not None and mark.at_turn(scene.invocation.id, earlier.number):
                return [f"the scored text is {_quoted(text)} of turn {earlier.number}, no final answer"]
            return [f"{_quoted(text)} of turn {earlier.number} was not promoted"]
    return []


def _quoted(text: str) -> str:
    return f'"{one_line(text.strip(), 40)}"'


def _endings(scene: Scene, turn: Turn) -> list[Block]:
    blocks: list[Block] = []
    place = Place(scene.invocation.id, turn.number)
    blank = not any(piece.text.strip() for piece in turn.answer)
    if not turn.answer and (scene.is_last(turn) or not (turn.reasoning or turn.tool_calls or turn.error)):
        blocks.append(_no_answer(scene, turn, place))
    elif blank and scene.is_last(turn) and not scene.rollout.final_answer.stands:
        blocks.append(_no_final(scene, turn, place))
    if turn.error is not None:
        blocks.append(_error(turn, place))
    if turn.unfinished and not turn.partial:
        title = f"unfinished: {turn.unfinished}"
        blocks.append(Block(f"{turn.message_id}:unfinished", "note", "problem", title, place=place))
    if turn.partial:
        title = "partial: this turn started and never ended; its text stops where the record stops"
        blocks.append(Block(f"{turn.message_id}:partial", "partial", "problem", title, place=place))
    return blocks


def _no_answer(scene: Scene, turn: Turn, place: Place) -> Block:
    words = "no text recorded" if not scene.is_last(turn) else "(none)"
    last = scene.is_last(turn)
    marks = ["the last turn has no answer text", *_not_promoted(scene, turn)] if last else []
    if last and not scene.rollout.final_answer.stands:
        marks.append(_no_final_words(scene))
    scored = scene.mark is not None and scene.mark.at_turn(scene.invocation.id, turn.number) and not scene.mark.pieces
    return Block(
        id=f"{turn.message_id}:none",
        label="answer",
        tone="muted",
        title=words,
        badge=BADGE if scored else "",
        mark="; ".join(marks),
        place=place,
        out_of_context=_out(turn),
    )


def _no_final_words(scene: Scene) -> str:
    because = scene.rollout.final_answer.because
    return "no final answer" + (f": {because}" if because else "")


def _no_final(scene: Scene, turn: Turn, place: Place) -> Block:
    return Block(f"{turn.message_id}:no-final", "end", "problem", _no_final_words(scene), place=place)


def _error(turn: Turn, place: Place) -> Block:
    error = turn.error
    if error is None:
        raise ValueError("the turn has no error")
    code = "" if error.status_code is None else f"status {error.status_code}"
    title = " · ".join(part for part in (error.name or "", code) if part) or "turn failed"
    return Block(
        id=f"{turn.message_id}:error",
        label="error",
        tone="problem",
        title=title if error.message else f"{title} (no message recorded)",
        body=error.message or "",
        place=place,
        out_of_context=_out(turn),
    )


def _retry(scene: Scene, turn: Turn, index: int) -> Block:
    retry = turn.retries[index]
    number = f"attempt {retry.attempt}" if retry.attempt is not None else f"retry {index + 1} of {len(turn.retries)}"
    at = clock(retry.at)
    return Block(
        id=f"{turn.message_id}:retry:{index + 1}",
        label="retry",
        tone="problem",
        title=f"{number}{' at ' + at if at else ''}" + ("" if retry.reason else ": no reason recorded"),
        body=retry.reason or "",
        place=Place(scene.invocation.id, turn.number),
        out_of_context=_out(turn),
    )


def _note(note: HarnessNote, index: int, scene: Scene, turn: Turn) -> Block:
    title = (
        f"harness note ({note.harness}: {note.name}), not written by the model; sent as {note.role_on_wire}, "
        f"forwarded as {note.forwarded_as}; {note.effect}"
    )
    return Block(
        id=f"note:{index}",
        label="note",
        tone="note",
        title=title,
        body=note.text,
        foldable=True,
        folded=True,
        place=Place(scene.invocation.id, turn.number),
    )
