"""A Pi event log as a file: pairs, headers, damage, odd events, sniffing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.pi_logs import (
    SESSION,
    T0,
    TWO_TURNS,
    Event,
    answers,
    assistant,
    call,
    end,
    entry,
    event,
    header,
    lines_of,
    outcome_line,
    read_log,
    run,
    text,
    thinking,
    user,
)

from rollout_loaders.formats import pi_events, pi_session
from rollout_loaders.reader import Confidence, ReadOptions


def test_pairs_and_bare_events_give_the_same_conversation(tmp_path: Path) -> None:
    events = run(*TWO_TURNS)
    bare = read_log(tmp_path, events)
    pairs = read_log(tmp_path, [[T0 / 1000, one] for one in events], name="events.jsonl")
    assert pairs.scored.items == bare.scored.items
    assert answers(pairs) == answers(bare)


def test_rpc_logs_have_no_header(tmp_path: Path) -> None:
    folder = tmp_path / "14c-rpc"
    folder.mkdir()
    response = {"id": "r0", "type": "response", "command": "prompt", "success": True}
    shell = {**response, "command": "bash", "data": {"output": "from bang\n", "exitCode": 0}}
    state = {**response, "command": "get_state", "data": {"sessionId": SESSION}}
    rollout = read_log(folder, [response, *run(end(assistant(text("4"))))[1:], shell, state])
    assert (rollout.id, rollout.source.locator) == (SESSION, SESSION)
    assert answers(rollout) == ["4"]
    assert rollout.root is not None
    assert [(message.kind, message.text) for message in rollout.root.trailing_input] == [("shell", "from bang\n")]


def test_an_rpc_log_that_never_names_its_session_is_named_after_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "14c-rpc"
    folder.mkdir()
    records = run(end(assistant(text("4"))))[1:]
    assert read_log(folder, records).id == "pi-14c-rpc"
    assert read_log(folder, records, name="my-run.jsonl").id == "pi-my-run"


def test_a_second_session_in_the_file_is_a_second_rollout(tmp_path: Path) -> None:
    path = tmp_path / "stdout.jsonl"
    second = [header("other"), *run(end(assistant(text("5"))))[1:]]
    path.write_bytes(lines_of([*run(end(assistant(text("4")))), *second]))
    artifact = pi_events.READER.open(path, "stdout.jsonl", ReadOptions())
    assert [(found.id, found.final_answer.text) for found in artifact.rollouts()] == [(SESSION, "4"), ("other", "5")]
    found = artifact.find("other")
    assert found is not None
    assert found.final_answer.text == "5"
    assert artifact.find("nothing") is None


def test_a_torn_last_line_is_said_and_not_parsed(tmp_path: Path) -> None:
    raw = lines_of(run(*TWO_TURNS))
    rollout = read_log(tmp_path, raw + b'{"type":"message_end","message":{"role":"assistant","content":[{"type":"te')
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("torn-line", "L11")]
    assert rollout.final_answer.text == "The answer\nis 4."


def test_a_complete_last_line_without_newline_is_read(tmp_path: Path) -> None:
    raw = lines_of(run(*TWO_TURNS)[:-1])[:-1]
    rollout = read_log(tmp_path, raw)
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("no-final-newline", "L9")]
    assert rollout.final_answer.text == "The answer\nis 4."


@pytest.mark.parametrize("line", [b"not json", b"[1, 2]", b'"text"', b"42", b"null", b"[]", b'{"type":'])
def test_a_line_that_is_no_event_costs_only_itself(line: bytes, tmp_path: Path) -> None:
    raw = lines_of(run(*TWO_TURNS)[:-1]) + line + b"\n" + lines_of([event("agent_end", messages=[])])
    rollout = read_log(tmp_path, raw)
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("record-unreadable", "L10")]
    assert answers(rollout) == ["Looking.", "The answer\nis 4."]
    assert rollout.root is not None
    assert any(line.decode() == part.data.get("text") for part in rollout.root.parts)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_a_line_separator_breaks_no_line_and_is_said(separator: str, tmp_path: Path) -> None:
    said = f"four{separator}4"
    rollout = read_log(
        tmp_path, run(end(assistant(text("Looking."), call("c"), stop="toolUse")), end(assistant(text(said))))
    )
    assert (rollout.final_answer.text, rollout.scored.final_text) == (said, said)
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("line-separator-in-line", "L6")]
    (lost,) = rollout.scored.others
    assert lost.final_text == "Looking."


def test_ascii_escaped_separators_are_safe(tmp_path: Path) -> None:
    """Gym's runner escapes them (formats 2.4)."""
    raw = b"".join(json.dumps([1.0, one]).encode() + b"\n" for one in run(end(assistant(text("a\u2028b")))))
    rollout = read_log(tmp_path, raw)
    assert (rollout.final_answer.text, rollout.diagnostics, rollout.scored.others) == ("a\u2028b", (), ())


