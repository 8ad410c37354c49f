"""Each defect that fuzzing found, as a small input that names it."""

from __future__ import annotations

import json
import sqlite3
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from rollout_loaders import jsondecode, source
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document
from rollout_loaders.locator import format_place, parse
from rollout_loaders.model import JsonObject, Rollout, SourceRef, StoredPart
from rollout_views.plain_text import text
from rollout_views.transcript import blocks
from tests import factories
from tests.hostile.large_inputs import pi_turns
from tests.loaders.session_folders import SESSION, write_database


def read_rows(folder: Path, *rows: Any) -> list[Rollout]:
    """The rollouts of a Gym file with these rows; a reader or rule that fails is an error here."""
    path = folder / "rollouts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return read(path)


def read(path: Path) -> list[Rollout]:
    """The rollouts at a path; a reader or rule that fails is an error here."""
    with open_paths([str(path)]) as collection:
        rollouts = list(collection.rollouts())
        said = [*collection.diagnostics, *(d for rollout in rollouts for d in rollout.diagnostics)]
    assert [d for d in said if d.code in ("reader-failed", "rules-failed")] == []
    return rollouts


def row(*output: Any, **fields: Any) -> dict[str, Any]:
    """A Gym row whose response has this output."""
    return {"_ng_task_index": 0, "_ng_rollout_index": 0, "reward": 1.0, "response": {"output": list(output)}, **fields}


def message(*content: Any, **fields: Any) -> dict[str, Any]:
    """An assistant message item."""
    return {"type": "message", "role": "assistant", "content": list(content), **fields}


def test_a_block_whose_type_is_a_list_is_no_text(tmp_path: Path) -> None:
    (rollout,) = read_rows(tmp_path, row(message({"type": ["output_text"], "text": "4"})))
    assert rollout.scored.final_text == ""


def test_a_token_count_beyond_64_bits_is_unknown(tmp_path: Path) -> None:
    usage = {"input_tokens": 10**30, "output_tokens": 5, "total_tokens": 10**400}
    given = row(message({"type": "output_text", "text": "4"}))
    given["response"]["usage"] = usage
    (rollout,) = read_rows(tmp_path, given)
    assert (rollout.usage.input, rollout.usage.output) == (None, 5)


def test_a_list_takes_the_same_numbers_for_unknown(tmp_path: Path) -> None:
    given = row(message({"type": "output_text", "text": "4"}), _ng_attempt_index=2**63)
    given["response"]["usage"] = {"input_tokens": 2**63, "output_tokens": 2**63 - 1}
    (rollout,) = read_rows(tmp_path, given)
    with open_paths([str(tmp_path)]) as collection:
        (listed,) = collection.summaries()
    assert (listed.usage.input, listed.usage.output) == (rollout.usage.input, rollout.usage.output) == (None, 2**63 - 1)
    assert listed.task.attempt is rollout.task.attempt is None


def test_the_scored_lens_draws_a_block_whose_type_is_an_object(tmp_path: Path) -> None:
    (rollout,) = read_rows(tmp_path, row(message({"type": {"x": 1}, "text": "odd words"})))
    assert "odd words" in text(blocks(rollout, "scored"))


def test_no_field_of_a_stored_text_part_hides_behind_another() -> None:
    data: JsonObject = {
        "type": "text",
        "id": {"not": "an id"},
        "text": ["no string"],
        "thinking": "shown",
        "messageID": "other",
    }
    pieces = (
        StoredPart("prt_1", "msg_1", "text", data),
        StoredPart("prt_2", "msg_1", "text", {"text": "first", "thinking": "second"}),
        StoredPart("prt_3", "msg_1", "tool", {"tool": "bash", "text": "beside", "state": {"status": "x"}}),
        StoredPart("prt_4", "msg_1", "toolCall", {"name": "bash", "thinking": "within", "arguments": {}}),
    )
    rollout = factories.rollout(invocations=(factories.invocation(parts=pieces),))
    shown = text(blocks(rollout, "stored"))
    for words in ("an id", "no string", "shown", "other", "first", "second", "beside", "within"):
        assert words in shown


