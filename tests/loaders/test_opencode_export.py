"""The export reader: formats 1.8, whole, with text before it, and cut off anywhere."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.loaders.opencode_data import STEP, STEP_END, Session, export, text, tool, write_export

from rollout_loaders.errors import ReadError
from rollout_loaders.evidence.outcome_opencode import outcome
from rollout_loaders.formats import opencode_scan
from rollout_loaders.formats.opencode_export import READER
from rollout_loaders.model import Rollout
from rollout_loaders.reader import Confidence, ReadOptions


def conversation() -> Session:
    session = Session()
    session.user()
    session.assistant(STEP, text("<think>r</think>"), tool("c1"), STEP_END, finish="tool-calls")
    session.assistant(STEP, text("<think>r</think>\n\n4"), STEP_END)
    return session


def read(path: Path) -> Rollout:
    artifact = READER.open(path, "export.json", ReadOptions())
    (rollout,) = artifact.rollouts()
    assert artifact.find(rollout.id) == rollout
    return rollout


def test_an_export_is_read_as_session_output(tmp_path: Path) -> None:
    rollout = read(write_export(tmp_path / "e.json", conversation()))
    assert (rollout.id, rollout.source.format, rollout.source.locator) == ("ses_root", "opencode-export", "ses_root")
    assert (rollout.scored.reading, rollout.scored.final_text) == ("session-output", "4")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("4", True)
    assert [item.type for item in rollout.scored.items] == [
        "reasoning",
        "function_call",
        "function_call_output",
        "reasoning",
        "message",
    ]
    assert rollout.diagnostics == ()
    assert outcome(rollout).status == "completed"


def test_a_blank_text_part_ends_session_output_in_an_empty_message(tmp_path: Path) -> None:
    """CONTRACT 3: the host response leaves it out, so the two readings end in different text."""
    session = conversation()
    session.assistant(STEP, text(""), finish=..., time={"created": 9999})
    rollout = read(write_export(tmp_path / "e.json", session))
    assert rollout.scored.final_text == ""
    assert [(o.reading, o.final_text) for o in rollout.scored.others] == [("host-response", "4")]
    assert (rollout.final_answer.text, rollout.final_answer.turn, rollout.final_answer.stands) == ("", 3, False)


@pytest.mark.parametrize(
    "before", ["Exporting session: ses_root\n", "Exporting session: ses_root", "\n\x1b[0mnpm warn\n"]
)
def test_text_before_the_document(tmp_path: Path, before: str) -> None:
    path = write_export(tmp_path / "e.json", conversation(), before)
    assert READER.sniff(path, path.read_bytes()[:65536]) is Confidence.CERTAIN
    assert read(path).final_answer.text == "4"


@pytest.mark.parametrize("indent", [None, 2])
def test_every_whole_record_before_a_cut_is_read(tmp_path: Path, indent: int | None) -> None:
    """At every byte: no crash, nothing invented, a diagnostic with the offset, no earlier answer taken for final."""
    document = export(conversation())
    raw = json.dumps(document, indent=indent).encode()
    whole = [(m["info"]["id"], [p["id"] for p in m["parts"]]) for m in document["messages"]]
    path = tmp_path / "e.json"
    for cut in range(raw.index(b'"messages"') + 20, len(raw) - 1, 7):
        path.write_bytes(raw[:cut])
        rollout = read(path)
        got = stored(rollout)
        assert [name for name, _ in got] == [name for name, _ in whole][: len(got)]
        for (name, parts), (_, all_parts) in zip(got, whole, strict=False):
            assert parts == all_parts[: len(parts)]
            if name != got[-1][0]:
                assert parts == all_parts
        (diagnostic,) = [d for d in rollout.diagnostics if d.code == "artifact-truncated"]
        assert f"byte {cut}" in diagnostic.message
        if b"\n  ]" not in raw[:cut] and not raw[:cut].endswith(b"]"):
            assert not rollout.final_answer.stands
            assert outcome(rollout).status == "unknown"


def stored(rollout: Rollout) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for part in rollout.invocations[0].parts:
        if part.type == "message":
            found.append((part.id, []))
        elif part.type != "session":
            found[-1][1].append(part.id)
    return found


def test_a_cut_after_the_last_message_takes_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_bytes(json.dumps(export(conversation())).encode()[:-1])
    rollout = read(path)
    assert [d.code for d in rollout.diagnostics] == ["artifact-truncated"]
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("4", True)


def test_damage_in_the_middle_costs_one_record(tmp_path: Path) -> None:
    raw = json.dumps(export(conversation()))
    broken = raw.replace('"callID": "c1"', '"callID": c1', 1)
    path = tmp_path / "e.json"
    path.write_text(broken)
    rollout = read(path)
    assert [name for name, _ in stored(rollout)] == ["msg_root_0000", "msg_root_0001", "msg_root_0002"]
    assert [d.code for d in rollout.diagnostics] == ["record-unreadable"]
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("4", True)


def test_a_long_cut_export_is_read_in_linear_time(tmp_path: Path) -> None:
    session = Session()
    for number in range(3000):
        session.assistant(text(f"answer {number} " + "x" * 200), finish="tool-calls")
    raw = json.dumps(export(session)).encode()
    path = tmp_path / "e.json"
    path.write_bytes(raw[: len(raw) - 300])
    assert len(read(path).invocations[0].turns) >= 2999


def test_gyms_own_export_has_no_session_but_usage_of_every_message(tmp_path: Path) -> None:
    """gym-semantics 4.1: `{"messages", "usage_messages"}`, the latter of every session."""
    document = export(conversation())
    infos = [message["info"] for message in document["messages"]]
    document = {"messages": document["messages"], "usage_messages": [*infos, {**infos[-1], "id": "msg_child"}]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(document))
    assert READER.sniff(path, path.read_bytes()) is Confidence.CERTAIN
    rollout = read(path)
    assert rollout.id == "ses_root"
    assert (rollout.usage.input, rollout.usage.output) == (300, 60)


def test_a_childs_export_says_whose_child_it_is(tmp_path: Path) -> None:
    session = conversation()
    session.parent = "ses_parent"
    rollout = read(write_export(tmp_path / "e.json", session))
    assert rollout.invocations[0].parent_id == "ses_parent"


def test_a_link_to_a_child_that_an_export_does_not_hold(tmp_path: Path) -> None:
    session = Session()
    session.assistant(tool("c1", "task", metadata={"sessionId": "ses_child"}))
    (call,) = read(write_export(tmp_path / "e.json", session)).invocations[0].turns[0].tool_calls
    assert (call.child, call.extra["child_not_in_this_artifact"]) == (None, "ses_child")


def test_odd_records(tmp_path: Path) -> None:
    document = export(conversation())
    document["messages"].insert(1, "no message")
    document["messages"][2]["parts"].append(7)
    path = tmp_path / "e.json"
    path.write_text(json.dumps(document) + "\ntrailing words")
    rollout = read(path)
    assert sorted(d.code for d in rollout.diagnostics) == ["record-unreadable", "record-unreadable", "trailing-text"]
    assert rollout.final_answer.text == "4"


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"responses_create_params": {}, "response": {}}', b'{"type": "text", "sessionID": "s"}', b"words"],
)
def test_what_is_no_export(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "e.json"
    path.write_bytes(content)
    assert READER.sniff(path, content) is Confidence.NO


def test_an_unreadable_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    for content in (b"words", b'{"type": "text"}'):
        path.write_bytes(content)
        with pytest.raises(ReadError, match="no OpenCode export"):
            list(READER.open(path, "e.json", ReadOptions()).rollouts())


@pytest.mark.parametrize("window", [17, 64, 1000])
def test_a_damaged_export_reads_the_same_whatever_is_looked_at_at_once(
    window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    session.user('grüße \\ " 😀 -12.5e3 true')
    session.assistant(text("4 " * 40), tool("c", input={"n": 1234567.5, "t": True, "none": None}))
    raw = json.dumps(export(session)).encode()
    damaged = [raw[:cut] for cut in range(0, len(raw), 37)] + [raw.replace(b'"text": "4', b'"text" "4')]

    def read() -> list[object]:
        scanned = [opencode_scan.scan(one) for one in damaged]
        return [one and (one.messages, one.info, one.diagnostics, one.cut, one.extra) for one in scanned]

    whole = read()
    monkeypatch.setattr(opencode_scan, "WINDOW", window)
    assert read() == whole


def test_many_damaged_messages_take_time_by_their_number() -> None:
    def seconds(messages: int) -> float:
        session = Session()
        for _ in range(messages):
            session.assistant(text("w" * 1000))
        raw = json.dumps(export(session)).replace('"type": "text"', '"type": "text" X').encode()
        started = time.process_time()
        found = opencode_scan.scan(raw)
        taken = time.process_time() - started
        assert found is not None
        assert len(found.messages) == messages
        return taken

    few = min(seconds(300) for _ in range(3))
    assert seconds(3_000) < 40 * few + 0.2  # quadratic would be 100 times
