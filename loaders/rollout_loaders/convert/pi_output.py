"""Responses items of a Pi run, as Gym's sandbox path makes them (gym-semantics 5.3).

Per assistant message: every non-empty thinking block is a reasoning item, then all non-blank text blocks are one
message joined by newline, then one function_call a tool call, whatever the order of the blocks. `n` of `reasoning-<n>`
and `msg-<n>` is the number of output items before it. Think tags in text are literal (CONTRACT 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Item, OtherReading, Place, Scored

from .items import function_call_item, function_call_output_item, message_item, reasoning_item
from .pi_message import PiMessage

PADDING_ID = "msg-padding"


@dataclass(frozen=True, slots=True)
class BlockIds:
    """The ids that the blocks of one message got, by block index; a block that gave nothing has None."""

    ids: tuple[str | None, ...]
    first_item_id: str | None
    """Of the first item emitted for the message; None when it gave none."""


class PiOutput:
    """Collects items in file order: the output alone, and the observed conversation with what came in."""

    def __init__(self, invocation_id: str, already: int = 0) -> None:
        self._invocation_id = invocation_id
        self._count = already
        self.output: list[Item] = []
        self.conversation: list[Item] = []

    @property
    def count(self) -> int:
        """Output items so far, those before a fork included."""
        return self._count

    def incoming(self, role: str, text: str, item_id: str, turn: int | None) -> None:
        """A message that came in: part of the conversation, never of the output."""
        written = role if role in ("system", "developer") else "user"
        self.conversation.append(message_item(text, item_id=item_id, role=written, place=self._place(turn, item_id)))

    def assistant(self, message: PiMessage, turn: int) -> BlockIds:
        """Items of a finished assistant message."""
        ids: list[str | None] = [None] * len(message.blocks)
        first: str | None = None
        for index, block in enumerate(message.blocks):
            if block.kind == "thinking" and block.text:
                item_id = f"reasoning-{self._count}"
                self._emit(reasoning_item(block.text, item_id=item_id, place=self._place(turn, item_id)))
                ids[index] = item_id
                first = first or item_id
        spoken = [i for i, block in enumerate(message.blocks) if block.kind == "text" and (block.text or "").strip()]
        if spoken:
            item_id = f"msg-{self._count}"
            text = "\n".join(message.blocks[i].text or "" for i in spoken)
            self._emit(message_item(text, item_id=item_id, place=self._place(turn, item_id)))
            first = first or item_id
            for position, index in enumerate(spoken, 1):
                ids[index] = item_id if position == 1 else f"{item_id}.{position}"
        for index, block in enumerate(message.blocks):
            if block.call is not None:
                item_id = block.call.call_id or f"call-{message.message_id}-{index}"
                self._emit(
                    function_call_item(
                        call_id=item_id,
                        name=block.call.name,
                        arguments=block.call.arguments,
                        item_id=item_id,
                        place=self._place(turn, item_id),
                    )
                )
                ids[index] = item_id
                first = first or item_id
        return BlockIds(tuple(ids), first)

    def tool_result(self, call_id: str, text: str, turn: int | None) -> None:
        """The result of a call; `completed` also when the tool failed, as Gym writes it."""
        self._emit(function_call_output_item(text, call_id=call_id, place=self._place(turn, None)))

    def _emit(self, item: Item) -> None:
        self.output.append(item)
        self.conversation.append(item)
        self._count += 1

    def _place(self, turn: int | None, item_id: str | None) -> Place:
        return Place(invocation=self._invocation_id, turn=turn, item_id=item_id)


def unfinished_ids(message: PiMessage) -> tuple[str | None, ...]:
    """Ids for the blocks of a message that never ended: it is in no output, so its own id carries them."""
    ids: list[str | None] = []
    for index, block in enumerate(message.blocks):
        if block.call is not None:
            ids.append(block.call.call_id or f"call-{message.message_id}-{index}")
        else:
            ids.append(f"{message.message_id}-{block.kind}-{index}" if block.text else None)
    return tuple(ids)


def scored_of(items: Sequence[Item], *, session_output: bool, others: Sequence[OtherReading] = ()) -> Scored:
    """What a last-message verifier reads (CONTRACT 3).

    As the host response, a log without any assistant message item gets Gym's one empty message; a session folder is
    read by the sandbox path, which adds none.
    """
    chosen = list(items)
    if not session_output and not any(item.is_assistant_message for item in chosen):
        invocation = chosen[-1].place.invocation if chosen else None
        place = Place(invocation=invocation, item_id=PADDING_ID)
        chosen.append(message_item("", item_id=PADDING_ID, place=place))
    last = next((index for index in range(len(chosen) - 1, -1, -1) if chosen[index].is_assistant_message), None)
    scored = Scored(
        reading="session-output" if session_output else "host-response", items=tuple(chosen), others=tuple(others)
    )
    if last is None:
        return scored
    item = chosen[last]
    return replace(scored, final_text=item.text, final_item_id=item.id, final_index=last, origin=item.place)
