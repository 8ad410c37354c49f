"""The OpenCode database reader: formats 1.1 to 1.6, the reader table of CONTRACT's first issue."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from tests.loaders.opencode_data import (
    OLD_SCHEMA,
    SCHEMA,
    STEP,
    STEP_END,
    TURNED_SCHEMA,
    Session,
    text,
    tool,
    write_database,
)

from rollout_loaders.errors import ReadError
from rollout_loaders.formats.opencode_sqlite import READER
from rollout_loaders.model import Diagnostic, Rollout
from rollout_loaders.reader import Confidence, ReadOptions
from rollout_views import transcript

PLAIN = ReadOptions()


def read(path: Path, options: ReadOptions = PLAIN) -> tuple[list[Rollout], tuple[Diagnostic, ...]]:
    artifact = READER.open(path, "shown.db", options)
    rollouts = list(artifact.rollouts())
    return rollouts, artifact.diagnostics()


def codes(found: tuple[Diagnostic, ...]) -> list[str]:
    return [one.code for one in found]


def plain(answer: str = "4", session_id: str = "ses_root", **columns: object) -> Session:
    session = Session(session_id, columns=dict(columns))
    session.user()
    session.assistant(STEP, text(answer), STEP_END)
    return session


def test_everything_may_lie_in_the_wal_and_the_source_stays_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "store"
    source.mkdir()
    path = write_database(source / "opencode.db", plain("<think>r</think>4"), wal=True)
    assert path.stat().st_size <= 4096
    names = sorted(path.name for path in source.iterdir())
    times = {name: (source / name).stat().st_mtime_ns for name in names}
    before = {name: (source / name).read_bytes() for name in names}
    (rollout,), diagnostics = read(path)
    assert rollout.final_answer.text == "4"
    assert diagnostics == ()
    assert sorted(path.name for path in source.iterdir()) == names == ["opencode.db", "opencode.db-wal"]
    assert {name: (source / name).read_bytes() for name in names} == before
    assert {name: (source / name).stat().st_mtime_ns for name in names} == times


def test_a_database_without_its_wal_is_empty_and_says_why(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", plain(), wal=True)
    Path(f"{path}-wal").unlink()
    rollouts, diagnostics = read(path)
    assert rollouts == []
    assert codes(diagnostics) == ["wal-missing"]
    assert "opencode.db-wal is missing" in diagnostics[0].message


def test_an_empty_wal_is_said_too(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", plain(), wal=True)
    Path(f"{path}-wal").write_bytes(b"")
    assert codes(read(path)[1]) == ["wal-missing"]


def test_what_is_no_opencode_database(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    sqlite3.connect(other).execute("CREATE TABLE t (a)").connection.close()
    with pytest.raises(ReadError, match="without OpenCode's tables"):
        read(other)
    rubbish = tmp_path / "rubbish.db"
    rubbish.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    with pytest.raises(ReadError, match="SQLite"):
        read(rubbish)
    words = tmp_path / "words.db"
    words.write_text("no database")
    with pytest.raises(ReadError, match="no SQLite database"):
        READER.open(words, "words.db", ReadOptions())


def test_sniffing_goes_by_content(tmp_path: Path) -> None:
    assert READER.sniff(tmp_path / "x", b"SQLite format 3\x00") is Confidence.LIKELY
    assert READER.sniff(tmp_path / "opencode.db", b"SQLite format 3\x00") is Confidence.CERTAIN
    assert READER.sniff(tmp_path / "opencode.db", b"{}") is Confidence.NO


@pytest.mark.parametrize("schema", [SCHEMA, OLD_SCHEMA])
def test_columns_go_by_name(tmp_path: Path, schema: str) -> None:
    """formats 1.10: older releases have fewer columns, upgraded databases another order."""
    (rollout,), _ = read(write_database(tmp_path / "a.db", plain(), schema=schema))
    assert (rollout.id, rollout.final_answer.text, rollout.harness.version) == ("ses_root", "4", "1.18.33")


def test_column_order_of_an_upgraded_database(tmp_path: Path) -> None:
    (rollout,), _ = read(write_database(tmp_path / "a.db", plain(), schema=TURNED_SCHEMA))
    assert rollout.final_answer.text == "4"


def test_several_roots_are_rollouts_by_time_and_the_whole_store_is_another_reading(tmp_path: Path) -> None:
    late, early = plain("late", "ses_a"), plain("early", "ses_b")
    late.time, early.time = 2000, 1000
    for message in late.messages:
        message.parts = [(part_id, time + 5000, data) for part_id, time, data in message.parts]
    rollouts, _ = read(write_database(tmp_path / "a.db", late, early))
    assert [rollout.id for rollout in rollouts] == ["ses_b", "ses_a"]
    assert [rollout.scored.final_text for rollout in rollouts] == ["early", "late"]
    for rollout in rollouts:
        (whole,) = [other for other in rollout.scored.others if "whole" in other.reading]
        assert (whole.final_text, whole.place.invocation, whole.place.turn) == ("late", "ses_a", 1)
        assert "2 root sessions" in whole.because


def test_one_root_has_no_reading_of_the_whole_store(tmp_path: Path) -> None:
    (rollout,), _ = read(write_database(tmp_path / "a.db", plain()))
    assert rollout.scored.others == ()


def family(tmp_path: Path) -> Path:
    root, child, grandchild = Session("ses_z"), Session("ses_y", "ses_z", 1500), Session("ses_x", "ses_y", 1400)
    root.user()
    root.assistant(tool("call_1", "task", metadata={"sessionId": "ses_y"}), finish="tool-calls")
    root.assistant(text("root done"))
    child.clock, grandchild.clock = 5000, 6000
    child.user("sub")
    child.assistant(tool("call_2", "task", metadata={"sessionId": "ses_x"}), finish="tool-calls")
    child.assistant(text("child says"), error={"name": "APIError", "data": {"message": "boom", "statusCode": 503}})
    grandchild.assistant(text("grandchild says"))
    return write_database(tmp_path / "a.db", root, child, grandchild)


def test_descendants_are_invocations_root_first_then_by_time(tmp_path: Path) -> None:
    (rollout,), _ = read(family(tmp_path))
    assert [(i.id, i.parent_id, i.spawned_by) for i in rollout.invocations] == [
        ("ses_z", None, None),
        ("ses_x", "ses_y", "call_2"),
        ("ses_y", "ses_z", "call_1"),
    ]
    assert rollout.invocations[0].turns[0].tool_calls[0].child == "ses_y"
    assert [i.status for i in rollout.invocations] == ["completed", "completed", "failed"]
    assert rollout.final_answer.text == "root done"


def test_a_subagents_later_text_is_the_host_responses_final_text(tmp_path: Path) -> None:
    (rollout,), _ = read(family(tmp_path))
    assert rollout.scored.reading == "host-response"
    assert rollout.scored.final_text == "grandchild says"
    assert (rollout.scored.origin.invocation, rollout.scored.origin.turn) == ("ses_x", 1)
    assert [(o.reading, o.final_text) for o in rollout.scored.others] == [("session-output", "root done")]


def test_in_a_session_folder_a_store_is_read_as_session_output(tmp_path: Path) -> None:
    (rollout,), _ = read(family(tmp_path), ReadOptions(session_folder=True))
    assert (rollout.scored.reading, rollout.scored.final_text) == ("session-output", "root done")
    assert rollout.evidence.session_output


def test_a_session_is_found_by_its_own_or_a_subagents_id(tmp_path: Path) -> None:
    artifact = READER.open(family(tmp_path), "a.db", ReadOptions())
    for session_id in ("ses_z", "ses_x"):
        found = artifact.find(session_id)
        assert found is not None
        assert found.id == "ses_z"
    assert artifact.find("ses_nobody") is None
    (summary,) = artifact.summaries()
    assert (summary.id, summary.turns, summary.tool_calls) == ("ses_z", 2, 2)


def test_a_child_without_its_parent_and_a_ring_of_parents_are_still_shown(tmp_path: Path) -> None:
    lost, ring_a, ring_b = plain("lost", "ses_1"), plain("a", "ses_2"), plain("b", "ses_3")
    lost.parent, ring_a.parent, ring_b.parent = "ses_gone", "ses_3", "ses_2"
    rollouts, _ = read(write_database(tmp_path / "a.db", lost, ring_a, ring_b))
    assert [[i.id for i in rollout.invocations] for rollout in rollouts] == [["ses_1"], ["ses_2", "ses_3"]]
    assert ("subagent_parent_unavailable", "ses_gone") in [(gap.code, gap.detail) for gap in rollouts[0].gaps]


def test_the_gate_goes_by_provider_and_can_be_forced(tmp_path: Path) -> None:
    for provider, on in (("nemo", True), ("nemo_gym", False), ("openai", False), (None, False)):
        session = Session()
        session.assistant(text("<think>r</think>4"), providerID=provider)
        path = write_database(tmp_path / f"{provider}.db", session)
        (rollout,), _ = read(path)
        assert (rollout.route.gym_reasoning, rollout.route.forced) == (on, False)
        assert rollout.final_answer.text == ("4" if on else "<think>r</think>4")
        (forced,), _ = read(path, ReadOptions(gym_reasoning=not on))
        assert (forced.route.gym_reasoning, forced.route.forced) == (not on, True)
        assert forced.scored.final_text == ("<think>r</think>4" if on else "4")
    assert "a run before the split was scored on the whole text" in read(tmp_path / "nemo.db")[0][0].route.because


def test_the_provider_of_a_session_without_a_reply_is_the_one_that_was_asked(tmp_path: Path) -> None:
    asked = Session()
    asked.user(model={"providerID": "nemo", "modelID": "lab"})
    (rollout,), _ = read(write_database(tmp_path / "a.db", asked))
    assert rollout.route.gym_reasoning
    columns = {"model": json.dumps({"id": "lab", "providerID": "nemo"})}
    (rollout,), _ = read(write_database(tmp_path / "b.db", Session(columns=columns)))
    assert (rollout.route.gym_reasoning, rollout.harness.model) == (True, "lab")


def test_the_sessions_own_row_is_in_the_stored_lens(tmp_path: Path) -> None:
    """A title is text that the model may have written; where the run worked is what a reviewer asks next."""
    columns = {"title": "A title", "agent": "build", "model": json.dumps({"id": "lab", "providerID": "nemo"})}
    session = Session(columns=columns)
    session.user()
    (rollout,), _ = read(write_database(tmp_path / "a.db", session))
    first = rollout.invocations[0].parts[0]
    assert (first.type, first.locator) == ("session", "session:ses_root")
    assert {"title": "A title", "agent": "build", "model": "lab", "version": "1.18.33"}.items() <= first.data.items()
    assert any("A title" in block.body for block in transcript.blocks(rollout, "stored"))


def test_every_part_is_in_the_stored_lens_verbatim_also_reverted_ones(tmp_path: Path) -> None:
    session = Session(columns={"revert": json.dumps({"messageID": "msg_root_0002"})})
    session.user()
    session.assistant(text("<think>r</think>4"), {"type": "hologram", "x": [1]})
    session.user("again")
    session.assistant(text("5"), error={"name": "APIError", "data": {"message": "boom"}})
    (rollout,), _ = read(write_database(tmp_path / "a.db", session))
    parts = rollout.invocations[0].parts
    assert [part.type for part in parts] == [
        "session",
        "message",
        "text",
        "message",
        "text",
        "hologram",
        "message",
        "text",
        "message",
        "text",
    ]
    assert parts[4].data == {"type": "text", "text": "<think>r</think>4"}
    assert (parts[4].locator, parts[4].turn, parts[4].role) == ("part:prt_root_0001_00", 1, "assistant")
    assert "boom" in json.dumps(parts[8].data)
    assert [turn.reverted for turn in rollout.invocations[0].turns] == [False, True]
    assert rollout.final_answer.text == "5"
    assert not rollout.final_answer.stands


def test_damaged_records_cost_themselves(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.db", plain("4"))
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO part VALUES ('prt_bad', 'msg_root_0000', 'ses_root', 9, 9, '{\"type\": \"te')")
    connection.execute("INSERT INTO part VALUES ('prt_list', 'msg_root_0000', 'ses_root', 9, 9, '[1]')")
    connection.execute("INSERT INTO part VALUES ('prt_lost', 'msg_gone', 'ses_root', 9, 9, '{\"type\": \"text\"}')")
    connection.execute("INSERT INTO message VALUES ('msg_null', 'ses_root', 5, 5, NULL)")
    connection.commit()
    connection.close()
    (rollout,), _ = read(path)
    assert rollout.final_answer.text == "4"
    assert codes(rollout.diagnostics) == ["record-unreadable"] * 3 + ["part-without-message"]
    assert {d.locator for d in rollout.diagnostics[:3]} == {"part:prt_bad", "part:prt_list", "message:msg_null"}
    raw = [part.data for part in rollout.invocations[0].parts if part.id == "prt_bad"]
    assert raw == [{"raw": '{"type": "te'}]
    assert [part.id for part in rollout.invocations[0].parts][-1] == "prt_lost"
    assert ("agent_artifact_record_unowned", "prt_lost") in [(gap.code, gap.detail) for gap in rollout.gaps]


def test_a_damaged_last_message_promotes_no_earlier_answer(tmp_path: Path) -> None:
    session = plain("EARLIER")
    session.assistant(STEP, text("lost"))
    path = write_database(tmp_path / "a.db", session)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE message SET data = '{' WHERE id = ?", (session.messages[-1].id,))
    connection.commit()
    connection.close()
    (rollout,), _ = read(path)
    assert (rollout.final_answer.text, rollout.final_answer.turn, rollout.final_answer.stands) == ("lost", 2, False)
    assert rollout.evidence.last_message is not None
    assert rollout.evidence.last_message["unreadable"] is True


def test_a_damaged_part_of_the_last_turn_leaves_the_answer_in_doubt(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.db", plain("4"))
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO part VALUES ('prt_x', 'msg_root_0001', 'ses_root', 9999, 9, 'torn')")
    connection.commit()
    connection.close()
    (rollout,), _ = read(path)
    assert not rollout.final_answer.stands
    assert "damaged" in (rollout.final_answer.because or "")


def test_rows_around_damaged_pages_are_read(tmp_path: Path) -> None:
    session = Session()
    for number in range(60):
        session.assistant(text(f"answer {number} " + "x" * 900), finish="tool-calls")
    path = write_database(tmp_path / "a.db", session)
    damaged = damage_a_page_with(path, b"answer 30 ")
    assert damaged
    (rollout,), diagnostics = read(path)
    texts = [turn.answer_text for turn in rollout.invocations[0].turns if turn.answer_text]
    assert len(rollout.invocations[0].turns) == 60
    assert any(text.startswith("answer 0 ") for text in texts)
    assert any(text.startswith("answer 59 ") for text in texts)
    assert not any(text.startswith("answer 30 ") for text in texts)
    assert len(texts) > 50
    assert "database-damaged" in codes(diagnostics)
    assert not rollout.final_answer.stands


def damage_a_page_with(path: Path, needle: bytes) -> bool:
    content = bytearray(path.read_bytes())
    page = content.find(needle) // 4096
    content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(bytes(content))
    return page > 0


def test_messages_of_a_session_without_a_row_are_shown(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.db", plain("4"))
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM session")
    connection.commit()
    connection.close()
    (rollout,), diagnostics = read(path)
    assert rollout.final_answer.text == "4"
    assert codes(diagnostics) == ["session-row-missing"]


def test_rows_of_the_second_store_are_counted_and_named(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.db", plain())
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE session_message (id, session_id, type, data)")
    connection.execute("CREATE TABLE session_v2 (id)")
    for kind in ("model-switched", "agent-switched", "agent-switched"):
        connection.execute("INSERT INTO session_message VALUES ('x', 'ses_root', ?, '{}')", (kind,))
    connection.commit()
    connection.close()
    (rollout,), diagnostics = read(path)
    assert codes(diagnostics) == ["v2-rows"]
    assert "session_message holds 3 rows" in diagnostics[0].message
    assert "2 agent-switched, 1 model-switched" in diagnostics[0].message
    assert rollout.final_answer.text == "4"


def test_todo_rows_and_the_prompt_as_stored(tmp_path: Path) -> None:
    session = Session()
    session.user('"What is 2+2?"\n')
    path = write_database(tmp_path / "a.db", session)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO todo VALUES ('ses_root', 'second', 'pending', 'low', 1)")
    connection.execute("INSERT INTO todo VALUES ('ses_root', 'first', 'done', 'high', 0)")
    connection.commit()
    connection.close()
    (rollout,), _ = read(path)
    assert rollout.task.prompt == '"What is 2+2?"\n'
    assert rollout.invocations[0].extra["todo"] == (
        {"content": "first", "status": "done", "priority": "high"},
        {"content": "second", "status": "pending", "priority": "low"},
    )


def test_tool_parts_keep_what_the_harness_says_of_them(tmp_path: Path) -> None:
    """formats 1.5: exit codes, running calls, pruned outputs, attachments, aborted calls."""
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QUJD"}
    session = Session()
    session.assistant(
        tool("c1", metadata={"exit": 3, "truncated": True, "outputPath": "tool-output/x"}),
        tool("c2", status="running", output=None, metadata={"output": "so far"}, time={"start": 7}),
        tool("c3", time={"start": 1, "end": 2, "compacted": 9}, attachments=[image]),
        tool("c4", status="error", output=None, error="Tool execution aborted", metadata={"interrupted": True}),
        tool("c5", output="<shell_metadata>\nUser aborted the command\n</shell_metadata>", metadata={"exit": None}),
        finish="tool-calls",
    )
    (rollout,), _ = read(write_database(tmp_path / "a.db", session))
    one, two, three, four, five = rollout.invocations[0].turns[0].tool_calls
    assert (one.exit_code, one.status, one.extra["output_path"]) == (3, "completed", "tool-output/x")
    assert (two.status, two.output, two.interrupted, two.extra["partial_output"]) == (
        "incomplete",
        None,
        True,
        "so far",
    )
    assert (three.pruned, three.output, three.attachments) == (True, "a.txt", ("image/png, 3 bytes (base64)",))
    assert (four.status, four.error, four.interrupted) == ("failed", "Tool execution aborted", True)
    assert (five.status, five.interrupted) == ("completed", True)


def test_a_lone_surrogate_and_odd_values_do_not_stop_the_reading(tmp_path: Path) -> None:
    session = Session()
    session.add("user", [{"type": "text", "text": 5}, {"text": "no type"}, {"type": "file", "mime": None, "url": 7}])
    session.assistant(text("a\ud83d"), {"type": "tool"}, time={"created": "soon"}, error="plain words", tokens=[1])
    (rollout,), _ = read(write_database(tmp_path / "a.db", session))
    (turn,) = rollout.invocations[0].turns
    assert turn.answer_text == "a\ud83d"
    assert turn.error is not None
    assert turn.error.message == "plain words"
    assert "lone-surrogate" in codes(rollout.diagnostics)
    assert rollout.usage.input is None
