"""Captured model calls: `ng_model_call_capture`, `*.capture.jsonl`, `ng_trajectory.model_calls`, `requests.jsonl`.

Fields by gym-semantics 3.7 and 10, a `requests.jsonl` line by formats (section on the recordings). Lines that cannot be
read are left out here; a capture store says so by its own `.incomplete` file and gap codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from rollout_loaders.convert.times import iso
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import iter_lines
from rollout_loaders.model import JsonObject, JsonValue, ModelCall

from .captured_messages import dialect_of, request_messages, sent_tools
from .captured_response import captured_response, finish_reason
from .fields import NOTHING, flag, integer, mapping, number, objects, text

SAME_AS = "$same_as_request"


def read_requests(path: Path) -> tuple[ModelCall, ...]:
    """Calls of a `requests.jsonl`: requests alone, so `response_captured` is False. Raises `ReadError`."""
    lines = list(read_objects(path))
    by_number = {integer(line, "n"): mapping(line, "body") for line in lines}
    return tuple(_request(index, line, by_number, path.name) for index, line in enumerate(lines))


def read_capture(path: Path) -> tuple[ModelCall, ...]:
    """Calls of a `<rollout id>.capture.jsonl` in append order. Raises `ReadError`."""
    return tuple(captured_call(raw, index, path.name) for index, raw in enumerate(read_objects(path)))


def calls_of_capture(capture: JsonObject) -> tuple[ModelCall, ...]:
    """Calls of a row's `ng_model_call_capture`; without payloads where `ng_trajectory` took them over."""
    calls = objects(capture, "calls")
    return tuple(captured_call(raw, index, "ng_model_call_capture") for index, raw in enumerate(calls))


def calls_of_trajectory(trajectory: JsonObject) -> tuple[ModelCall, ...]:
    """`ng_trajectory.model_calls`: `response_metadata` and `token_stats` laid flat (gym-semantics 3.7)."""
    calls: list[ModelCall] = []
    for index, raw in enumerate(objects(trajectory, "model_calls")):
        stats = mapping(raw, "token_stats")
        flat: dict[str, JsonValue] = {**raw, **mapping(raw, "response_metadata")}
        flat.pop("response_metadata", None)
        flat.pop("token_stats", None)
        names = {
            "tokens_in": "prompt_tokens",
            "tokens_out": "completion_tokens",
            "tokens_reasoning": "reasoning_tokens",
        }
        flat.update({name: stats.get(given) for name, given in names.items()})
        flat.update({"cached_tokens": stats.get("cached_tokens"), "tokens_total": stats.get("total_tokens")})
        calls.append(captured_call(flat, index, "ng_trajectory"))
    return tuple(calls)


def merged(calls: tuple[ModelCall, ...], others: tuple[ModelCall, ...]) -> tuple[ModelCall, ...]:
    """`calls`, each completed by the other record of the same call id; calls of `others` alone follow."""
    by_id = {call.call_id: call for call in others if call.call_id is not None}
    known = {call.call_id for call in calls if call.call_id is not None}
    completed = tuple(_completed(call, by_id.get(call.call_id or "")) for call in calls)
    return completed + tuple(call for call in others if call.call_id is None or call.call_id not in known)


_READ = frozenset(
    {
        *("model_call_id", "call_index", "response_id", "client_session_id", "model", "dialect", "status_code"),
        *("response_status", "finish_reason", "error_category", "started_at", "completed_at", "duration_ms"),
        *("latency_ms", "latency_total_ms", "tokens_in", "tokens_out", "tokens_reasoning", "cached_tokens", "request"),
        *("response", "model_ref", "upstream_attempted", "upstream_status_code", "local_response_reason"),
    }
)


