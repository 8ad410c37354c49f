"""Reader of `codex exec --json` (gym-semantics 12): thread, turn and item events, one a line.

The stream does not say where one model reply ends, and holds no prompts. A turn here starts at the first item after a
call was completed, at reasoning behind a message, and at a second message; a Codex turn, from prompt to answer, is
several of them. A call stands where it was started: a plan is completed only when its Codex turn ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.logged import LoggedConversation, Result, TurnDraft
from rollout_loaders.convert.pi_output import scored_of
from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.jsondecode import encode
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Harness,
    InputMessage,
    JsonObject,
    JsonValue,
    Rollout,
    Route,
    SourceRef,
    StoredPart,
    Task,
    ToolCall,
    Turn,
    TurnError,
    Usage,
)
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .chat_messages import content_text
from .gym_rollouts import first_objects
from .line_records import Record, records
from .logged_file import NOT_SPLIT, LoggedFile, leftover, refuse_forced_split

EVENTS = frozenset(
    {
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
    }
)
TOOLS: Mapping[str, str] = {
    "command_execution": "exec_command",
    "file_change": "apply_patch",
    "web_search": "web_search",
    "todo_list": "update_plan",
}
"""Item types to the names that Gym gives their calls (gym-semantics 12)."""
_STATUSES = {"completed": "completed", "failed": "failed", "declined": "failed", "in_progress": "incomplete"}
_SAID = frozenset({"agent_message", "assistant_message", "reasoning", "plan", "error"})
_NOT_ARGUMENTS = frozenset(
    {"id", "type", "status", "aggregated_output", "exit_code", "result", "error", "agents_states"}
)


class CodexExecReader:
    """The format `codex-exec`."""

    name = "codex-exec"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the first lines: the dotted event types of Codex."""
        if not head.lstrip().startswith(b"{") or not any(f'"{kind}"'.encode() in head for kind in EVENTS):
            return Confidence.NO
        found = any(fields.text(line, "type") in EVENTS for line in first_objects(path, head))
        return Confidence.CERTAIN if found else Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the log; nothing is read yet. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return LoggedFile(path, shown, self.name, options, _rollouts)


def _rollouts(
    path: Path,
    shown: str,
    options: ReadOptions,  # noqa: ARG001 - nothing can be forced
    left_over: list[Diagnostic],
) -> Iterator[Rollout]:
    diagnostics: list[Diagnostic] = []
    fold = _Fold()
    for record in records(path, diagnostics):
        fold.read(record)
    if not fold.events:
        left_over.extend(diagnostics)
        return
    yield fold.rollout(path, shown, tuple(diagnostics))


