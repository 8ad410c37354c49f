"""Gaps that Gym's observations record for tool parts (gym-semantics 3.8 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import Gap

from .stored import StoredSession
from .times import duration


def tool_gaps(session: StoredSession) -> Iterator[Gap]:
    """A call without a usable id gives no tool record; one without consistent times has no timing."""
    for message in session.messages:
        if message.role != "assistant":
            continue
        for part in message.parts:
            if part.tool is None:
                continue
            if not part.tool.call_id:
                yield Gap("tool_call_identity_unavailable", session.id, part.id)
            elif duration(part.tool.started_ms, part.tool.ended_ms) is None:
                yield Gap("tool_timing_unavailable", session.id, part.tool.call_id)