def captured_call(raw: JsonObject, index: int, source: str) -> ModelCall:
    """One ModelCallRecord or stored exchange (gym-semantics 10); what is not read stays in `extra`."""
    request, response = mapping(raw, "request"), mapping(raw, "response")
    dialect = text(raw, "dialect") or (dialect_of(request) if request else None)
    said = captured_response(response, dialect)
    usage = mapping(response, "usage")
    return ModelCall(
        call_id=text(raw, "model_call_id"),
        index=index if (given := integer(raw, "call_index")) is None else given,
        response_id=text(raw, "response_id") or text(response, "id"),
        session_id=text(raw, "client_session_id"),
        model=text(raw, "model") or text(response, "model") or text(request, "model"),
        dialect=dialect,
        status_code=integer(raw, "status_code"),
        response_status=text(raw, "response_status") or text(response, "status"),
        finish_reason=text(raw, "finish_reason") or finish_reason(response),
        error_category=text(raw, "error_category"),
        started_at=moment(raw.get("started_at")),
        completed_at=moment(raw.get("completed_at")),
        duration_ms=_first_number(raw, "duration_ms", "latency_ms", "latency_total_ms"),
        tokens_in=_tokens(raw, usage, "tokens_in", "input_tokens", "prompt_tokens"),
        tokens_out=_tokens(raw, usage, "tokens_out", "output_tokens", "completion_tokens"),
        tokens_reasoning=integer(raw, "tokens_reasoning"),
        cached_tokens=integer(raw, "cached_tokens"),
        request_messages=request_messages(request, dialect) if request else None,
        response_text=said.text,
        response_reasoning=said.reasoning or text(raw, "reasoning_content"),
        response_tool_calls=said.tool_calls or objects(raw, "tool_calls"),
        response_captured=bool(response),
        tools_sent=sent_tools(request) if request else None,
        model_ref=model_ref(raw.get("model_ref")),
        upstream_attempted=flag(raw, "upstream_attempted"),
        upstream_status_code=integer(raw, "upstream_status_code"),
        local_response_reason=text(raw, "local_response_reason"),
        source=source,
        extra={key: value for key, value in raw.items() if key not in _READ},
    )


def model_ref(value: JsonValue) -> str | None:
    """`type/name` of a model reference (gym-semantics 3.1, 7); a string as it is."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        return None
    named = [part for part in (text(value, "type"), text(value, "name")) if part is not None]
    return "/".join(named) or None


def moment(value: JsonValue) -> str | None:
    """A time in epoch seconds or already written out, as ISO 8601 UTC."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return iso(value * 1000)
    except (OverflowError, ValueError):
        return None


def read_objects(path: Path) -> Iterator[JsonObject]:
    """The JSON objects of a lines file; blank and damaged lines are passed over. Raises `ReadError`."""
    for line in iter_lines(path):
        if not line.data.strip():
            continue
        try:
            value = decode(line.data).value
        except BadJson:
            continue
        if isinstance(value, Mapping):
            yield value


def _request(index: int, line: JsonObject, bodies: Mapping[int | None, JsonObject], source: str) -> ModelCall:
    body = _restored(mapping(line, "body"), bodies)
    dialect = dialect_of(body, text(line, "path") or "")
    headers = mapping(line, "x_headers")
    return ModelCall(
        call_id=None,
        index=index if (given := integer(line, "n")) is None else given,
        response_id=text(line, "response_id"),
        session_id=text(headers, "x-session-id") or text(headers, "x-session-affinity"),
        model=text(body, "model"),
        dialect=dialect,
        started_at=moment(line.get("time")),
        request_messages=request_messages(body, dialect),
        tools_sent=sent_tools(body),
        source=source,
        extra={key: line[key] for key in ("path", "reply", "user_agent", "x_headers") if key in line},
    )


def _restored(body: JsonObject, bodies: Mapping[int | None, JsonObject]) -> JsonObject:
    """`body` with what the recorder replaced by a reference to an equal value of an earlier request put back."""
    tools = _referred(body.get("tools"), bodies)
    restored: dict[str, JsonValue] = dict(body)
    if tools is not None:
        restored["tools"] = tools.get("tools")
    messages: list[JsonValue] = []
    for place, message in enumerate(objects(body, "messages")):
        earlier = _referred(message.get("content"), bodies)
        if earlier is None:
            messages.append(message)
            continue
        there = objects(earlier, "messages")
        content = there[place].get("content") if place < len(there) else None
        messages.append({**message, "content": content if _referred(content, bodies) is None else None})
    if "messages" in body:
        restored["messages"] = messages
    return restored


def _referred(value: JsonValue, bodies: Mapping[int | None, JsonObject]) -> JsonObject | None:
    if not isinstance(value, Mapping) or SAME_AS not in value:
        return None
    return bodies.get(integer(value, SAME_AS), NOTHING)


def _tokens(raw: JsonObject, usage: JsonObject, name: str, *others: str) -> int | None:
    own = integer(raw, name)
    return own if own is not None else next((n for key in others if (n := integer(usage, key)) is not None), None)


def _first_number(raw: JsonObject, *names: str) -> float | None:
    return next((found for name in names if (found := number(raw, name)) is not None), None)


def _completed(call: ModelCall, other: ModelCall | None) -> ModelCall:
    """Fill what `call` does not know from the other record of it."""
    if other is None:
        return call
    missing = {
        name: getattr(other, name)
        for name in call.__dataclass_fields__
        if getattr(call, name) in (None, ()) and getattr(other, name) not in (None, ())
    }
    return replace(call, **missing, response_captured=call.response_captured or other.response_captured)
