"""The JSON-file store of 1.1.x: formats 1.10."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loaders.opencode_data import Session, text, tool, write_storage

from rollout_loaders.errors import ReadError
from rollout_loaders.formats.opencode_storage import READER
from rollout_loaders.reader import Confidence, ReadOptions


def sessions() -> tuple[Session, Session, Session]:
    root, child, second = Session("ses_1"), Session("ses_2", "ses_1", 1500), Session("ses_3", None, 3000)
    root.user('"What is 2+2?"\n')
    root.assistant(tool("call_1", "task", metadata={"sessionId": "ses_2"}), finish="tool-calls")
    root.assistant(text("<think>r</think>4"))
    child.assistant(text("from the child"))
    second.assistant(text("second"))
    return root, child, second


def test_sessions_children_and_answers(tmp_path: Path) -> None:
    write_storage(tmp_path / "storage", *sessions())
    artifact = READER.open(tmp_path / "storage", "storage", ReadOptions())
    first, second = artifact.rollouts()
    assert [i.id for i in first.invocations] == ["ses_1", "ses_2"]
    assert first.invocations[1].spawned_by == "call_1"
    assert (first.final_answer.text, second.final_answer.text) == ("4", "second")
    assert first.source.path == "storage"
    assert artifact.diagnostics() == ()


def test_parts_are_ordered_by_id_over_all_sessions(tmp_path: Path) -> None:
    """CONTRACT 4.8: parts of a JSON store carry no row time."""
    root, child = Session("ses_1"), Session("ses_2", "ses_1")
    root.assistant(text("root"), message_id="msg_5")
    child.assistant(text("child"), message_id="msg_9")
    write_storage(tmp_path / "storage", root, child)
    (rollout,) = READER.open(tmp_path / "storage", "storage", ReadOptions()).rollouts()
    assert [item.text for item in rollout.scored.items] == ["root", "child"]
    assert [(o.reading, o.final_text) for o in rollout.scored.others] == [("session-output", "root")]


def test_a_data_folder_is_its_storage(tmp_path: Path) -> None:
    write_storage(tmp_path / "data" / "storage", *sessions())
    assert READER.sniff(tmp_path / "data", b"") is Confidence.CERTAIN
    assert READER.open(tmp_path / "data", "data", ReadOptions()).path == "data/storage"


def test_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "storage" / "session_diff").mkdir(parents=True)
    assert READER.sniff(tmp_path, b"") is Confidence.NO
    assert READER.sniff(tmp_path / "nothing", b"") is Confidence.NO
    with pytest.raises(ReadError):
        READER.open(tmp_path, "x", ReadOptions())


def test_damaged_files_cost_themselves(tmp_path: Path) -> None:
    root = tmp_path / "storage"
    write_storage(root, *sessions())
    (root / "session" / "global" / "ses_3.json").write_text("{")
    (root / "part" / "msg_1_0002" / "prt_1_0002_99.json").write_text("{")
    (root / "part" / "msg_gone").mkdir()
    lost = '{"id": "prt_lost", "sessionID": "ses_1", "type": "text", "text": "lost"}'
    (root / "part" / "msg_gone" / "prt_lost.json").write_text(lost)
    artifact = READER.open(root, "storage", ReadOptions())
    rollouts = {rollout.id: rollout for rollout in artifact.rollouts()}
    assert rollouts["ses_3"].final_answer.text == "second"
    assert [d.code for d in artifact.diagnostics()] == ["record-unreadable"]
    first = rollouts["ses_1"]
    assert sorted(d.code for d in first.diagnostics) == ["part-without-message", "record-unreadable"]
    assert (first.final_answer.text, first.final_answer.stands) == ("4", False)
    assert first.invocations[0].parts[-1].id == "prt_lost"


def test_messages_of_a_session_without_a_file(tmp_path: Path) -> None:
    root = tmp_path / "storage"
    write_storage(root, *sessions())
    (root / "session" / "global" / "ses_1.json").unlink()
    artifact = READER.open(root, "storage", ReadOptions())
    assert {rollout.id for rollout in artifact.rollouts()} == {"ses_1", "ses_3"}
    assert [d.code for d in artifact.diagnostics()] == ["session-row-missing"]
    found = artifact.find("ses_1")
    assert found is not None
    assert found.final_answer.text == "4"
