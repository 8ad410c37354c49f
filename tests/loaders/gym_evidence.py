"""Observations, trajectories and captured calls, written field by field; each names its section of gym-semantics."""

from __future__ import annotations

from typing import Any

from tests.samples.gym_rows import message, output

Json = dict[str, Any]


def invocation(invocation_id: str, conversation: list[Json], **fields: Any) -> Json:
    """3.2 AgentInvocation."""
    return {
        "kind": "agent_invocation",
        "invocation_id": invocation_id,
        "status": "completed",
        "conversation": conversation,
        **fields,
    }


def tool_call(invocation_id: str, call_id: str, **fields: Any) -> Json:
    """3.3 ToolCallObservation; times in epoch seconds."""
    return {
        "kind": "tool_call",
        "invocation_id": invocation_id,
        "tool_call_id": call_id,
        "tool_name": "bash",
        "status": "completed",
        "started_at": 10.0,
        "completed_at": 12.5,
        "duration_ms": 2500.0,
        "timing_source": "artifact",
        **fields,
    }


def compaction(invocation_id: str, **fields: Any) -> Json:
    """3.5 ContextCompactionObservation."""
    return {
        "kind": "context_compaction",
        "invocation_id": invocation_id,
        "observed_at": 20.0,
        "trigger": "automatic",
        "outcome": "completed",
        "summary": "so far",
        **fields,
    }


def bundle(*records: Json, gaps: tuple[Json, ...] = (), source: str = "opencode") -> Json:
    """3.6 the bundle."""
    return {"source": source, "records": list(records), "gaps": list(gaps)}


def split_reply(part: str, reasoning: str, answer: str) -> list[Json]:
    """4.7, A.3: the items of a split reply: reasoning `{part}-reasoning`, then the message with the part's id."""
    return [
        {"type": "reasoning", "id": f"{part}-reasoning", "summary": [{"type": "summary_text", "text": reasoning}]},
        message(answer, part),
    ]


def tool_round(call_id: str, result: str) -> list[Json]:
    """4.3: function_call with id = call_id, then its output."""
    made = {"type": "function_call", "id": call_id, "call_id": call_id, "name": "bash", "arguments": "{}"}
    return [{**made, "status": "completed"}, {**output(call_id, result), "status": "completed"}]


def turn(invocation_id: str, number: int, message_id: str, parts: list[Json], calls: list[Json], **fields: Any) -> Json:
    """3.7 and 4.5: a TrajectoryTurn as OpenCode writes it: one message entry, then tool entries."""
    said: list[Json] = [{"id": message_id, "type": "message", "role": "assistant", "content": parts}] if parts else []
    return {
        "invocation_id": invocation_id,
        "task_id": "0",
        "rollout_id": "0-0",
        "turn_no": number,
        "timestamp": 9.0 + number,
        "step_count": number,
        "source_message_id": message_id,
        "answer": said + calls,
        "model_calls": [],
        **fields,
    }


def text_part(part: str, text: str) -> Json:
    """4.5: a text part of a turn's answer."""
    return {"id": part, "type": "output_text", "text": text}


def call_part(part: str, call_id: str) -> Json:
    """4.5: a tool entry; arguments are an object here."""
    return {"id": part, "type": "function_call", "call_id": call_id, "name": "bash", "arguments": {"command": "ls"}}


def trajectory(**fields: Any) -> Json:
    """3.7 TrajectoryRecord."""
    return {
        "schema_version": "1.0",
        "task_id": "0",
        "rollout_id": "0-0",
        "invocations": [],
        "turns": [],
        "model_calls": [],
        "tool_calls": [],
        "gaps": [],
        **fields,
    }


def trajectory_call(call_id: str, request: Json | None, response: Json | None, **metadata: Any) -> Json:
    """3.7 TrajectoryModelCall."""
    return {
        "model_call_id": call_id,
        "started_at": 1.0,
        "completed_at": 2.0,
        "duration_ms": 1000.0,
        "request": request,
        "response": response,
        "response_metadata": {
            "response_id": f"resp-{call_id}",
            "model_ref": {"type": "responses_api_models", "name": "policy"},
            "model": "m",
            "dialect": "chat",
            "status_code": 200,
            "response_status": "completed",
            "finish_reason": "stop",
            "error_category": None,
            **metadata,
        },
        "token_stats": {
            "prompt_tokens": 5,
            "completion_tokens": 3,
            "reasoning_tokens": None,
            "total_tokens": 8,
            "cached_tokens": None,
        },
    }
