"""Inputs below 1 MB that took seconds to read: what was done once a record, or once for each two, is done once."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import BinaryIO

import pytest

from rollout_loaders import source
from rollout_loaders.collection import open_paths
from rollout_loaders.collection.attempts import MOST
from rollout_loaders.formats import fields, logged_file
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.model import Diagnostic, JsonObject, Rollout
from tests.loaders.opencode_data import Session, write_database

from .test_work import HEADER, growth


def whole(path: Path) -> list[Rollout]:
    with open_paths([str(path)]) as collection:
        return list(collection.rollouts())


def openclaw_chain(folder: Path, many: int) -> Path:
    """Sessions each of which spawned the next, and the index that says so."""
    index: dict[str, JsonObject] = {}
    for n in range(many):
        index[f"k{n}"] = {"sessionId": f"c{n}", **({"spawnedBy": f"k{n - 1}"} if n else {})}
        entry = {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "x"}}
        header = HEADER.replace('"s"', f'"c{n}"').replace('"/"', '"/home/x/.openclaw/workspace"')
        (folder / f"c{n}.jsonl").write_text(header + json.dumps(entry) + "\n", "utf-8")
    (folder / "sessions.json").write_text(json.dumps(index), "utf-8")
    return folder / "c0.jsonl"


def test_sessions_that_spawned_one_another_are_looked_up_and_not_searched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each child looked for its parent among all sessions, for each session again: 1,100 took a minute."""
    asked = [0]
    text = fields.text

    def counted(data: JsonObject, key: str) -> str | None:
        asked[0] += key == "sessionId"
        return text(data, key)

    monkeypatch.setattr(fields, "text", counted)
    (rollout,) = whole(openclaw_chain(tmp_path, 40))
    assert [one.id for one in rollout.invocations] == [f"c{n}" for n in range(40)]
    assert asked[0] < 5 * 40


def test_the_index_of_a_folder_of_sessions_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openclaw_chain(tmp_path, 20)
    read: list[Path] = []

    def counted(path: Path, shown: str, diagnostics: list[Diagnostic]) -> JsonObject:
        read.append(path)
        return logged_file.document(path, shown, diagnostics)

    monkeypatch.setattr("rollout_loaders.formats.openclaw.document", counted)
    (rollout,) = whole(tmp_path)
    assert len(rollout.invocations) == 20
    assert len(read) == 1


def actions(folder: Path, many: int) -> Path:
    """A reply with many actions, and what each of them printed."""
    reply = {"role": "assistant", "content": "x", "extra": {"actions": [1] * many}}
    document = {
        "trajectory_format": "mini-swe-agent-1.1",
        "info": {"exit_status": "Submitted"},
        "messages": [reply, *[{"role": "user", "content": "y"}] * many],
    }
    path = folder / "a.traj.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_actions_of_one_reply_find_their_output_without_a_search(tmp_path: Path) -> None:
    """Each output looked for the first call without one from the first call on: 50,000 took more than 30 s."""

    def work(many: int) -> None:
        (rollout,) = whole(actions(tmp_path, many))
        (turn,) = rollout.invocations[0].turns
        assert [call.output for call in turn.tool_calls] == ["y"] * many

    assert growth(work, 2_000) < 3


def failures(folder: Path, many: int) -> Path:
    """A sidecar that is all attempts at one rollout."""
    record = {"_ng_task_index": 0, "_ng_rollout_index": 0, "_ng_failure_class": "x"}
    path = folder / "rollouts_failures.jsonl"
    path.write_text("".join(json.dumps({**record, "_ng_attempt_index": n}) + "\n" for n in range(many)), "utf-8")
    return path


def test_attempts_at_one_rollout_are_not_gone_through_for_each_of_them(tmp_path: Path) -> None:
    """The latest of them was looked for once for each: 10,000 took 20 s."""

    def work(many: int) -> None:
        found = whole(failures(tmp_path, many))
        assert len(found) == many
        assert [len(one.attempts) for one in found[:2]] == [2, 2]
        assert all(one.attempts[-1].attempt == many - 1 for one in found)

    assert growth(work, 1_000) < 3


