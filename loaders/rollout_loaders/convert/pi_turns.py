"""Turns and items of a Pi conversation, folded from its messages in file order or along a session's leaf path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import CallRef, Compaction, InputMessage, JsonValue, Retry, TextPiece, Turn, TurnError

from .pi_calls import CallDraft, PiCalls, output_text
from .pi_message import PiBlock, PiMessage, iso_utc
from .pi_output import PiOutput, unfinished_ids
from .unique_ids import UniqueIds

_STATUS = re.compile(r"^([45]\d\d)(?!\d)")
_BROKEN_OFF = frozenset({"error", "aborted"})
_KINDS = {
    "bashExecution": "shell",
    "branchSummary": "branch_summary",
    "compactionSummary": "compaction_summary",
    "toolResult": "tool_result",
    "user": "text",
    "system": "text",
}


def status_code_of(message: str | None) -> int | None:
    """The HTTP status that a Pi error starts with: `429 Rate limit`, and `429: {…}` since 0.86.1 (formats 2.1)."""
    found = _STATUS.match(message or "")
    return int(found[1]) if found else None


@dataclass(slots=True)
class _TurnDraft:
    number: int
    message: PiMessage
    input: tuple[InputMessage, ...]
    reasoning: tuple[TextPiece, ...]
    answer: tuple[TextPiece, ...]
    calls: tuple[CallDraft, ...]
    order: tuple[str, ...]
    others: tuple[PiBlock, ...]
    retries: list[Retry] = field(default_factory=lambda: [])
    extra: dict[str, JsonValue] = field(default_factory=lambda: {})
    dropped: bool = False


class PiConversation:
    """Feed it messages, compactions and events in order; then ask for `turns()` and the rest."""

    def __init__(self, invocation_id: str, *, turns_before: int = 0, items_before: int = 0) -> None:
        self.invocation_id = invocation_id
        self.output = PiOutput(invocation_id, items_before)
        self.calls = PiCalls()
        self._turns_before = turns_before
        self._drafts: list[_TurnDraft] = []
        self._by_message: dict[str, _TurnDraft] = {}
        """The latest of each message id."""
        self._input: list[InputMessage] = []
        self._compactions: list[Compaction] = []
        self._first_items: dict[str, tuple[str | None, int]] = {}
        self.assistant_messages: list[PiMessage] = []
        """Finished ones only: what Gym's table reads (gym-semantics 5.4)."""

    @property
    def turn_count(self) -> int:
        """Number of the latest turn, those before a fork included; 0 before the first."""
        return self._turns_before + len(self._drafts)

    def message(self, message: PiMessage) -> None:
        """Any message: a turn, the result of a call, or something that came in."""
        if message.role == "assistant":
            self._assistant(message)
        elif message.role == "toolResult":
            self._tool_result(message)
        else:
            self._incoming(message)

    def say(self, message: InputMessage) -> None:
        """Something that came in and is no message of Pi's: a branch summary, a shell command over rpc."""
        self._input.append(message)
        self.output.incoming(message.role, message.text, message.id, self.turn_count + 1)

    def compaction(self, compaction: Compaction) -> None:
        """A compaction; its place among the turns must already be in it."""
        self._compactions.append(compaction)

    def retry(self, retry: Retry) -> None:
        """`auto_retry_start`: the turn before it is tried again, and the model no longer sees it."""
        if self._drafts:
            self._drafts[-1].retries.append(retry)

    def note(self, name: str, value: JsonValue) -> None:
        """A recorded fact about the latest turn that has no field of its own."""
        if self._drafts:
            self._drafts[-1].extra[name] = value

    def drop(self, message_id: str) -> None:
        """A `context_edit` without replacement: the model no longer sees that message."""
        draft = self._by_message.get(message_id)
        if draft is not None:
            draft.dropped = True

    def first_item(self, message_id: str) -> tuple[str | None, int] | None:
        """First item emitted for an assistant message, and its turn; None for any other id."""
        return self._first_items.get(message_id)

    def turns(self) -> tuple[Turn, ...]:
        """All turns, numbered from the invocation's first."""
        return tuple(_turn(draft) for draft in self._drafts)

    def trailing_input(self) -> tuple[InputMessage, ...]:
        """What came in after the last turn."""
        return tuple(self._input)

    def compactions(self) -> tuple[Compaction, ...]:
        """In the order in which they were given."""
        return tuple(self._compactions)

    def call_refs(self) -> tuple[CallRef, ...]:
        """Wire ids of the replies, for joining captured requests (formats 2.1 `responseId`)."""
        return tuple(
            CallRef(None, draft.message.response_id, None, "turn", self.invocation_id, draft.number)
            for draft in self._drafts
            if draft.message.response_id is not None
        )

    def _assistant(self, message: PiMessage) -> None:
        number = self.turn_count + 1
        if message.ended:
            emitted = self.output.assistant(message, number)
            self._first_items[message.message_id] = (emitted.first_item_id, number)
            self.assistant_messages.append(message)
            ids: tuple[str | None, ...] = emitted.ids
        else:
            ids = unfinished_ids(message)
        draft = self._draft(number, message, ids)
        self._drafts.append(draft)
        self._by_message[message.message_id] = draft
        self._input.clear()

    def _draft(self, number: int, message: PiMessage, ids: Sequence[str | None]) -> _TurnDraft:
        broken = not message.ended or message.stop_reason in _BROKEN_OFF
        reasoning: list[TextPiece] = []
        answer: list[TextPiece] = []
        calls: list[CallDraft] = []
        others: list[PiBlock] = []
        order: dict[str, None] = {}
        used = UniqueIds()
        for block, item_id in zip(message.blocks, ids, strict=True):
            if block.call is not None and item_id is not None:
                unique = used.take(item_id)
                call = block.call
                calls.append(CallDraft(unique, call.call_id, call.name, call.arguments, call.arguments_error, number))
                order[unique] = None
            elif block.kind == "thinking" and item_id is not None:
                reasoning.append(TextPiece(item_id, block.text or "", broken))
                order[item_id] = None
                used.add(item_id)
            elif block.kind == "text" and item_id is not None and (block.text or "").strip():
                answer.append(TextPiece(item_id, block.text or "", broken))
                order[item_id] = None
                used.add(item_id)
            elif block.kind not in ("text", "thinking"):
                others.append(block)
        for draft in calls:
            self.calls.add(draft)
        return _TurnDraft(
            number,
            message,
            tuple(self._input),
            tuple(reasoning),
            tuple(answer),
            tuple(calls),
            tuple(order),
            tuple(others),
        )

    def _tool_result(self, message: PiMessage) -> None:
        draft = self.calls.answered(message)
        text = output_text(message)
        if message.ended and message.tool is not None:
            self.output.tool_result(message.tool.call_id, text, None if draft is None else draft.turn)
        if draft is None:
            # A result whose call the record does not hold must not vanish.
            name = message.tool.name if message.tool is not None else None
            shown = f"(result of {name or 'a tool'} without its call)\n{text}"
            self._input.append(InputMessage(message.message_id, "tool", shown, kind="tool_result"))
        elif not message.ended:
            draft.details["result_never_ended"] = True

    def _incoming(self, message: PiMessage) -> None:
        kind = _KINDS.get(message.role, "custom" if message.role == "custom" else message.role)
        if message.text or not message.blocks:
            self._input.append(
                InputMessage(message.message_id, message.role, message.text, synthetic=message.synthetic, kind=kind)
            )
        for index, block in enumerate(message.blocks):
            if block.kind != "text":
                shown = block.attachment or block.text or f"({block.kind})"
                item_id = f"{message.message_id}.{index}"
                self._input.append(InputMessage(item_id, message.role, shown, message.synthetic, kind=block.kind))
        if message.ended and message.role != "system":
            self.output.incoming(message.role, message.text, message.message_id, self.turn_count + 1)
        elif message.ended and message.text:
            self.output.incoming("system", message.text, message.message_id, self.turn_count + 1)


def _turn(draft: _TurnDraft) -> Turn:
    message = draft.message
    error = None
    if message.error_message is not None or message.stop_reason in _BROKEN_OFF:
        error = TurnError(message.stop_reason, message.error_message, status_code_of(message.error_message))
    extra: dict[str, JsonValue] = dict(draft.extra)
    if message.response_id is not None:
        extra["response_id"] = message.response_id
    if draft.others:
        extra["other_blocks"] = [f"{block.kind}: {block.attachment or block.text or ''}" for block in draft.others]
    turn = Turn(
        number=draft.number,
        message_id=message.message_id,
        started_at=iso_utc(message.started_ms),
        completed_at=iso_utc(message.ended_ms),
        partial=not message.ended,
        input=draft.input,
        reasoning=draft.reasoning,
        answer=draft.answer,
        tool_calls=tuple(call.finished() for call in draft.calls),
        order=draft.order,
        finish=message.stop_reason,
        error=error,
        usage=message.usage,
        retries=tuple(draft.retries),
        model=message.model,
        extra=extra,
    )
    # A refused reply is logged, and taken out of what the model sees next (formats 2.5).
    gone = draft.dropped or message.stop_reason == "error"
    return replace(turn, in_context_at_end=False) if gone else turn