@dataclass(slots=True)
class _Fold:
    """Events, folded in order. An item's last event replaces its earlier ones."""

    conversation: LoggedConversation = field(default_factory=lambda: LoggedConversation("root"))
    events: int = 0
    thread: str | None = None
    usages: list[JsonObject] = field(default_factory=lambda: [])
    end: tuple[str, str | None, str] | None = None
    """The last event that ends a turn or the stream: its type, error and locator."""
    _calls: dict[str, tuple[TurnDraft, int]] = field(default_factory=lambda: {})
    _draft: TurnDraft | None = None
    _closed: bool = True
    """The open turn holds something after which the next item is another reply's."""

    def read(self, record: Record) -> None:
        if record.data is None:
            if record.part is not None:
                self.conversation.part(record.part)
            return
        data, where = record.data, record.where
        kind = fields.text(data, "type") or "unknown"
        self.events += 1
        turn: int | None = None
        if kind == "thread.started":
            self.thread = fields.text(data, "thread_id") or self.thread
        elif kind in ("item.started", "item.updated"):
            turn = self._item(fields.mapping(data, "item"), where, completed=False)
        elif kind == "item.completed":
            turn = self._item(fields.mapping(data, "item"), where, completed=True)
        elif kind in ("turn.completed", "turn.failed", "error"):
            self._ended(kind, data, where)
        self._store(data, kind, where, turn)

    def _ended(self, kind: str, data: JsonObject, where: str) -> None:
        error = fields.text(fields.mapping(data, "error"), "message") or fields.text(data, "message")
        usage = fields.mapping(data, "usage")
        if usage:
            self.usages.append(usage)
        self.end = (kind, None if kind == "turn.completed" else error or "", where)
        if kind != "turn.completed" and self._draft is not None:
            self._draft.error = TurnError(kind, error)
        self._closed = True

    def _item(self, item: JsonObject, where: str, *, completed: bool) -> int | None:
        kind = fields.text(item, "type") or fields.text(item, "item_type") or "unknown"
        ident = fields.text(item, "id") or where
        if kind not in _SAID:
            return self._tool(item, kind, ident, completed=completed)
        if not completed:
            return None
        said = fields.text(item, "text") or ""
        if kind == "error":
            said = fields.text(item, "message") or ""
            unique = self.conversation.unused(ident)
            self.conversation.incoming(InputMessage(unique, "system", said, synthetic=True, kind="error"))
            return None
        thought = kind in ("reasoning", "plan")
        draft = self._open(ident, fresh=self._draft is not None and bool(self._draft.answer))
        if thought:
            self.conversation.reason(draft, ident, said)
        else:
            self.conversation.answer(draft, ident, said)
        return draft.number

    def _open(self, ident: str, *, fresh: bool = False) -> TurnDraft:
        if self._draft is None or self._closed or fresh:
            self._draft, self._closed = self.conversation.turn(ident), False
        return self._draft

    def _tool(self, item: JsonObject, kind: str, ident: str, *, completed: bool) -> int:
        """A call where it starts; its arguments and status are those of its last event."""
        name = TOOLS.get(kind) or fields.text(item, "tool") or kind
        arguments: JsonValue = item.get("arguments") if kind == "mcp_tool_call" else leftover(item, _NOT_ARGUMENTS)
        status = _STATUSES.get(fields.text(item, "status") or "", "unknown")
        extra: dict[str, JsonValue] = {"item_type": kind}
        extra.update({key: item[key] for key in ("server", "status", "agents_states") if item.get(key) is not None})
        place = self._calls.get(ident)
        if place is None:
            draft = self._open(ident)
            place = self._calls[ident] = (draft, len(draft.calls))
            self.conversation.call(draft, ToolCall(ident, ident, name, arguments, "unknown"))
            self._closed = kind == "todo_list"
        draft, index = place
        draft.calls[index] = changed(draft.calls[index], arguments=arguments, extra=extra)
        if completed:
            self._completed(draft, index, item, status)
            self._closed = self._closed or kind != "todo_list"
        return draft.number

    def _completed(self, draft: TurnDraft, index: int, item: JsonObject, status: str) -> None:
        draft.calls[index] = changed(draft.calls[index], status=status)
        call, output = draft.calls[index], _output(item)
        if output is None:
            draft.answered.add(index)
            return
        failed = True if status == "failed" else None
        code = fields.integer(item, "exit_code")
        self.conversation.result(call.call_id, Result(output, failed=failed, exit_code=code), f"{call.id}-result")

    def _store(self, data: JsonObject, kind: str, where: str, turn: int | None) -> None:
        item = fields.mapping(data, "item")
        ident = fields.text(item, "id") or where
        said = fields.text(item, "text")
        role = "assistant" if item else None
        if said is not None and kind == "item.completed":
            label = "reasoning" if fields.text(item, "type") in ("reasoning", "plan") else "text"
            self.conversation.part(StoredPart(ident, where, label, {"type": label, "text": said}, where, role, turn))
            data = {**data, "item": leftover(item, frozenset({"text"}))}
        self.conversation.part(StoredPart(f"{where}.event", where, kind, data, where, role, turn))

    def rollout(self, path: Path, shown: str, diagnostics: tuple[Diagnostic, ...]) -> Rollout:
        kind = self.end[0] if self.end is not None else None
        status = {"turn.completed": "completed", "turn.failed": "failed", "error": "failed"}.get(kind or "", "unknown")
        root = self.conversation.invocation(status=status)
        ident = self.thread or path.stem
        if self.end is None and root.turns and root.turns[-1].unfinished is None and not root.turns[-1].tool_calls:
            last = changed(root.turns[-1], unfinished="the log stops before its turn was completed")
            root = changed(root, turns=(*root.turns[:-1], last))
        last_turn = root.turns[-1] if root.turns else None
        return Rollout(
            id=ident,
            source=SourceRef(shown, "codex-exec", self.thread),
            harness=Harness(name="codex"),
            route=Route(because=NOT_SPLIT),
            task=Task(),
            invocations=(root,),
            final_answer=final_answer_of(root),
            scored=scored_of(self.conversation.output, session_output=False),
            usage=_usage(self.usages),
            diagnostics=diagnostics,
            evidence=Evidence(ending=self._ending(last_turn)),
        )

    def _ending(self, last: Turn | None) -> Ending:
        error = None if last is None or last.error is None else last.error.message or last.error.name
        if self.end is None:
            return Ending(says="event", last_error=error)
        kind, said, where = self.end
        return Ending(says="event", word=kind, error=said, rests_on=where, last_error=error)


def _output(item: JsonObject) -> str | None:
    """What a tool item says that it gave; None where its type holds no output."""
    printed = fields.text(item, "aggregated_output")
    if printed is not None:
        return printed
    error = fields.text(fields.mapping(item, "error"), "message")
    if error is not None:
        return error
    result = fields.mapping(item, "result")
    if not result:
        return None
    said, files = content_text(result.get("content"))
    lines = [said] if said else []
    lines += [f"[{name}]" for name in files]
    structured = result.get("structured_content")
    if structured is not None:
        lines.append(encode(structured).decode("ascii"))
    return "\n".join(lines)


def _usage(usages: list[JsonObject]) -> Usage:
    """Sums over the Codex turns, each of which counts its own model calls; cached tokens are within the input."""
    if not usages:
        return Usage()

    def total(name: str) -> int | None:
        stated = [value for usage in usages if (value := fields.integer(usage, name)) is not None]
        return sum(stated) if len(stated) == len(usages) else None

    return Usage(
        input=total("input_tokens"),
        output=total("output_tokens"),
        reasoning=total("reasoning_output_tokens"),
        cached=total("cached_input_tokens"),
        counted_by="turn.completed events",
    )


READER = CodexExecReader()
