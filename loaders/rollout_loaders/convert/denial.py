"""Tool calls that were not run because permission was refused (formats 1.6, recording 05e)."""

from __future__ import annotations

from rollout_loaders.model import ToolCall, Turn

_REJECTED = "The user rejected permission to use this specific tool call"


def denied_calls(turn: Turn) -> tuple[ToolCall, ...]:
    """The turn's calls that OpenCode was not allowed to run; it stops after such a step."""
    return tuple(call for call in turn.tool_calls if (call.error or "").startswith(_REJECTED))
