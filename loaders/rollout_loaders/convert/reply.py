"""One assistant message taken apart: what each text part gives, and where an empty answer stays (CONTRACT 4.1, 4.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rollout_loaders.fast_dataclass import dataclass

from . import think
from .stored import PartOrder, StoredMessage, StoredPart, StoredSession

NO_SPLIT = think.Split(None, "", "")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message, its text split once; a part that is no assistant text holds no block."""

    session: StoredSession
    message: StoredMessage
    part: StoredPart
    split: think.Split
    empty_answer: bool = False
    """An empty answer stays here: the reply was only its reasoning block."""

    @property
    def reasoning_id(self) -> str:
        """The id of a split block's reasoning (CONTRACT 4.3)."""
        return f"{self.part.id}-reasoning"


def _split(part: StoredPart, gate: bool) -> think.Split:
    text = part.text or ""
    return think.split(text) if gate else think.Split(None, "", text)


def pieces(session: StoredSession, message: StoredMessage, gate: bool) -> list[Piece]:
    """The parts of a message in id order, text split where the gate is on.

    The empty answer is decided per message: the last part that is only a block keeps one when no tool call comes
    after it and no other text part has answer text.
    """
    assistant = message.role == "assistant"
    splits = [_split(part, gate) if assistant and part.type == "text" else NO_SPLIT for part in message.parts]
    last_empty = -1
    for index, (part, split) in enumerate(zip(message.parts, splits, strict=True)):
        if part.type == "tool":
            last_empty = -1
        elif split.answer.strip():
            last_empty = -1
            break
        elif split.has_block:
            last_empty = index
    return [
        Piece(session, message, part, split, index == last_empty)
        for index, (part, split) in enumerate(zip(message.parts, splits, strict=True))
    ]


def walk(sessions: Sequence[StoredSession], order: PartOrder, gate: bool) -> Iterator[Piece]:
    """All parts of all `sessions` in the order of Gym's readings (CONTRACT 4.8)."""
    found = [piece for session in sessions for message in session.messages for piece in pieces(session, message, gate)]
    if order is PartOrder.ROW_TIME:
        found.sort(key=_row_time)
    elif order is PartOrder.PART_ID:
        found.sort(key=_part_id)
    return iter(found)


def _row_time(piece: Piece) -> tuple[int, str]:
    time = piece.part.time_created
    return (time if time is not None else piece.message.time_created or 0, piece.part.id)


def _part_id(piece: Piece) -> str:
    return piece.part.id


def turn_places(session: StoredSession) -> list[int]:
    """Indices of the messages that are turns: every assistant message that is no compaction summary."""
    return [
        index for index, message in enumerate(session.messages) if message.role == "assistant" and not message.summary
    ]


def turn_numbers(session: StoredSession) -> dict[str, int]:
    """Message id to turn number, 1-based."""
    return {session.messages[place].id: number for number, place in enumerate(turn_places(session), start=1)}
