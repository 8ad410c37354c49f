"""Reader of Pi's event log: bare events, or `[unix_time, event]` pairs of Gym's runner (formats Part 2).

Lines are split on newline only. A `message_update` is looked at once and forgotten: releases up to 0.80.2 repeat the
whole message in each, so keeping them would make memory quadratic in the length of a reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rollout_loaders.bounds import PARTS
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import Line, iter_lines
from rollout_loaders.model import Diagnostic, JsonObject, Rollout
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .damaged_records import DamagedRecords
from .line_records import BOM, kept_text, not_read, texts, without_newline
from .logged_file import LoggedFile, refuse_forced_split
from .pi_log import PiLogFold, event_of

EVENT_TYPES = frozenset(
    {
        "agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "message_start", "message_update",
        "message_end", "tool_execution_start", "tool_execution_update", "tool_execution_end", "compaction_start",
        "compaction_end", "auto_retry_start", "auto_retry_end", "summarization_retry_scheduled",
        "summarization_retry_attempt_start", "summarization_retry_finished", "ng_pi_outcome", "queue_update",
        "extension_error", "entry_appended", "bash_execution_update", "thinking_level_changed", "session_info_changed",
    }
)  # fmt: skip
_UPDATE = re.compile(rb'\s*(?:\[\s*[0-9.eE+-]+\s*,\s*)?\{\s*"type"\s*:\s*"message_update"')
_TYPE = re.compile(rb'\s*(\[\s*[0-9.eE+-]+\s*,\s*)?\{\s*"type"\s*:\s*"(\w+)"')
_SEPARATOR = re.compile(rb"\xe2\x80[\xa8\xa9]|\xc2\x85|[\x0b\x0c\x1c-\x1e]|\r(?!$)")
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([0-9a-zA-Z-]{1,64})"')
_HEADER = 200
_LONG = 65536


class PiEventsReader:
    """The format `pi-events`."""

    name = "pi-events"

    def sniff(self, path: Path, head: bytes) -> Confidence:  # noqa: ARG002 - content decides
        """By the first lines: a known event type, bare or in a pair, with or without the session header."""
        header = False
        for raw in head.split(b"\n")[:20]:
            found = _TYPE.match(raw.removeprefix(BOM))
            if found is None:
                continue
            kind = found[2].decode()
            if kind == "session" and b'"cwd"' in raw:
                header = True
            elif kind in EVENT_TYPES:
                sure = header or found[1] is not None or kind.startswith(("message_", "agent_", "turn_", "tool_exec"))
                return Confidence.CERTAIN if sure else Confidence.LIKELY
            elif header:
                return Confidence.NO if b'"parentId"' in raw else Confidence.LIKELY
        rpc = b'"type":"response"' in head and b'"command":"' in head and b'"success":' in head
        return Confidence.LIKELY if header or rpc else Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Raises `ReadError` where the think split is forced on (CONTRACT 4.2)."""
        refuse_forced_split(shown, options, "Pi's")
        return LoggedFile(path, shown, self.name, options, _rollouts)


def _rollouts(path: Path, shown: str, options: ReadOptions, left_over: list[Diagnostic]) -> Iterator[Rollout]:
    """One rollout a run, in file order; `left_over` of lines that are no run."""
    for fold in _folds(path, shown):
        if fold.empty:
            left_over.extend(fold.diagnostics)
        else:
            yield fold.rollout(options)