def test_reading_a_small_document_takes_little_room(tmp_path: Path) -> None:
    """`read(n)` takes room for n bytes at once."""
    path = tmp_path / "small.json"
    path.write_text("{}")
    tracemalloc.start()
    source.read_whole(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("name", ["@#" * 400_000, "#" * 100_000, "@turn:1" * 50_000, "%" * 300_000], ids="abcd")
def test_a_very_long_id_is_a_place_in_no_time(name: str, tmp_path: Path) -> None:
    rollout = factories.rollout(id=name, source=SourceRef(str(tmp_path / "a.jsonl"), "gym-rollouts"))
    start = time.process_time()
    place = [format_place(rollout) for _ in range(5)][-1]
    found = parse(place, exists=lambda path: path == rollout.source.path)
    assert (found.path, found.rollout) == (rollout.source.path, name)
    parse(name)
    assert time.process_time() - start < 3


@pytest.mark.parametrize("raw", [b'{"a": "\xff\xfe\xfd" x', b'{"a": "\xed\xa0\x80" x', '{"a": "é" x'.encode()])
def test_the_byte_at_which_json_breaks_off_is_a_byte_of_the_file(raw: bytes) -> None:
    with pytest.raises(jsondecode.BadJson) as caught:
        jsondecode.decode(raw)
    assert raw[caught.value.offset :] == b"x"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "1e300", "9" * 5000, "-1e999", "true", '"5"'])
def test_a_duration_of_pi_that_is_no_number_is_unknown(number: str, tmp_path: Path) -> None:
    path = pi_turns(tmp_path, 4)
    end = '{"type":"tool_execution_end","toolCallId":"c","durationMs":%s,"result":{"content":[]},"isError":false}'
    lines = path.read_text("utf-8").splitlines()
    lines[3:3] = [end % number, f"[{number}, {lines[3]}]"]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    (rollout,) = read(path)
    calls = [call for turn in rollout.invocations[0].turns for call in turn.tool_calls]
    assert {call.duration_ms for call in calls} == {None}


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "..", ".", "../../../outside", "x" * 300])
def test_a_session_id_that_is_no_file_name_leads_nowhere(name: str, tmp_path: Path) -> None:
    """It broke the reader, or led to files outside the store."""
    root = tmp_path / "store" / "storage"
    for place in (root / "session" / "p", root / "message" / "ses_1", root / "todo", tmp_path / "outside"):
        place.mkdir(parents=True, exist_ok=True)
    (root / "session" / "p" / "ses_1.json").write_text(json.dumps({"id": name, "projectID": "p"}), "utf-8")
    foreign = json.dumps({"id": "m", "role": "user", "error": "a secret of another folder"})
    for place in (tmp_path / "outside", root, root / "message", tmp_path):
        (place / "other.json").write_text(foreign, "utf-8")
    for rollout in read(root):
        assert b"a secret" not in jsondecode.encode(document(rollout, items=True, parts=True))


def test_a_long_name_left_no_room_for_that_of_a_file_beside_it(tmp_path: Path) -> None:
    """`<stem>_failures.jsonl` is a name that no file can have; asking for it broke the tool."""
    path = tmp_path / f"{'r' * 244}.jsonl"
    path.write_text(json.dumps({"responses_create_params": {}, "response": {}, "reward": 1}) + "\n", "utf-8")
    assert [rollout.grading.reward for rollout in read(path)] == [1]


def test_a_file_and_its_folder_gave_rollouts_of_different_formats(tmp_path: Path) -> None:
    """Two readers were as sure of a file with records of both, and were asked in another order."""
    path = tmp_path / "rollouts.jsonl"
    row: Any = {"responses_create_params": {}, "response": {"output": []}, "reward": 1}
    event: Any = [1796051162.69, {"type": "message_start", "message": {"role": "user", "content": "2+2?"}}]
    path.write_text("".join(json.dumps(record) + "\n" for record in (row, event, row)), "utf-8")
    listed = [[format_place(one) for one in open_paths([str(named)]).summaries()] for named in (path, tmp_path)]
    assert listed[0] == listed[1] != []
    for place in listed[0]:
        with open_paths([place]) as collection:
            assert [format_place(one) for one in collection.rollouts()] == [place]


def test_a_database_without_its_tables_gave_nothing_and_said_nothing(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)))
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE session RENAME TO session_old")
        connection.execute("ALTER TABLE message RENAME TO message_old")
    with open_paths([str(path)]) as collection:
        assert list(collection.rollouts()) == []
        assert [(one.code, "no table session, message," in one.message) for one in collection.diagnostics] == [
            ("table-missing", True)
        ]


def test_the_place_of_a_session_without_an_id_was_not_accepted(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", ("", None, ("4",)), (SESSION, None, ("5",)))
    with open_paths([str(path)]) as collection:
        listed = {summary.id: format_place(summary) for summary in collection.summaries()}
    assert listed[""] == f"{path}#"
    for ident, answer in (("", "4"), (SESSION, "5")):
        with open_paths([listed[ident]]) as collection:
            (rollout,) = collection.rollouts()
            assert (rollout.id, rollout.final_answer.text) == (ident, answer)
            assert collection.load(next(collection.summaries())).id == ident
