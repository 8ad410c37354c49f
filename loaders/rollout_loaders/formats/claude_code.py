"""Reader of Claude Code: transcripts (`projects/**/*.jsonl`) and `claude -p --output-format=stream-json`.

Both hold the same messages (gym-semantics 12): an API message is written as several lines, one a content block, with
one `message.id`. A transcript is a tree of `uuid`s; its subagents lie in it as sidechains, or beside it in `agent-*`
files of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.logged import summed
from rollout_loaders.convert.pi_output import scored_of
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Harness,
    Invocation,
    JsonObject,
    JsonValue,
    Rollout,
    Route,
    SourceRef,
    Task,
    Turn,
    Usage,
)
from rollout_loaders.reader import Confidence, ReadOptions
from rollout_loaders.source import is_file

from . import fields
from .claude_conversations import ROOT, Conversations
from .claude_tree import abandoned
from .gym_rollouts import first_objects
from .line_records import Record, records
from .logged_file import NOT_SPLIT, LoggedFile, file_stem, first_prompt, refuse_forced_split

TYPES = frozenset({"assistant", "user", "system", "result", "summary", "attachment", "progress", "queue-operation"})
_AGENT_FILE = re.compile(r"agent-[\w-]+\.jsonl$")
_SUBTYPES = frozenset({"init", "compact_boundary"})
_RESULT = "result.subtype"


class ClaudeCodeReader:
    """The format `claude-code`."""

    name = "claude-code"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the first lines: Claude Code's line types with its session id, and a message or a uuid."""
        if not head.lstrip().startswith(b"{") or not (b'"sessionId"' in head or b'"session_id"' in head):
            return Confidence.NO
        best = Confidence.NO
        for line in first_objects(path, head):
            if fields.text(line, "type") not in TYPES:
                continue
            if "sessionId" in line and ("uuid" in line or "parentUuid" in line):
                return Confidence.CERTAIN
            if "session_id" in line and ("message" in line or fields.text(line, "subtype") in _SUBTYPES):
                return Confidence.CERTAIN
            if "sessionId" in line and fields.text(line, "type") == "queue-operation":
                best = Confidence.LIKELY
        return best

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the log; nothing is read yet. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return LoggedFile(path, shown, self.name, options, _rollouts)

    def is_part(self, path: Path) -> bool:
        """Whether a searched file is the subagent of a session that lies beside it, and is read with it."""
        if not _AGENT_FILE.match(path.name):
            return False
        first = next((record.data for record in records(path, []) if record.data is not None), None)
        session = None if first is None else file_stem(fields.text(first, "sessionId"))
        if session is None:
            return False
        homes = (path.parent, path.parent.parent, path.parent.parent.parent)
        return any(is_file(home / f"{session}.jsonl") for home in homes)


@dataclass(slots=True)
class _Log:
    """What the lines of a file say beside their messages."""

    session_id: str | None = None
    version: str | None = None
    model: str | None = None
    title: str | None = None
    result: Record | None = None

    def see(self, line: JsonObject, record: Record) -> None:
        self.session_id = fields.text(line, "sessionId") or fields.text(line, "session_id") or self.session_id
        self.version = fields.text(line, "version") or fields.text(line, "claude_code_version") or self.version
        kind = fields.text(line, "type")
        if kind == "system" and fields.text(line, "subtype") == "init":
            self.model = fields.text(line, "model") or self.model
        elif kind == "summary":
            self.title = fields.text(line, "summary") or self.title
        elif kind == "result":
            self.result = record


def _rollouts(
    path: Path,
    shown: str,
    options: ReadOptions,  # noqa: ARG001 - nothing can be forced
    left_over: list[Diagnostic],
) -> Iterator[Rollout]:
    diagnostics: list[Diagnostic] = []
    lines = list(records(path, diagnostics))
    log = _Log()
    for record in lines:
        if record.data is not None:
            log.see(record.data, record)
    if not any(record.data is not None for record in lines):
        left_over.extend(diagnostics)
        return
    conversations = Conversations()
    branches = abandoned(lines)
    for record in lines:
        if record.number not in branches.members:
            conversations.feed(record)
    artifacts = _subagents(path, shown, log.session_id, conversations, diagnostics)
    invocations = conversations.invocations(log.session_id or path.stem, branches)
    invocations = (replace(invocations[0], title=log.title, status=_status(log)), *invocations[1:])
    yield _rollout(path, shown, log, invocations, conversations, tuple(diagnostics), artifacts)


