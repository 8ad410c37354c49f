"""Inputs below 1 MB whose parts are many and alike: what takes the square of their number shows here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Maker = Callable[[Path, int], Path]
MANY = 3000
"""Records that stay below 1 MB in every one of these."""


def _lines(path: Path, records: Iterator[Any]) -> Path:
    path.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records), "utf-8")
    return path


def _row(index: int, *output: Any, **fields: Any) -> dict[str, Any]:
    return {
        "_ng_task_index": index,
        "_ng_rollout_index": 0,
        "reward": 1,
        "response": {"output": list(output)},
        **fields,
    }


def _call(index: int, call_id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "bash", "arguments": "{}", "id": f"f{index}"}


def _output(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "x"}


def same_identity(folder: Path, many: int) -> Path:
    """Every row names itself alike."""
    return _lines(folder / "rollouts.jsonl", (_row(0) for _ in range(2 * many)))


def no_identity(folder: Path, many: int) -> Path:
    """No row has a name."""
    return _lines(folder / "rollouts.jsonl", ({"response": {"output": []}} for _ in range(2 * many)))


def calls_of_one_id(folder: Path, many: int) -> Path:
    """All calls, then all results, under one id."""
    items = [_call(n, "c") for n in range(many)] + [_output("c") for _ in range(many)]
    return _lines(folder / "rollouts.jsonl", iter([_row(0, *items)]))


def calls_alternating(folder: Path, many: int) -> Path:
    """One turn a call."""
    items = [item for n in range(many) for item in (_call(n, f"c{n}"), _output(f"c{n}"))]
    return _lines(folder / "rollouts.jsonl", iter([_row(0, *items)]))


def messages(folder: Path, many: int) -> Path:
    """Thousands of assistant messages, one text block each."""
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4"}]}
    return _lines(folder / "rollouts.jsonl", iter([_row(0, *[item] * many)]))


def blocks(folder: Path, many: int) -> Path:
    """One message of many blocks."""
    content = [{"type": "output_text", "text": "4"}] * (4 * many)
    item = {"type": "message", "role": "assistant", "content": content}
    return _lines(folder / "rollouts.jsonl", iter([_row(0, item)]))


def garbage_lines(folder: Path, many: int) -> Path:
    """Hardly a line is JSON."""
    path = folder / "rollouts.jsonl"
    path.write_text(json.dumps(_row(0)) + "\n" + "{\n" * (30 * many), "utf-8")
    return path


def failures_of_one_row(folder: Path, many: int) -> Path:
    """A sidecar full of attempts at one task."""
    _lines(folder / "rollouts.jsonl", iter([_row(0)]))
    record: dict[str, Any] = {
        "_ng_task_index": 0,
        "_ng_rollout_index": 0,
        "_ng_failure_class": "x",
        "response": {"output": []},
    }
    _lines(folder / "rollouts_failures.jsonl", ({**record, "_ng_attempt_index": n} for n in range(many)))
    return folder


def failures_without_a_row(folder: Path, many: int) -> Path:
    """The sidecar by itself."""
    record: dict[str, Any] = {"_ng_rollout_index": 0, "_ng_failure_class": "x", "response": {"output": []}}
    return _lines(folder / "rollouts_failures.jsonl", ({**record, "_ng_task_index": 0} for _ in range(many)))


def captured_calls(folder: Path, many: int) -> Path:
    """Token entries that all have the same parent, and one chain of them."""
    _lines(folder / "rollouts.jsonl", iter([_row(0, _ng_token_capture={"status": "ok"})]))
    entry = {"generated_token_ids": [1], "output_items": [], "created_at": 1.0}
    entries = ({**entry, "call_id": f"c{n}", "parent_call_id": f"c{n - 1}" if n else None} for n in range(many))
    _lines(folder / "0-0.tokens.jsonl", entries)
    return folder


def _event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def _pi(folder: Path, events: Iterator[Any]) -> Path:
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-30T15:00:00Z", "cwd": "/"}
    return _lines(folder / "stdout.jsonl", iter([header, {"type": "agent_start"}, *events]))


def pi_starts(folder: Path, many: int) -> Path:
    """Messages that start and never end."""
    message: dict[str, Any] = {"role": "assistant", "content": [], "timestamp": 1}
    return _pi(folder, (_event("message_start", message=message) for _ in range(many)))


def pi_deltas(folder: Path, many: int) -> Path:
    """One message of many deltas that never ends."""
    message: dict[str, Any] = {"role": "assistant", "content": [], "timestamp": 1}
    delta = {"type": "text_delta", "contentIndex": 0, "delta": "word "}
    update = _event("message_update", assistantMessageEvent=delta)
    return _pi(folder, iter([_event("message_start", message=message), *[update] * (2 * many)]))


def pi_delta_blocks(folder: Path, many: int) -> Path:
    """Deltas of as many blocks."""
    message: dict[str, Any] = {"role": "assistant", "content": [], "timestamp": 1}
    updates = (
        _event("message_update", assistantMessageEvent={"type": "text_delta", "contentIndex": n, "delta": "w"})
        for n in range(2 * many)
    )
    return _pi(folder, iter([_event("message_start", message=message), *updates]))


def pi_tools(folder: Path, many: int) -> Path:
    """Tool executions that start, all under one id."""
    start = _event("tool_execution_start", toolCallId="c", toolName="bash", args={})
    end = _event("tool_execution_end", toolCallId="c", toolName="bash", result={"content": []}, isError=False)
    return _pi(folder, iter([*[start] * many, *[end] * many]))


def pi_compactions(folder: Path, many: int) -> Path:
    """Compactions, half of them without an end."""
    both = [_event("compaction_start", reason="threshold"), _event("compaction_end", reason="threshold", aborted=True)]
    return _pi(folder, iter([*both * many, *both[:1] * many]))


def pi_turns(folder: Path, many: int) -> Path:
    """Turns of one tool call."""
    call: dict[str, Any] = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}
    message: dict[str, Any] = {"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": 1}
    result: dict[str, Any] = {
        "role": "toolResult",
        "toolCallId": "c",
        "toolName": "bash",
        "content": [],
        "isError": False,
    }
    both = [_event("message_end", message=message), _event("message_end", message=result)]
    return _pi(folder, iter(both * (many // 2)))


def _session(folder: Path, entries: Iterator[dict[str, Any]]) -> Path:
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-30T15:00:00Z", "cwd": "/"}
    return _lines(folder / "session.jsonl", iter([header, *entries]))


def _entry(ident: str, parent: str | None, role: str = "user") -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": role,
        "content": [{"type": "text", "text": "x"}],
        "timestamp": 1,
        "stopReason": "stop",
    }
    return {"type": "message", "id": ident, "parentId": parent, "timestamp": "2026-11-30T15:00:00Z", "message": message}


def pi_chain(folder: Path, many: int) -> Path:
    """One long branch."""
    return _session(folder, (_entry(f"e{n}", f"e{n - 1}" if n else None, "assistant") for n in range(many)))


def pi_star(folder: Path, many: int) -> Path:
    """As many branches as entries."""
    return _session(folder, (_entry(f"e{n}", "e0" if n else None, "assistant") for n in range(many)))


def pi_comb(folder: Path, many: int) -> Path:
    """A long branch with a tooth at each entry."""
    chain = ((_entry(f"e{n}", f"e{n - 1}" if n else None), _entry(f"t{n}", f"e{n}")) for n in range(many // 2))
    return _session(folder, (entry for both in chain for entry in both))


def pi_ring(folder: Path, many: int) -> Path:
    """Every entry under the next."""
    return _session(folder, (_entry(f"e{n}", f"e{(n + 1) % many}") for n in range(many)))


def _part(message: int, number: int, **data: Any) -> dict[str, Any]:
    return {"id": f"prt_{message:05}_{number:05}", "messageID": f"msg_{message:05}", "sessionID": "ses_1", **data}


def _message(number: int, *parts: dict[str, Any], role: str = "assistant", **info: Any) -> dict[str, Any]:
    times = {"created": number, "completed": number}
    told = {"id": f"msg_{number:05}", "sessionID": "ses_1", "role": role, "time": times, "providerID": "nemo", **info}
    return {"info": told, "parts": list(parts)}


def _export(folder: Path, messages: list[dict[str, Any]], end: str | None = None) -> Path:
    path = folder / "export.json"
    document = {"info": {"id": "ses_1", "projectID": "p", "time": {"created": 1}}, "messages": messages}
    text = json.dumps(document, separators=(",", ":"))
    path.write_text(text if end is None else text + end, "utf-8")
    return path


def export_messages(folder: Path, many: int) -> Path:
    """Messages of one part."""
    return _export(folder, [_message(n, _part(n, 0, type="text", text="4"), finish="stop") for n in range(many)])


def export_parts(folder: Path, many: int) -> Path:
    """One message of think-only parts."""
    parts = [_part(1, n, type="text", text="<think>a</think>") for n in range(many)]
    return _export(folder, [_message(1, *parts, finish="stop")])


def export_compactions(folder: Path, many: int) -> Path:
    """A compaction and its summary, again and again, all with the same tail."""
    found: list[dict[str, Any]] = []
    for n in range(many // 2):
        order = _part(2 * n, 0, type="compaction", auto=True, tail_start_id="msg_00000")
        found.append(_message(2 * n, order, role="user"))
        text = _part(2 * n + 1, 0, type="text", text="summary")
        found.append(_message(2 * n + 1, text, summary=True, parentID=f"msg_{2 * n:05}", finish="stop"))
    return _export(folder, found)


def export_orders(folder: Path, many: int) -> Path:
    """Compaction orders that nobody followed, under one parent."""
    found = [_message(n, _part(n, 0, type="compaction", auto=True), role="user") for n in range(many // 2)]
    return _export(folder, found + [_message(n, summary=True, parentID="msg_00000") for n in range(many, 2 * many)])


def export_same_ids(folder: Path, many: int) -> Path:
    """Every message and part has one id."""
    part = _part(1, 1, type="tool", tool="bash", callID="c", state={"status": "completed", "input": {}, "output": "x"})
    return _export(folder, [_message(1, part, finish="tool-calls")] * (many // 2))


def export_damaged(folder: Path, many: int) -> Path:
    """Each message is broken off by the next."""
    path = folder / "export.json"
    message = '{"info":{"id":"m","sessionID":"ses_1","role":"assistant","providerID":"x"},"parts":[{"type":"text",'
    path.write_text('{"info":{"id":"ses_1"},"messages":[' + message * many, "utf-8")
    return path


def export_open_strings(folder: Path, many: int) -> Path:
    """Each message is broken off inside a string that the next one seems to close."""
    path = folder / "export.json"
    path.write_text('{"info":{"id":"ses_1","sessionID":"x"},"messages":[' + '{"info":{"parts":"' * (6 * many), "utf-8")
    return path


def export_brackets(folder: Path, many: int) -> Path:
    """Nothing but openings."""
    path = folder / "export.json"
    path.write_text('{"info":{"id":"ses_1","sessionID":"x"},"messages":' + '[{"info":' * (30 * many), "utf-8")
    return path


def export_nested(folder: Path, many: int) -> Path:
    """Each message holds a list that holds the next one and is never closed."""
    path = folder / "export.json"
    message = '{"info":{"id":"m"},"parts":[' + "0," * 1400
    path.write_text('{"info":{"id":"ses_1","sessionID":"x"},"messages":[' + message * (many // 10), "utf-8")
    return path


MAKERS: tuple[Maker, ...] = (
    *(same_identity, no_identity, calls_of_one_id, calls_alternating, messages, blocks, garbage_lines),
    *(failures_of_one_row, failures_without_a_row, captured_calls),
    *(pi_starts, pi_deltas, pi_delta_blocks, pi_tools, pi_compactions, pi_turns, pi_chain, pi_star, pi_comb, pi_ring),
    *(export_messages, export_parts, export_compactions, export_orders, export_same_ids, export_damaged),
    *(export_open_strings, export_brackets, export_nested),
)
