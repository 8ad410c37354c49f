"""Reader of `opencode run --format=json` (formats 1.7), and of Kilo's stream of the same parts (gym-semantics 12).

The stream prints parts without roles and without user messages. A compaction summary is printed as any reply is, so it
cannot be told from an answer; a continue prompt is known by its part's own `synthetic`. Every rollout says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from pathlib import Path

from rollout_loaders.convert.scored import HOST_RESPONSE, SESSION_OUTPUT
from rollout_loaders.convert.session_rollout import StoredRollout, rollout_of
from rollout_loaders.convert.stored import PartOrder, StoredMessage, StoredPart, StoredSession
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, JsonObject, JsonValue, Reason, Rollout, SourceRef, TurnError
from rollout_loaders.model import StoredPart as ShownPart
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .line_records import Record, records
from .logged_file import LoggedFile, leftover
from .opencode_parts import part_of
from .opencode_records import error_of, tokens_of

EVENTS = frozenset({"step_start", "step_finish", "text", "reasoning", "tool_use"})
NO_ROLES = Diagnostic(
    "no-roles",
    "this stream has no roles and no user messages: a compaction summary in it cannot be told from an answer, and "
    "prompts that OpenCode prints are known only where their part says that it is synthetic; the database or an export "
    "of the session tells them apart",
)
_EVENT = re.compile(
    rb'\{\s*"type"\s*:\s*"(?:step_start|step_finish|text|reasoning|tool_use|error)"\s*,\s*"timestamp"\s*:\s*\d+'
)
_EVENT_FIELDS = frozenset({"type", "timestamp", "sessionID", "part"})
_STEPS = frozenset({"step-start", "step-finish", "reasoning", "tool"})


class OpencodeStdoutReader:
    """The format `opencode-stdout`."""

    name = "opencode-stdout"

    def sniff(self, path: Path, head: bytes) -> Confidence:  # noqa: ARG002 - content decides
        """By the first event lines: OpenCode prints type, timestamp and session before the part."""
        for raw in head.split(b"\n")[:20]:
            if _EVENT.match(raw.strip()) and b'"sessionID"' in raw:
                return Confidence.CERTAIN
        return Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the stream; nothing is read yet."""
        return LoggedFile(path, shown, self.name, options, _rollouts)


@dataclass(slots=True)
class _Message:
    """The events of one message id."""

    id: str
    first: int | None
    parts: dict[str, StoredPart] = field(default_factory=lambda: {})
    tokens: dict[str, int | float | None] = field(default_factory=lambda: {})
    finish: str | None = None
    finished_ms: int | None = None
    error: TurnError | None = None


@dataclass(slots=True)
class _Session:
    """The events of one session id, in the order of printing."""

    id: str
    messages: dict[str, _Message] = field(default_factory=lambda: {})
    others: list[StoredPart] = field(default_factory=lambda: [])
    errors: list[tuple[str | None, TurnError]] = field(default_factory=lambda: [])
    """With the message that was printed last before each."""
    ended_with: TurnError | None = None
    """The error that is the last thing printed: the session ended with it, in a message that has no parts to print."""

    def event(self, kind: str, event: JsonObject, where: str) -> None:
        part = fields.mapping(event, "part")
        message_id = fields.text(part, "messageID")
        part_id = fields.text(part, "id") or where
        at = fields.integer(event, "timestamp")
        self.ended_with = None
        if kind == "error":
            found = self.ended_with = error_of(event.get("error")) or TurnError(None, None)
            self.errors.append((next(reversed(self.messages), None), found))
        if message_id is None:
            self.others.append(_stored(event, kind, where, self.id))
            return
        message = self.messages.setdefault(message_id, _Message(message_id, at))
        # Kilo prints a part twice: the later one is the whole.
        message.parts[part_id] = part_of(
            part, part_id=part_id, message_id=message_id, session_id=self.id, time=_start(part), locator=where
        )
        rest = leftover(event, _EVENT_FIELDS)
        if rest:
            self.others.append(_stored(rest, kind, where, self.id))
        if fields.text(part, "type") == "step-finish":
            message.finish, message.finished_ms = fields.text(part, "reason"), at
            message.tokens = dict(tokens_of(part))

    def session(self) -> StoredSession:
        # An error after which the run went on was recovered from (formats 1.6): only one at the very end counts.
        last = next(reversed(self.messages.values()), None)
        if last is not None and last.finish is None:
            last.error = self.ended_with
        messages = [self._message(message) for message in self.messages.values()]
        return StoredSession(id=self.id, parent_id=None, time_created=_first(messages), messages=tuple(messages))

    def _message(self, message: _Message) -> StoredMessage:
        # Tools are printed in the order in which they end (formats 1.7); ids ascend in the order of the calls.
        parts = tuple(sorted(message.parts.values(), key=lambda part: part.id))
        said = [part for part in parts if part.type == "text"]
        prompted = bool(said) and all(part.synthetic for part in said) and not any(p.type in _STEPS for p in parts)
        return StoredMessage(
            id=message.id,
            session_id=self.id,
            role="user" if prompted else "assistant",
            time_created=min((p.time_created for p in parts if p.time_created is not None), default=message.first),
            time_completed=message.finished_ms,
            finish=message.finish,
            error=message.error,
            tokens=message.tokens,
            parts=parts,
        )


