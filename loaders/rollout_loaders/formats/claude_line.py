"""One line of Claude Code told to its agent's conversation: API messages, tool results, context, boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace

from rollout_loaders.convert.logged import LoggedConversation, Result, TurnDraft
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import encode
from rollout_loaders.model import (
    Compaction,
    InputMessage,
    JsonObject,
    JsonValue,
    StoredPart,
    ToolCall,
    TurnError,
    is_object,
)

from . import fields
from .chat_messages import content_text
from .logged_file import attachment, leftover, utc

SYNTHETIC_MODEL = "<synthetic>"
INTERRUPTED = "[Request interrupted by user"
_STATUS = re.compile(r"\b([45]\d\d)\b")


@dataclass(slots=True)
class Agent:
    """One agent while its lines are read."""

    conversation: LoggedConversation
    drafts: dict[str, TurnDraft] = field(default_factory=lambda: {})
    """By API message id: its blocks come in several lines."""
    parent_call: str | None = None
    first_prompt: str | None = None
    boundary: Compaction | None = None
    started_at: str | None = None
    title: str | None = None


class Line:
    """One line, told to its agent's conversation and kept in the stored lens."""

    def __init__(self, children: dict[str, str], agent: Agent, data: JsonObject, where: str) -> None:
        """`children` gets, by call id, the agent that the result of a call names."""
        self._children, self._agent, self._data, self._where = children, agent, data, where
        self._conversation = agent.conversation
        self._id = fields.text(data, "uuid") or where

    def read(self) -> None:
        """Tell it, then keep it."""
        data, kind = self._data, fields.text(self._data, "type") or "unknown"
        if self._agent.started_at is None:
            self._agent.started_at = utc(data.get("timestamp"))
        turn: int | None = None
        if kind == "assistant":
            turn = self._assistant(fields.mapping(data, "message"))
        elif kind == "user":
            turn = self._user(fields.mapping(data, "message"))
        elif kind == "attachment":
            self._attached(fields.mapping(data, "attachment"))
        elif kind == "system" and fields.text(data, "subtype") == "compact_boundary":
            self._boundary()
        self._store(kind, turn)

    def _assistant(self, message: JsonObject) -> int | None:
        said, _ = content_text(message.get("content"))
        error = fields.flag(self._data, "isApiErrorMessage") is True
        if fields.text(message, "model") == SYNTHETIC_MODEL and not error:
            self._say("assistant", said, synthetic=True, kind="harness text")
            return None
        message_id = fields.text(message, "id")
        draft = self._agent.drafts.get(message_id or "") if not error else None
        if draft is None:
            draft = self._conversation.turn(message_id or self._id)
            draft.started_at = utc(self._data.get("timestamp"))
            if message_id is not None:
                self._agent.drafts[message_id] = draft
        if error:
            status = _STATUS.search(said)
            named = fields.text(self._data, "error") or "api_error"
            draft.error = TurnError(named, said, int(status[1]) if status else None)
            return draft.number
        draft.completed_at = utc(self._data.get("timestamp")) or draft.completed_at
        draft.finish = fields.text(message, "stop_reason") or draft.finish
        draft.model = fields.text(message, "model") or draft.model
        draft.usage = _usage(message) or draft.usage
        for index, block in enumerate(_blocks(message.get("content"))):
            self._block(draft, block, f"{self._id}.{index}")
        return draft.number

    def _block(self, draft: TurnDraft, block: JsonObject, item_id: str) -> None:
        kind = fields.text(block, "type")
        if kind == "text":
            self._conversation.answer(draft, item_id, fields.text(block, "text") or "")
        elif kind == "thinking":
            self._conversation.reason(draft, item_id, fields.text(block, "thinking") or "")
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            call_id = fields.text(block, "id")
            name = fields.text(block, "name") or "unknown"
            call = ToolCall(call_id or item_id, call_id, name, block.get("input"), "unknown")
            self._conversation.call(draft, call)
        elif (kind or "").endswith("_tool_result"):
            self._result(block, item_id)
        else:
            draft.other.append(block)

    def _user(self, message: JsonObject) -> int | None:
        content = message.get("content")
        if fields.flag(self._data, "isCompactSummary") is True:
            self._summary(content_text(content)[0])
            return None
        turn: int | None = None
        for index, block in enumerate(_blocks(content)):
            kind = fields.text(block, "type")
            if kind == "tool_result":
                turn = self._result(block, f"{self._id}.{index}")
            elif kind == "text":
                self._said(fields.text(block, "text") or "", index)
            else:
                self._say("user", f"[{attachment(block)}]", kind=kind or "block", index=index)
        return turn

    def _said(self, text: str, index: int) -> None:
        synthetic = fields.flag(self._data, "isMeta") is True or fields.flag(self._data, "isSynthetic") is True
        if self._agent.first_prompt is None and not synthetic:
            self._agent.first_prompt = text
        if text.startswith(INTERRUPTED) and self._conversation.drafts:
            self._conversation.drafts[-1].unfinished = "the user interrupted the last turn"
        self._say("user", text, synthetic=synthetic, index=index)

    def _say(self, role: str, text: str, *, synthetic: bool = False, kind: str = "text", index: int = 0) -> None:
        ident = self._conversation.unused(self._id if index == 0 else f"{self._id}.{index}")
        self._conversation.incoming(InputMessage(ident, role, text, synthetic, kind=kind))

    def _result(self, block: JsonObject, item_id: str) -> int | None:
        call_id = fields.text(block, "tool_use_id")
        said, files = content_text(block.get("content"))
        detail = fields.mapping(self._data, "toolUseResult") or fields.mapping(self._data, "tool_use_result")
        agent_id = fields.text(detail, "agentId")
        if agent_id is not None and call_id is not None:
            self._children[call_id] = agent_id
        duration = fields.integer(detail, "totalDurationMs")
        result = Result(
            said,
            # `is_error` is left out of a result that is none (Messages API, tool_result).
            failed=fields.flag(block, "is_error") is True,
            attachments=files,
            duration_ms=duration if duration is not None else fields.integer(detail, "durationMs"),
            interrupted=fields.flag(detail, "interrupted") is True,
        )
        return self._conversation.result(call_id, result, item_id)

    def _attached(self, given: JsonObject) -> None:
        """Context that the harness adds; a command that was queued while the model worked is the user's own."""
        kind = fields.text(given, "type") or "attachment"
        said = fields.text(given, "prompt") or fields.text(given, "content")
        shown = said if said is not None else encode(given).decode("ascii")
        self._say("user", shown, synthetic=kind != "queued_command", kind=f"attachment {kind}")

    def _boundary(self) -> None:
        """`compact_boundary`; the summary comes in the next user line."""
        data = self._data
        meta = fields.mapping(data, "compactMetadata") or fields.mapping(data, "compact_metadata")
        before = fields.integer(meta, "preTokens")
        after = fields.integer(meta, "postTokens")
        count = self._conversation.turn_count
        compaction = Compaction(
            id=self._id,
            trigger=fields.text(meta, "trigger"),
            outcome="completed",
            tokens_before=before if before is not None else fields.integer(meta, "pre_tokens"),
            tokens_after=after if after is not None else fields.integer(meta, "post_tokens"),
            first_kept_turn=None if _keeps_messages(meta) else count + 1,
            after_turn=count,
            started_at=utc(data.get("timestamp")),
            extra={"compactMetadata": meta} if meta else {},
        )
        self._conversation.compactions.append(compaction)
        self._agent.boundary = compaction

    def _summary(self, text: str) -> None:
        compactions, boundary = self._conversation.compactions, self._agent.boundary
        if boundary is None or not compactions or compactions[-1] is not boundary:
            count = self._conversation.turn_count
            boundary = Compaction(self._id, None, "completed", after_turn=count, first_kept_turn=count + 1)
            compactions.append(boundary)
        compactions[-1] = replace(boundary, summary=text, summary_message_ids=(self._id,))
        self._agent.boundary = None

    def _store(self, kind: str, turn: int | None) -> None:
        message = fields.mapping(self._data, "message")
        role = fields.text(message, "role") or (kind if kind in ("user", "assistant") else None)

        def part(ident: str, name: str, data: JsonObject) -> None:
            self._conversation.part(StoredPart(ident, self._id, name, data, self._where, role, turn))

        content = message.get("content")
        if isinstance(content, str):
            part(self._id, "text", {"type": "text", "text": content})
        elif content is not None:
            for index, block in enumerate(fields.as_array(content) or (content,)):
                data = block if is_object(block) else {"value": block}
                part(f"{self._id}.{index}", fields.text(data, "type") or "block", data)
        rest: dict[str, JsonValue] = dict(self._data)
        if message:
            rest["message"] = leftover(message, frozenset({"content"}))
        part(f"{self._id}.line", "message" if message else kind, rest)


def _keeps_messages(meta: JsonObject) -> bool:
    """Newer boundaries name messages that stay in the context beside the summary: which turns those are is open."""
    return bool(fields.mapping(meta, "preservedMessages") or fields.mapping(meta, "preservedSegment"))


def _blocks(content: JsonValue) -> Iterator[JsonObject]:
    if isinstance(content, str):
        yield {"type": "text", "text": content}
        return
    for block in fields.as_array(content) or ():
        yield block if is_object(block) else {"type": "unknown", "value": block}


def _usage(message: JsonObject) -> dict[str, int | float | None]:
    """Anthropic counts cache reads and writes apart from `input_tokens`; here they are input, as Gym counts."""
    usage = fields.mapping(message, "usage")
    if not usage:
        return {}
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    stated = [value for name in names if (value := fields.integer(usage, name)) is not None]
    return {
        "input": sum(stated) if stated else None,
        "output": fields.integer(usage, "output_tokens"),
        "reasoning": None,
        "cached": fields.integer(usage, "cache_read_input_tokens"),
        "cost": None,
    }