def _folds(path: Path, shown: str) -> Iterator[PiLogFold]:
    fold = PiLogFold(path, shown, None, _rpc_session_id(path))
    lines = _LogLines()
    most = PARTS.value
    for line, data in texts(path):
        if line.number > most:
            raise PARTS.beyond(shown, "the number of events")
        if len(data) > _LONG and data.rstrip().endswith((b"}", b"}]")) and _UPDATE.match(data):
            fold.update_seen(line.number, line.offset)
            continue
        read = lines.read(line, data, fold)
        if read is None:
            continue
        at_ms, event, breaks = read
        kind = event.get("type")
        if kind == "session":
            if not fold.empty and fields.text(event, "id") != fold.session_id:
                lines.close(fold)
                yield fold
                fold = PiLogFold(path, shown, event)
            elif fold.session_id is None or fold.empty:
                fold.begin(event)
            fold.event(event, line.number, at_ms)
        elif kind == "message_update":
            fold.update_seen(line.number, line.offset)
        else:
            fold.event(event, line.number, at_ms, breaks=breaks)
    lines.close(fold)
    yield fold


def _rpc_session_id(path: Path) -> str | None:
    """The session that an rpc log without a header says it is (`get_state`, `get_session_stats`).

    None for a log with a header, and where responses name more than one session.
    """
    found: set[str] = set()
    for line in iter_lines(path):
        if line.number == 1 and b'"session"' in line.data[:_HEADER]:
            return None
        if b'"sessionId"' in line.data and b'"response"' in line.data[:_HEADER]:
            found.update(match.decode() for match in _SESSION_ID.findall(line.data))
    return found.pop() if len(found) == 1 else None


class _LogLines:
    """Decodes lines and says on the fold's diagnostics what was wrong with them."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()
        self._separators: list[int] = []
        self._damage = DamagedRecords()

    def read(self, line: Line, data: bytes, fold: PiLogFold) -> tuple[float | None, JsonObject, bool] | None:
        """`(receipt time, event, whether str.splitlines would break the line)`; None for what is no event."""
        where = f"L{line.number}"
        try:
            decoded = decode(data)
        except BadJson as bad:
            self._unreadable(line, data, bad, fold)
            return None
        found = event_of(decoded.value)
        if found is None:
            self._unreadable(line, data, "no event: neither an object nor a [time, object] pair", fold)
            return None
        self._damage.over()
        kind = fields.text(found[1], "type") or "unknown"
        for code, message in decoded.problems:
            # Pi repeats a message in up to five kinds of line: each kind says it once, message_end each time.
            if kind == "message_end" or (code, kind) not in self._said:
                self._said.add((code, kind))
                fold.diagnostics.append(Diagnostic(code, message, where))
        breaks = _SEPARATOR.search(data) is not None
        if breaks:
            self._separator(kind, found[1], line.number, fold)
        if not line.terminated:
            fold.diagnostics.append(without_newline(where))
        return (*found, breaks)

    def close(self, fold: PiLogFold) -> None:
        """Say once for all lines that hold a separator and no message, and how many more are damaged."""
        if self._separators:
            first, count = self._separators[0], len(self._separators)
            more = f" and {count - 1} more lines like it" if count > 1 else ""
            message = f"str.splitlines() would break this line{more}; none of them is a message_end"
            fold.diagnostics.append(Diagnostic("line-separator-in-line", message, f"L{first}"))
            self._separators = []
        fold.diagnostics.extend(self._damage.count())
        self._damage = DamagedRecords()

    def _separator(self, kind: str, event: JsonObject, number: int, fold: PiLogFold) -> None:
        if kind != "message_end":
            self._separators.append(number)
            return
        role = fields.text(fields.mapping(event, "message"), "role") or "unknown"
        message = (
            f"the line of this {role} message holds a line separator: a reader that uses str.splitlines(), as Gym's "
            "local Pi parser does, breaks it and loses the message"
        )
        fold.diagnostics.append(Diagnostic("line-separator-in-line", message, f"L{number}"))

    def _unreadable(self, line: Line, data: bytes, reason: BadJson | str, fold: PiLogFold) -> None:
        if not (line.terminated and self._damage.are_many):
            fold.diagnostics.append(not_read(line, str(reason)))
        part = self._damage.part(kept_text(data), f"L{line.number}")
        if part is not None:
            fold.unreadable(part)


READER = PiEventsReader()