def test_surrogates_and_odd_numbers_are_read_with_a_diagnostic(tmp_path: Path) -> None:
    raw = lines_of(run(end(assistant(text("PLACE")), )))  # fmt: skip
    rollout = read_log(tmp_path, raw.replace(b"PLACE", b"\\ud83d"))
    assert rollout.final_answer.text == "\ud83d"
    assert [d.code for d in rollout.diagnostics] == ["lone-surrogate"]


HOSTILE: list[Any] = [
    event("message_end"),
    event("message_end", message=None),
    event("message_end", message=[]),
    end({"role": "assistant"}),
    end({"role": "assistant", "content": [None, 3, "x", {"type": None}, {"type": "text", "text": 5}]}),
    end({"role": "assistant", "content": [], "usage": {"input": "many", "cost": []}, "timestamp": "soon"}),
    end({"role": "assistant", "content": [{"type": "toolCall", "id": 5, "name": None, "arguments": "raw"}]}),
    end({"role": "assistant", "content": [], "timestamp": 1e300}),
    end({"role": "toolResult"}),
    event("message_update", assistantMessageEvent={"type": "text_delta", "contentIndex": -1, "delta": 4}),
    event("message_update"),
    event("tool_execution_start"),
    event("tool_execution_end", toolCallId=7, result=[]),
    event("compaction_end", result="x", reason=4),
    event("agent_end", messages={"role": "assistant"}),
    event("auto_retry_start"),
    event("ng_pi_outcome"),
    event("response", data=[]),
    {"type": 7},
    {},
    {"type": "from_the_future", "text": "kept"},
]


@pytest.mark.parametrize("odd", HOSTILE, ids=range(len(HOSTILE)))
def test_odd_events_hide_nothing_else(odd: Event, tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(assistant(text("before"))), odd, end(assistant(text("after")))))
    assert {"before", "after"} <= set(answers(rollout))
    assert rollout.final_answer.text == "after"


def test_unknown_events_and_blocks_are_kept(tmp_path: Path) -> None:
    future = event("from_the_future", text="kept")
    block = {"type": "hologram", "text": "also kept"}
    rollout = read_log(tmp_path, run(future, end(assistant(block, text("4")))))
    assert rollout.root is not None
    assert future in [dict(part.data) for part in rollout.root.parts]
    assert block in [dict(part.data) for part in rollout.root.parts]
    assert rollout.root.turns[0].extra["other_blocks"] == ["hologram: also kept"]


def test_the_stored_lens_holds_each_message_verbatim(tmp_path: Path) -> None:
    message = end(assistant(thinking("hm"), text("4")))
    rollout = read_log(tmp_path, run(message))
    assert rollout.root is not None
    parts = [part for part in rollout.root.parts if part.message_id == "L5"]
    assert [dict(part.data) for part in parts[1:]] == message["message"]["content"]
    assert parts[0].data["message"] == {key: value for key, value in message["message"].items() if key != "content"}


def test_an_empty_file_gives_no_rollout(tmp_path: Path) -> None:
    path = tmp_path / "stdout.jsonl"
    path.write_bytes(b"\n\n")
    artifact = pi_events.READER.open(path, "stdout.jsonl", ReadOptions())
    assert list(artifact.rollouts()) == []
    path.write_bytes(b"not an event\n")
    assert list(artifact.rollouts()) == []
    assert [d.code for d in artifact.diagnostics()] == ["record-unreadable"]


SNIFFED: list[tuple[list[Any], Confidence, Confidence]] = [
    (run(), Confidence.CERTAIN, Confidence.NO),
    ([[1.5, one] for one in run()], Confidence.CERTAIN, Confidence.NO),
    ([{"id": "r0", "type": "response", "command": "prompt", "success": True}], Confidence.LIKELY, Confidence.NO),
    ([outcome_line(True)], Confidence.LIKELY, Confidence.NO),
    ([header(), entry("a", None, "model_change")], Confidence.NO, Confidence.CERTAIN),
    ([entry("a", None, message=user())], Confidence.NO, Confidence.LIKELY),
    ([{"id": "r0", "type": "prompt", "message": "first"}], Confidence.NO, Confidence.NO),
    ([{"type": "step_start", "timestamp": 1, "sessionID": "ses_1", "part": {}}], Confidence.NO, Confidence.NO),
    ([{"response": {"output": []}, "reward": 1.0}], Confidence.NO, Confidence.NO),
]


@pytest.mark.parametrize(("records", "events", "session"), SNIFFED)
def test_sniffing(records: list[Any], events: Confidence, session: Confidence, tmp_path: Path) -> None:
    head = lines_of(records)
    path = tmp_path / "a.jsonl"
    assert (pi_events.READER.sniff(path, head), pi_session.READER.sniff(path, head)) == (events, session)


def test_a_header_alone_is_told_apart_by_name() -> None:
    head = lines_of([header()])
    session = Path(f"2026-11-30T15-06-00-000Z_{SESSION}.jsonl")
    assert pi_session.READER.sniff(session, head) > pi_events.READER.sniff(session, head)
    log = Path("stdout.jsonl")
    assert pi_events.READER.sniff(log, head) > pi_session.READER.sniff(log, head)
