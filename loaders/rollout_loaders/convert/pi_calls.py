"""Tool calls of a Pi run: the call, its execution events and its result, brought together by place."""

from __future__ import annotations

import re
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonValue, ToolCall

from .pi_message import PiMessage, iso_utc
from .waiting_calls import WaitingCalls

_EXIT_CODE = re.compile(r"\n\nCommand exited with code (\d{1,9})\s*$")
_ABORTED = "Command aborted"


@dataclass(slots=True)
class CallDraft:
    """A call while the record is still being read."""

    item_id: str
    call_id: str | None
    name: str
    arguments: JsonValue
    arguments_error: str | None
    turn: int
    started_ms: float | None = None
    ended_ms: float | None = None
    duration_ms: int | None = None
    started: bool = False
    ended: bool = False
    is_error: bool | None = None
    progress: str | None = None
    result: str | None = None
    output: str | None = None
    attachments: tuple[str, ...] = ()
    details: dict[str, JsonValue] = field(default_factory=lambda: {})

    def finished(self) -> ToolCall:
        """The call as the rollout shows it; what was never said stays unknown (gym-semantics 3.3)."""
        output = self.output if self.output is not None else self.result
        answered = output is not None or self.ended
        output = output if output is not None else self.progress
        extra = dict(self.details)
        if self.arguments_error is not None:
            extra["arguments_error"] = self.arguments_error
        return ToolCall(
            id=self.item_id,
            call_id=self.call_id,
            name=self.name,
            arguments=self.arguments,
            status=self._status(answered),
            output=output,
            error=output if self.is_error else None,
            started_at=iso_utc(self.started_ms),
            duration_ms=self._duration(),
            exit_code=_exit_code(output, self.name),
            invalid=self.arguments_error is not None
            or (bool(self.is_error) and output == f"Tool {self.name} not found"),
            interrupted=(self.started and not answered) or (bool(self.is_error) and (output or "").endswith(_ABORTED)),
            attachments=self.attachments,
            extra=extra,
        )

    def _status(self, answered: bool) -> str:
        if not answered:
            return "incomplete"
        return {True: "failed", False: "completed", None: "unknown"}[self.is_error]

    def _duration(self) -> int | None:
        if self.duration_ms is not None:
            return self.duration_ms
        if self.started_ms is None or self.ended_ms is None or self.ended_ms < self.started_ms:
            return None
        return round(self.ended_ms - self.started_ms)


def _exit_code(output: str | None, name: str) -> int | None:
    """Pi writes the code of a failing command only; that a command said nothing is no recorded 0."""
    found = _EXIT_CODE.search(output[-64:]) if name == "bash" and output is not None else None
    return int(found[1]) if found is not None else None


class PiCalls:
    """All calls of one conversation, waiting for start, end and result apart."""

    def __init__(self) -> None:
        self._unstarted = WaitingCalls[CallDraft]()
        self._running = WaitingCalls[CallDraft]()
        self._unanswered = WaitingCalls[CallDraft]()

    def add(self, draft: CallDraft) -> None:
        """A call that a message made."""
        self._unstarted.add(draft.call_id or "", draft.turn, draft)
        self._unanswered.add(draft.call_id or "", draft.turn, draft)

    def started(self, call_id: str, at_ms: float | None) -> None:
        """`tool_execution_start`."""
        taken = self._unstarted.take(call_id)
        if taken is not None:
            turn, draft = taken
            draft.started, draft.started_ms = True, at_ms
            self._running.add(call_id, turn, draft)

    def progress(self, call_id: str, text: str) -> None:
        """`tool_execution_update`: its text is cumulative (formats 2.1)."""
        draft = self._running.first(call_id)
        if draft is not None and text:
            draft.progress = text

    def ended(
        self, call_id: str, *, at_ms: float | None, is_error: bool | None, duration_ms: int | None, text: str | None
    ) -> None:
        """`tool_execution_end`; one without its start still ends the call that waits."""
        taken = self._running.take(call_id) or self._unstarted.take(call_id)
        if taken is not None:
            draft = taken[1]
            draft.ended, draft.ended_ms, draft.is_error = True, at_ms, is_error
            draft.duration_ms, draft.result = duration_ms, text

    def answered(self, message: PiMessage) -> CallDraft | None:
        """A `toolResult` message; None when no call waits for it."""
        result = message.tool
        taken = None if result is None else self._unanswered.take(result.call_id)
        if taken is None or result is None:
            return None
        draft = taken[1]
        draft.output = output_text(message)
        draft.attachments = tuple(block.attachment for block in message.blocks if block.attachment is not None)
        if draft.is_error is None:
            draft.is_error = result.is_error
        if draft.duration_ms is None:
            draft.duration_ms = result.duration_ms
        return draft


def output_text(message: PiMessage) -> str:
    """The text blocks of a tool result, concatenated with nothing between, as Gym does (gym-semantics 5.3)."""
    return "".join(block.text or "" for block in message.blocks if block.kind == "text")