def _subagents(
    path: Path, shown: str, session_id: str | None, conversations: Conversations, diagnostics: list[Diagnostic]
) -> tuple[str, ...]:
    """Read the subagents' transcripts of this session that lie beside it; their names as shown."""
    if file_stem(session_id) is None or _AGENT_FILE.match(path.name):
        return ()
    found: list[str] = []
    folder = shown.rpartition("/")[0]
    for place in ("", f"{session_id}/subagents", "subagents"):
        home = path.parent / place if place else path.parent
        for file in sorted(home.glob("agent-*.jsonl")) if home.is_dir() else ():
            name = "/".join(part for part in (folder, place, file.name) if part)
            own: list[Diagnostic] = []
            lines = list(records(file, own))
            first = next((line.data for line in lines if line.data is not None), None)
            if first is None or fields.text(first, "sessionId") != session_id:
                continue
            found.append(name)
            for line in lines:
                conversations.feed(line, source=file.name)
            diagnostics.extend(replace(one, locator=f"{name}#{one.locator}") for one in own)
    return tuple(found)


def _status(log: _Log) -> str:
    if log.result is None or log.result.data is None:
        return "unknown"
    word = fields.text(log.result.data, "subtype") or ""
    if fields.flag(log.result.data, "is_error") is True and word == "success":
        return "failed"
    return {"success": "completed", "error_max_turns": "incomplete", "error_max_budget_usd": "incomplete"}.get(
        word, "failed" if word.startswith("error") else "unknown"
    )


def _rollout(
    path: Path,
    shown: str,
    log: _Log,
    invocations: tuple[Invocation, ...],
    conversations: Conversations,
    diagnostics: tuple[Diagnostic, ...],
    artifacts: tuple[str, ...],
) -> Rollout:
    root = invocations[0]
    last = root.turns[-1] if root.turns else None
    model = next((turn.model for turn in reversed(root.turns) if turn.model is not None), None)
    prompt = first_prompt(root, kind="text", synthetic=False)
    return Rollout(
        id=log.session_id or path.stem,
        source=SourceRef(shown, "claude-code", log.session_id, artifacts),
        harness=Harness(name="claude-code", version=log.version, model=model or log.model),
        route=Route(because=NOT_SPLIT),
        task=Task(prompt=prompt),
        invocations=invocations,
        final_answer=final_answer_of(root),
        scored=scored_of(conversations.output(ROOT), session_output=False),
        usage=_usage(log, invocations),
        diagnostics=diagnostics,
        evidence=Evidence(ending=_ending(log, last)),
    )


def _ending(log: _Log, last: Turn | None) -> Ending:
    """The `result` event of stream-json; a transcript records no end of a run."""
    finish = None if last is None else last.finish
    error = None if last is None or last.error is None else last.error.message or last.error.name or ""
    if log.result is None or log.result.data is None:
        return Ending(last_finish=finish, last_error=error)
    result = log.result.data
    failed = fields.flag(result, "is_error") is True and fields.text(result, "subtype") == "success"
    recorded: dict[str, JsonValue] = {
        key: result[key]
        for key in ("is_error", "num_turns", "duration_ms", "result", "errors", "permission_denials", "stop_reason")
        if result.get(key) is not None
    }
    return Ending(
        says=_RESULT,
        word=fields.text(result, "subtype"),
        # A run that ends with an API error says `success` and `is_error`, with the error as its result.
        error=(fields.text(result, "result") or "") if failed else None,
        rests_on=log.result.where,
        last_finish=finish,
        last_error=error,
        recorded=recorded,
    )


def _usage(log: _Log, invocations: tuple[Invocation, ...]) -> Usage:
    """The `result` event's totals, else the sum over the messages."""
    turns = [turn for one in invocations for turn in one.turns]
    total = summed(turns, "Claude Code's messages, subagents included; cache reads and writes in input")
    if log.result is None or log.result.data is None:
        return total
    cost = fields.number(log.result.data, "total_cost_usd")
    return replace(total, cost=cost, counted_by=f"{total.counted_by or 'nothing'}; cost of the result event")


READER = ClaudeCodeReader()
