"""Captured calls, tokens and small evidence files (gym-semantics 3.7, 7, 8.2, 10; formats on `requests.jsonl`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_files import write
from tests.samples.gym_rows import call, message, output, reasoning, token_entry

from rollout_loaders.errors import ReadError
from rollout_loaders.formats.captured_messages import dialect_of, request_messages
from rollout_loaders.formats.captured_response import captured_response, finish_reason
from rollout_loaders.formats.gym_capture import read_capture, read_requests
from rollout_loaders.formats.gym_results import read_run_result, read_verdicts
from rollout_loaders.formats.gym_tokens import read_tokens
from rollout_loaders.model import CapturedMessage, RunResult

Json = dict[str, Any]


def chat(*messages: Json, **fields: Any) -> Json:
    return {"model": "m", "messages": list(messages), **fields}


CHAT: list[tuple[Json, CapturedMessage]] = [
    ({"role": "user", "content": "hi"}, CapturedMessage("user", "hi", True)),
    ({"role": "assistant", "content": "hi", "reasoning": ""}, CapturedMessage("assistant", "hi", True)),
    ({"role": "assistant", "content": "hi", "reasoning": "r"}, CapturedMessage("assistant", "hi", False)),
    ({"role": "assistant", "content": "hi", "reasoning_content": "r"}, CapturedMessage("assistant", "hi", False)),
    ({"role": "assistant", "content": "hi", "tool_calls": []}, CapturedMessage("assistant", "hi", True)),
    (
        {"role": "assistant", "content": "hi", "tool_calls": [{"id": "c"}]},
        CapturedMessage("assistant", "hi", False, ({"id": "c"},)),
    ),
    (
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        CapturedMessage("assistant", "a\nb", True),
    ),
    (
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}]},
        CapturedMessage("user", "a", False),
    ),
    ({"role": "assistant", "content": None}, CapturedMessage("assistant", None, False)),
    ({"role": "tool", "tool_call_id": "c", "content": "out"}, CapturedMessage("tool", "out", True)),
]


@pytest.mark.parametrize(("raw", "expected"), CHAT)
def test_chat_messages(raw: Json, expected: CapturedMessage) -> None:
    assert request_messages(chat(raw), "chat") == (expected,)


def test_responses_requests() -> None:
    body: Json = {
        "instructions": "sys",
        "input": [message("4"), reasoning("r"), call("bash", {}, "c"), output("c", "x")],
    }
    assert request_messages(body, "responses") == (
        CapturedMessage("system", "sys", True),
        CapturedMessage("assistant", "4", True),
        CapturedMessage("assistant", None, False),
        CapturedMessage("assistant", None, False, (call("bash", {}, "c"),)),
        CapturedMessage("tool", "x", True),
    )
    assert request_messages({"input": "hi"}, "responses") == (CapturedMessage("user", "hi", True),)


def test_anthropic_requests() -> None:
    use: Json = {"type": "tool_use", "id": "c", "name": "bash", "input": {}}
    body: Json = {
        "system": [{"type": "text", "text": "sys"}],
        "messages": [
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}, use],
            }
        ],
    }
    assert dialect_of(body) == "messages"
    assert request_messages(body, "messages") == (
        CapturedMessage("system", "sys", True),
        CapturedMessage("assistant", "a", False, (use,)),
    )


@pytest.mark.parametrize(
    ("path", "body", "dialect"),
    [
        ("/v1/chat/completions", {}, "chat"),
        ("/ng-rollout/0-0/v1/responses", {}, "responses"),
        ("/v1/messages", {}, "messages"),
        ("", {"input": "x"}, "responses"),
        ("", {"messages": []}, "chat"),
        ("", {}, None),
    ],
)
def test_dialects(path: str, body: Json, dialect: str | None) -> None:
    assert dialect_of(body, path) == dialect


@pytest.mark.parametrize(
    ("dialect", "body", "text", "thought", "calls", "finish"),
    [
        (
            "chat",
            {"choices": [{"message": {"content": "4", "reasoning_content": "r"}, "finish_reason": "stop"}]},
            "4",
            "r",
            0,
            "stop",
        ),
        ("chat", {"choices": [{"message": {"content": None, "tool_calls": [{"id": "c"}]}}]}, None, None, 1, None),
        ("responses", {"output": [reasoning("r"), message("4"), call("b", {}, "c")]}, "4", "r", 1, None),
        (
            "messages",
            {
                "content": [{"type": "thinking", "thinking": "r"}, {"type": "text", "text": "4"}],
                "stop_reason": "end_turn",
            },
            "4",
            "r",
            0,
            "end_turn",
        ),
        (None, {"incomplete_details": {"reason": "max_output_tokens"}}, None, None, 0, "max_output_tokens"),
    ],
)
def test_responses_of_each_dialect(
    dialect: str | None, body: Json, text: str | None, thought: str | None, calls: int, finish: str | None
) -> None:
    read = captured_response(body, dialect)
    assert (read.text, read.reasoning, len(read.tool_calls), finish_reason(body)) == (text, thought, calls, finish)


def test_a_stored_exchange(tmp_path: Path) -> None:
    exchange = {
        "model_call_id": "mc1", "dialect": "chat", "model_ref": {"type": "responses_api_models", "name": "policy"},
        "started_at": 1.0, "completed_at": 2.5, "latency_ms": 1500.0, "latency_ttft_ms": 100.0, "status_code": 200,
        "error_category": None, "request": chat({"role": "user", "content": "2+2?"}, tools=[{"type": "function"}]),
        "response": {"id": "chatcmpl-1", "model": "served", "usage": {"prompt_tokens": 7, "completion_tokens": 2},
                     "choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]},
        "client_session_id": "ses_1", "upstream_attempted": True,
    }  # fmt: skip
    path = write(
        tmp_path / "0-0.capture.jsonl", exchange, "torn", exchange | {"model_call_id": "mc2", "response": None}
    )
    first, second = read_capture(path)
    assert (first.call_id, first.index, first.response_id, first.session_id) == ("mc1", 0, "chatcmpl-1", "ses_1")
    assert (first.started_at, first.duration_ms, first.finish_reason) == ("1970-01-01T00:00:01.000Z", 1500.0, "stop")
    assert (first.tokens_in, first.tokens_out, first.tokens_reasoning) == (7, 2, None)
    assert (first.response_text, first.tools_sent, first.upstream_attempted) == ("4", True, True)
    assert first.extra == {"latency_ttft_ms": 100.0}
    assert (second.index, second.response_captured, second.response_text) == (1, False, None)


def test_a_requests_file_puts_back_what_the_recorder_replaced(tmp_path: Path) -> None:
    system = {"role": "system", "content": "long prompt"}
    tools = [{"type": "function", "function": {"name": "bash"}}]
    same = {"$same_as_request": 0}
    base = {"path": "/v1/chat/completions", "reply": "reply:0", "time": 2.0, "response_id": "r0"}
    path = write(
        tmp_path / "requests.jsonl",
        {"n": 0, **base, "body": chat(system, {"role": "user", "content": "q"}, tools=tools)},
        {
            **{"n": 1, **base, "x_headers": {"x-session-id": "ses_1"}},
            "body": chat({"role": "system", "content": same}, {"role": "user", "content": "q2"}, tools=same),
        },
    )
    first, second = read_requests(path)
    assert (first.index, first.response_id, first.session_id) == (0, "r0", None)
    assert (second.index, second.session_id, second.tools_sent, second.response_captured) == (1, "ses_1", True, False)
    assert second.request_messages == (
        CapturedMessage("system", "long prompt", True),
        CapturedMessage("user", "q2", True),
    )
    assert second.extra["reply"] == "reply:0"


def test_a_reference_to_nowhere_is_an_unknown_text(tmp_path: Path) -> None:
    body = chat({"role": "system", "content": {"$same_as_request": 9}}, tools={"$same_as_request": 9})
    (made,) = read_requests(write(tmp_path / "requests.jsonl", {"n": 1, "body": body}))
    assert made.request_messages == (CapturedMessage("system", None, False),)
    assert made.tools_sent is False


def test_token_entries_count_their_arrays(tmp_path: Path) -> None:
    entry = token_entry("0-0", "call-a", "4", 1.0)
    delta = {**entry, "model_call_id": "call-b", "prompt_is_delta": True, "cum_len": 10, "parent_call_id": "call-a"}
    path = write(tmp_path / "0-0.tokens.jsonl", entry, delta, {"no": "id"})
    first, second = read_tokens(path)
    assert (first.call_id, first.prompt_tokens, first.generated_tokens) == ("call-a", 3, 2)
    assert (first.parent_resolution, first.parent_reason, first.output_items) == (
        "root",
        "",
        tuple(entry["output_items"]),
    )
    assert (second.parent_call_id, second.prompt_tokens) == ("call-a", 8)
    assert first.extra["fingerprint_version"] == 3


def test_run_results(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"return_code": 1, "timed_out": False, "error": "boom", "hostname": "h", "pid": 7}))
    assert read_run_result(path) == RunResult(1, False, "boom", None, {"hostname": "h", "pid": 7})
    path.write_text("{}")
    assert read_run_result(path) == RunResult(None, False, None)
    for broken in ("[]", "{", ""):
        path.write_text(broken)
        with pytest.raises(ReadError):
            read_run_result(path)


def test_verdicts_by_task_and_rollout(tmp_path: Path) -> None:
    finding: Json = {"check": "agent_turn_hollow", "detail": {}, "locator": None}
    path = write(
        tmp_path / "rollout_verdicts.jsonl",
        {
            "_ng_task_index": 0,
            "_ng_rollout_index": 1,
            "verdict": "unhealthy",
            "findings": [finding],
            "unobserved": ["x"],
        },
        {"verdict": "healthy"},
        "torn",
    )
    (key, made), *rest = read_verdicts(path).items()
    assert rest == []
    assert (key, made.verdict, made.findings, made.unobserved) == ((0, 1), "unhealthy", (finding,), ("x",))
