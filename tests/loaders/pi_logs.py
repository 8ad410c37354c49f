"""Builders of Pi event logs and session files, in the shapes of formats 2.1 to 2.5. Nothing here is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rollout_loaders.formats import pi_events, pi_session
from rollout_loaders.model import Rollout, ToolCall
from rollout_loaders.reader import ReadOptions

Event = dict[str, Any]
T0 = 1_796_051_160_000
"""2026-11-30T15:06:00.000Z in milliseconds."""
SESSION = "01a22cfd-0000-7000-8000-000000000000"


def header(session_id: str = SESSION) -> Event:
    return {
        "type": "session",
        "version": 3,
        "id": session_id,
        "timestamp": "2026-11-30T15:06:00.000Z",
        "cwd": "/srv/demo",
    }


def event(kind: str, **fields: Any) -> Event:
    return {"type": kind, **fields}


def text(value: str) -> Event:
    return {"type": "text", "text": value}


def thinking(value: str) -> Event:
    return {"type": "thinking", "thinking": value, "thinkingSignature": "reasoning_content"}


def call(call_id: str, command: str = "echo 4", name: str = "bash") -> Event:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": {"command": command}}


def usage(tokens_in: int = 100, tokens_out: int = 20, cached: int = 0) -> Event:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
    total = tokens_in + tokens_out + cached
    return {
        "input": tokens_in, "output": tokens_out, "cacheRead": cached, "cacheWrite": 0, "totalTokens": total,
        "cost": cost,
    }  # fmt: skip


def assistant(*blocks: Event, stop: str = "stop", error: str | None = None, **fields: Any) -> Event:
    """An assistant message; an error makes it one that the provider refused."""
    message: Event = {
        "role": "assistant", "content": list(blocks), "api": "openai-completions", "provider": "nemo",
        "model": "lab-model", "usage": usage(0, 0) if error else usage(), "stopReason": "error" if error else stop,
        "timestamp": T0,
    }  # fmt: skip
    if error is not None:
        message["errorMessage"] = error
    return {**message, **fields}


def user(value: str = "What is 2+2?") -> Event:
    return {"role": "user", "content": [text(value)], "timestamp": T0}


def tool_result(call_id: str, output: str = "4\n", *, error: bool = False, name: str = "bash") -> Event:
    return {
        "role": "toolResult", "toolCallId": call_id, "toolName": name, "content": [text(output)], "isError": error,
        "timestamp": T0,
    }  # fmt: skip


def end(message: Event) -> Event:
    return event("message_end", message=message)


def start(message: Event) -> Event:
    return event("message_start", message=message)


def delta(kind: str, index: int, value: str, **fields: Any) -> Event:
    """A `message_update` of `text`, `thinking` or `toolcall`."""
    return event(
        "message_update",
        assistantMessageEvent={"type": f"{kind}_delta", "contentIndex": index, "delta": value, **fields},
    )


def outcome_line(overflow: bool) -> Event:
    return event("ng_pi_outcome", context_overflow=overflow)


def run(*events: Event) -> list[Event]:
    """One finished agent run around `events`, with header and prompt."""
    return [header(), event("agent_start"), event("turn_start"), end(user()), *events, event("agent_end", messages=[])]


def lines_of(records: Iterable[Any]) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def read_log(
    folder: Path, records: Iterable[Any] | bytes, *, name: str = "stdout.jsonl", options: ReadOptions | None = None
) -> Rollout:
    """The one rollout of an event log."""
    path = folder / name
    path.write_bytes(records if isinstance(records, bytes) else lines_of(records))
    (rollout,) = pi_events.READER.open(path, str(path), options or ReadOptions()).rollouts()
    return rollout


def read_session(folder: Path, records: Iterable[Any] | bytes) -> Rollout:
    """The one rollout of a session file."""
    path = folder / f"2026-11-30T15-06-00-000Z_{SESSION}.jsonl"
    path.write_bytes(records if isinstance(records, bytes) else lines_of(records))
    (rollout,) = pi_session.READER.open(path, str(path), ReadOptions()).rollouts()
    return rollout


def entry(entry_id: str, parent: str | None, kind: str = "message", **fields: Any) -> Event:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": "2026-11-30T15:06:01.000Z", **fields}


def only_call(rollout: Rollout, turn: int = 1) -> ToolCall:
    assert rollout.root is not None
    (found,) = rollout.root.turns[turn - 1].tool_calls
    return found


def answers(rollout: Rollout) -> list[str]:
    assert rollout.root is not None
    return [turn.answer_text for turn in rollout.root.turns]


def item_shapes(rollout: Rollout) -> list[tuple[str, str | None, str | None]]:
    return [(item.type, item.id, item.text) for item in rollout.scored.items]


TWO_TURNS = [
    end(assistant(text("Looking."), thinking("hm"), call("c1"), stop="toolUse")),
    event("tool_execution_start", toolCallId="c1", toolName="bash", args={}),
    event("tool_execution_end", toolCallId="c1", toolName="bash", result={"content": [text("4\n")]}, isError=False),
    end(tool_result("c1")),
    end(assistant(text("The answer"), text("is 4."))),
]
"""Two turns that call a tool and answer."""