def _stored(event: JsonObject, kind: str, where: str, session_id: str) -> StoredPart:
    return StoredPart(where, where, session_id, kind, event, locator=where)


def _start(part: JsonObject) -> int | None:
    """When the part began, by its own time; the printing time is not it (formats 1.7)."""
    own = fields.integer(fields.mapping(part, "time"), "start")
    state = fields.mapping(part, "state")
    return own if own is not None else fields.integer(fields.mapping(state, "time"), "start")


def _first(messages: list[StoredMessage]) -> int | None:
    return min((m.time_created for m in messages if m.time_created is not None), default=None)


def _rollouts(path: Path, shown: str, options: ReadOptions, left_over: list[Diagnostic]) -> Iterator[Rollout]:
    diagnostics: list[Diagnostic] = []
    sessions: dict[str, _Session] = {}
    damaged: list[ShownPart] = []
    for record in records(path, diagnostics):
        if record.part is not None:
            damaged.append(record.part)
        elif record.data is not None:
            _take(sessions, record)
    if not sessions:
        left_over.extend(diagnostics)
        return
    for number, session in enumerate(sessions.values()):
        own = (NO_ROLES, *diagnostics) if number == 0 else (NO_ROLES,)
        yield _rollout(session, shown, options, own, tuple(damaged) if number == 0 else ())


def _take(sessions: dict[str, _Session], record: Record) -> None:
    data = record.data or {}
    session_id = fields.text(data, "sessionID") or next(iter(sessions), "session")
    session = sessions.setdefault(session_id, _Session(session_id))
    session.event(fields.text(data, "type") or "unknown", data, record.where)


def _rollout(
    session: _Session,
    shown: str,
    options: ReadOptions,
    diagnostics: tuple[Diagnostic, ...],
    damaged: tuple[ShownPart, ...],
) -> Rollout:
    stored = session.session()
    extra: dict[str, JsonValue] = {}
    if session.errors:
        extra["session_errors"] = [
            {"name": e.name, "message": e.message, "after": after} for after, e in session.errors
        ]
    rollout = rollout_of(
        StoredRollout(
            sessions=(stored,),
            order=PartOrder.MESSAGE,
            source=SourceRef(shown, "opencode-stdout", session.id),
            reading=SESSION_OUTPUT if options.session_folder else HOST_RESPONSE,
            forced_gate=options.gym_reasoning,
            diagnostics=diagnostics,
            orphans={session.id: session.others},
            extra=extra,
        )
    )
    root = rollout.invocations[0]
    shown_root = replace(root, parts=(*(p for p in root.parts if p.type != "message" or p.data), *damaged))
    notes = tuple(_error_note(after, error) for after, error in session.errors)
    rollout = replace(rollout, invocations=(shown_root, *rollout.invocations[1:]), notes=(*rollout.notes, *notes))
    return rollout if session.ended_with is None else _failed(rollout, session.ended_with)


def _failed(rollout: Rollout, error: TurnError) -> Rollout:
    """A session whose stream ends with an error: its last assistant message is the failed one, printed or not."""
    root = replace(rollout.invocations[0], status="failed")
    answer = rollout.final_answer
    because = f"the stream ends with an error of the session: {error.name or error.message or 'without any words'}"
    last: dict[str, JsonValue] = {
        **(rollout.evidence.last_message or {}),
        "error": {"name": error.name, "message": error.message, "status_code": error.status_code},
    }
    if not (root.turns and root.turns[-1].error is not None):
        last |= {"id": None, "finish": None, "completed": False}
    return replace(
        rollout,
        invocations=(root, *rollout.invocations[1:]),
        final_answer=answer if answer.because is not None else replace(answer, stands=False, because=because),
        evidence=replace(rollout.evidence, last_message=last),
    )


def _error_note(after: str | None, error: TurnError) -> Reason:
    said = ": ".join(word for word in (error.name, error.message) if word) or "without any words"
    return Reason(f"the stream prints an error of the session ({said})", None, after)


READER = OpencodeStdoutReader()