def test_a_row_with_very_many_failed_attempts_lists_the_last_of_them_and_their_number(tmp_path: Path) -> None:
    failures(tmp_path, 3 * MOST)
    row: JsonObject = {
        "_ng_task_index": 0,
        "_ng_rollout_index": 0,
        "_ng_attempt_index": 5,
        "reward": 1,
        "response": {"output": []},
    }
    (tmp_path / "rollouts.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    (rollout,) = whole(tmp_path)
    listed = [(one.attempt, one.kind) for one in rollout.attempts]
    assert listed == [(5, "row"), *((n, "failure") for n in range(2 * MOST, 3 * MOST))]
    (said,) = [one.message for one in rollout.diagnostics if one.code == "attempts-bounded"]
    assert f"{3 * MOST + 1:,} records" in said


PIECES = (
    *["{", "}", "[", "]", ",", ":", "1", "-", ".", "e5", "E", "0", "NaN", "Infinity", "null", "true", "a"],
    " ",
    '"',
    "\\",
)


def test_what_is_refused_at_once_is_what_the_tolerant_path_refuses_and_in_its_words() -> None:
    rng = Random("refused")
    for _ in range(20_000):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 8)))
        try:
            expected: object = json.loads(text)
        except json.JSONDecodeError as error:
            with pytest.raises(BadJson) as bad:
                decode(text.encode())
            assert str(bad.value) == f"{error.msg} at byte {error.pos}"
        else:
            assert repr(decode(text.encode()).value) == repr(expected)


def torn(header: str, many: int) -> str:
    return header + '{"type":"agent_start"}\n' + '{"a":\n' * many


@pytest.mark.parametrize("name", ["stdout.jsonl", "codex.jsonl"])
def test_of_many_damaged_lines_only_a_hundred_are_asked_what_is_wrong(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log of 180,000 lines that held a bracket each took 3 s."""
    asked = [0]

    def counted(self: BadJson) -> str:
        asked[0] += 1
        return "bad"

    monkeypatch.setattr(BadJson, "__str__", counted)
    header = HEADER if name == "stdout.jsonl" else '{"type":"thread.started","thread_id":"t"}\n'
    (tmp_path / name).write_text(torn(header, 1_000), "utf-8")
    (rollout,) = whole(tmp_path / name)
    said = [one for one in rollout.diagnostics if one.code == "record-unreadable"]
    assert "900 more" in said[-1].message
    assert len(said) == 101
    assert asked[0] == 100


def test_lines_of_a_rollouts_file_that_are_no_rows_are_read_without_opening_it_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = [0]

    def counted(path: Path) -> BinaryIO:
        opened[0] += 1
        return source.open_file(path)

    monkeypatch.setattr("rollout_loaders.jsonlines.open_file", counted)
    path = tmp_path / "rollouts.jsonl"
    path.write_text('{"response":{"output":[]},"reward":1}\n' + "{\n" * 500, "utf-8")
    with open_paths([str(path)]) as collection:
        assert len(list(collection.summaries())) == 1
        assert len(collection.diagnostics) == 500
    assert opened[0] < 10


@pytest.mark.parametrize("chained", [True, False])
def test_sessions_of_one_database_take_time_by_their_number(chained: bool, tmp_path: Path) -> None:
    """The ids of all were gathered for each: a database of 20,000 subagents took more than 25 s."""

    def work(many: int) -> None:
        path = tmp_path / f"{many}" / "opencode.db"
        if not path.exists():
            path.parent.mkdir()
            parents = [None, *(f"s{n if chained else 0}" for n in range(many - 1))]
            write_database(path, *(Session(id=f"s{n}", parent=parent) for n, parent in enumerate(parents)))
        (rollout,) = whole(path)
        assert len(rollout.invocations) == many

    work(1_500)
    work(3_000)
    assert growth(work, 1_500) < 3
