"""Tool calls of a turn, each with the result that stands in its own part (gym-semantics 4.3, CONTRACT 4.8)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from rollout_loaders.model import JsonValue, ToolCall

from .stored import StoredPart, StoredTool
from .times import duration, iso

STATUS = {"completed": "completed", "error": "failed", "running": "incomplete", "pending": "incomplete"}
"""Gym's tool record, by the harness's own word; any other word is `unknown`."""
INVALID_TOOL = "invalid"
"""OpenCode's stand-in for an unknown tool or unreadable arguments; its status is `completed` (formats trap 7)."""


def tool_status(tool: StoredTool) -> str:
    """The status of gym-semantics 4.3."""
    return STATUS.get(tool.status or "", "unknown")


def tool_call(part: StoredPart, tool: StoredTool, sessions: AbstractSet[str], broken_off: bool) -> ToolCall:
    """The call of a tool part. `sessions` are the rollout's invocations; `broken_off` marks a part of a dead try."""
    status = tool_status(tool)
    extra: dict[str, JsonValue] = dict(tool.extra)
    child = tool.child_session_id
    if child is not None and child not in sessions:
        extra["child_not_in_this_artifact"] = child
        child = None
    if tool.partial_output is not None:
        extra["partial_output"] = tool.partial_output
    return ToolCall(
        id=part.id,
        call_id=tool.call_id or None,
        name=tool.name,
        arguments=tool.arguments,
        status=status,
        output=tool.output,
        pruned=tool.pruned,
        error=tool.error,
        started_at=iso(tool.started_ms),
        duration_ms=duration(tool.started_ms, tool.ended_ms),
        child=child,
        exit_code=tool.exit_code,
        invalid=tool.name == INVALID_TOOL,
        interrupted=tool.interrupted or broken_off or status == "incomplete",
        attachments=tool.attachments,
        extra=extra,
    )
