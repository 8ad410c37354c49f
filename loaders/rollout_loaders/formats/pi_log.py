"""One run of a Pi event log, folded event by event (formats 2.1 to 2.4, gym-semantics 5.2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rollout_loaders.convert.pi_calls import output_text
from rollout_loaders.convert.pi_message import iso_utc
from rollout_loaders.convert.pi_turns import PiConversation
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import read_line
from rollout_loaders.model import Diagnostic, InputMessage, JsonObject, JsonValue, Retry, Rollout, StoredPart
from rollout_loaders.reader import ReadOptions

from . import fields
from .pi_compactions import PiCompactions
from .pi_evidence import compaction_gaps, pi_log_of, splitlines_readings
from .pi_partial import PartialMessage
from .pi_records import count_of, message_of, number_of, stored_parts
from .pi_rollout import STATUSES, PiRun, compose, rollout_id

_REPEATS = ("message", "messages", "toolResults")
_NO_PART = frozenset({"message_start", "message_end", "message_update", "tool_execution_update"})
_KEEPS_REPLY_OPEN = frozenset(
    {"message_update", "message_end", "ng_pi_outcome", "queue_update", "response", "extension_error", "entry_appended"}
)


@dataclass(slots=True)
class _OpenReply:
    line: int
    start: JsonValue
    offsets: list[int]
    last_line: int


@dataclass(slots=True)
class _OpenInput:
    line: int
    message: JsonValue


def event_of(value: JsonValue) -> tuple[float | None, JsonObject] | None:
    """`(receipt time in ms, event)` of a bare event or a `[unix_time, event]` pair; None for anything else."""
    if isinstance(value, str) or value is None or isinstance(value, (bool, int, float)):
        return None
    if isinstance(value, list):
        if len(value) != 2 or not isinstance(value[1], dict):
            return None
        seconds = number_of(value[0])
        return None if seconds is None else (seconds * 1000, value[1])
    return (None, value) if isinstance(value, dict) else None


class PiLogFold:
    """State of one run while its lines are read. Nothing of a finished reply's updates is kept."""

    def __init__(self, path: Path, shown: str, header: JsonObject | None, session_id: str | None = None) -> None:
        self._path, self._shown = path, shown
        self.session_id = session_id or fields.text(header or fields.NOTHING, "id")
        self._header = header
        self._conversation = PiConversation(rollout_id(path, self.session_id))
        self._compactions = PiCompactions()
        self._reply: _OpenReply | None = None
        self._input: _OpenInput | None = None
        self._parts: list[StoredPart] = []
        self._outcomes: list[tuple[bool, str]] = []
        self._agent_open = False
        self._status = "unknown"
        self._title: str | None = None
        self._split_turns: list[int] = []
        self.diagnostics: list[Diagnostic] = []
        self.empty = True
        self._handlers: dict[str, Callable[[JsonObject, int, float | None], None]] = {
            "message_start": self._message_start,
            "message_end": self._message_end,
            "ng_pi_outcome": self._outcome,
            "agent_start": self._agent_start,
            "agent_end": self._agent_end,
            "tool_execution_start": self._tool_start,
            "tool_execution_update": self._tool_update,
            "tool_execution_end": self._tool_end,
            "compaction_start": self._compaction_start,
            "compaction_end": self._compaction_end,
            "summarization_retry_scheduled": self._summary_retry,
            "auto_retry_start": self._retry_start,
            "auto_retry_end": self._retry_end,
            "response": self._response,
            "session_info_changed": self._session_name,
        }

    def begin(self, header: JsonObject) -> None:
        """The session header, where it comes first or after lines of the same run (rpc has none at all)."""
        self.session_id, self._header = fields.text(header, "id"), header
        if self.empty:
            self._conversation = PiConversation(rollout_id(self._path, self.session_id))

    def update_seen(self, line: int, offset: int) -> None:
        """A `message_update` line, by its place only: its deltas are read again if the reply never ends."""
        self.empty = False
        if self._reply is None:
            self._reply = _OpenReply(line, None, [], line)
        self._reply.offsets.append(offset)
        self._reply.last_line = line

    def event(self, event: JsonObject, line: int, at_ms: float | None, *, breaks: bool = False) -> None:
        """Any other event. `breaks` says that `str.splitlines` would break its line."""
        self.empty = False
        kind = fields.text(event, "type") or "unknown"
        if kind not in _KEEPS_REPLY_OPEN or (kind == "message_end" and not _is_assistant(event)):
            self._close_reply()
        if kind != "message_end" or _is_assistant(event):
            self._close_input()
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(event, line, at_ms)
        if breaks and kind == "message_end" and _is_assistant(event):
            self._split_turns.append(self._conversation.turn_count)
        if kind not in _NO_PART:
            self._keep(event, kind, line)

    def unreadable(self, part: StoredPart) -> None:
        """A line that is no event: kept as it is in the stored lens."""
        self._parts.append(part)

    def rollout(self, options: ReadOptions) -> Rollout:
        """The run as it stands at the end of its lines."""
        self._close_reply()
        self._close_input()
        for compaction in self._compactions.finished():
            self._conversation.compaction(compaction)
        run = PiRun(
            path=self._path,
            shown=self._shown,
            format="pi-events",
            session_id=self.session_id,
            pi=pi_log_of(self._conversation, self._compactions, self._outcomes, ended=not self._agent_open),
            parts=tuple(self._parts),
            diagnostics=tuple(self.diagnostics),
            gaps=compaction_gaps(self._conversation),
            others=() if options.session_folder else splitlines_readings(self._conversation, self._split_turns),
            title=self._title,
            started_at=fields.text(self._header or fields.NOTHING, "timestamp"),
            status="unknown" if self._agent_open else self._status,
            extra={} if self._header is None else {"session": self._header},
        )
        return compose(run, self._conversation, options)

    # -- events ------------------------------------------------------------------------------------------------

    def _message_start(self, event: JsonObject, line: int, _at: float | None) -> None:
        message = event.get("message")
        if fields.as_object(message).get("role") == "assistant":
            self._reply = _OpenReply(line, message, [], line)
        else:
            self._input = _OpenInput(line, message)

    def _message_end(self, event: JsonObject, line: int, at_ms: float | None) -> None:
        self._reply, self._input = (None, self._input) if _is_assistant(event) else (self._reply, None)
        message = message_of(
            event.get("message"), message_id=f"L{line}", locator=f"message_end L{line}", ended_ms=at_ms
        )
        self._conversation.message(message)
        if message.role == "assistant":
            self._compactions.replied()
        self._parts.extend(stored_parts(event, message_id=f"L{line}", locator=f"L{line}", turn=self._turn()))

    def _outcome(self, event: JsonObject, line: int, _at: float | None) -> None:
        self._outcomes.append((event.get("context_overflow") is True, f"ng_pi_outcome L{line}"))

    def _agent_start(self, _event: JsonObject, _line: int, _at: float | None) -> None:
        self._agent_open = True

    def _agent_end(self, event: JsonObject, _line: int, _at: float | None) -> None:
        self._agent_open = False
        reasons = [
            fields.as_object(message).get("stopReason")
            for message in fields.array(event, "messages")
            if fields.as_object(message).get("role") == "assistant"
        ]
        self._status = STATUSES.get(str(reasons[-1]), "unknown") if reasons else "unknown"

    def _tool_start(self, event: JsonObject, _line: int, at_ms: float | None) -> None:
        self._conversation.calls.started(fields.text(event, "toolCallId") or "", at_ms)

    def _tool_update(self, event: JsonObject, line: int, _at: float | None) -> None:
        text = _result_text(event.get("partialResult"), line)
        self._conversation.calls.progress(fields.text(event, "toolCallId") or "", text or "")

    def _tool_end(self, event: JsonObject, line: int, at_ms: float | None) -> None:
        duration = number_of(event.get("durationMs"))
        self._conversation.calls.ended(
            fields.text(event, "toolCallId") or "",
            at_ms=at_ms,
            is_error=fields.flag(event, "isError"),
            duration_ms=None if duration is None else round(duration),
            text=_result_text(event.get("result"), line),
        )

    def _compaction_start(self, event: JsonObject, line: int, at_ms: float | None) -> None:
        self._compactions.start(event, line, at_ms, self._turn())

    def _compaction_end(self, event: JsonObject, line: int, at_ms: float | None) -> None:
        self._compactions.end(event, line, at_ms, self._turn())

    def _summary_retry(self, event: JsonObject, _line: int, _at: float | None) -> None:
        self._compactions.summary_retry(event)

    def _retry_start(self, event: JsonObject, _line: int, at_ms: float | None) -> None:
        self._conversation.retry(
            Retry(count_of(event.get("attempt")), fields.text(event, "errorMessage"), iso_utc(at_ms))
        )

    def _retry_end(self, event: JsonObject, _line: int, _at: float | None) -> None:
        if event.get("success") is False:
            self._conversation.note("retries_exhausted", event.get("finalError"))

    def _response(self, event: JsonObject, line: int, _at: float | None) -> None:
        """rpc: only the answer to a `bash` command holds text that the model sees later."""
        data = fields.mapping(event, "data")
        output = fields.text(data, "output")
        if event.get("command") == "bash" and output is not None:
            self._conversation.say(InputMessage(f"L{line}", "bashExecution", output, kind="shell"))

    def _session_name(self, event: JsonObject, _line: int, _at: float | None) -> None:
        self._title = fields.text(event, "name") or self._title

    # -- what never ended --------------------------------------------------------------------------------------

    def _close_reply(self) -> None:
        reply, self._reply = self._reply, None
        if reply is None:
            return
        partial = PartialMessage()
        for offset in reply.offsets:
            found = _reread(self._path, offset)
            if found is not None:
                partial.update(found)
        message_id, span = f"L{reply.line}", f"L{reply.line}-L{reply.last_line}"
        self._conversation.message(partial.message(reply.start, message_id=message_id, locator=span))
        self._parts.append(partial.part(message_id=message_id, locator=span, turn=self._turn()))

    def _close_input(self) -> None:
        """A message that came in, whose end is missing: its start holds all of it."""
        opened, self._input = self._input, None
        if opened is None:
            return
        where = f"L{opened.line}"
        self._conversation.message(
            message_of(opened.message, message_id=where, locator=f"message_start {where}", ended=False)
        )
        event: JsonObject = {"type": "message_start", "message": opened.message}
        self._parts.extend(stored_parts(event, message_id=where, locator=where, turn=self._turn()))

    # -- what the run amounts to -------------------------------------------------------------------------------

    def _turn(self) -> int:
        return self._conversation.turn_count

    def _keep(self, event: JsonObject, kind: str, line: int) -> None:
        data: JsonObject = event
        if kind in ("turn_end", "agent_end"):
            # These repeat messages that have lines of their own: kept whole they would double the file in memory.
            note = "(repeats messages of this run; they stand at their own message_end)"
            data = {key: note if key in _REPEATS else value for key, value in event.items()}
        where = f"L{line}"
        self._parts.append(StoredPart(where, where, kind, data, locator=where, turn=self._turn() or None))


def _is_assistant(event: JsonObject) -> bool:
    return fields.mapping(event, "message").get("role") == "assistant"


def _result_text(result: JsonValue, line: int) -> str | None:
    data = fields.as_object(result)
    if "content" not in data:
        return None
    return output_text(message_of({"role": "toolResult", **data}, message_id=f"L{line}", locator=f"L{line}"))


def _reread(path: Path, offset: int) -> JsonObject | None:
    try:
        found = event_of(decode(read_line(path, offset).data).value)
    except BadJson:
        return None
    return None if found is None else found[1]
