"""Inputs below 1 MB that took seconds to read: what was done once a record, or once for each two, is done once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rollout_loaders.collection import open_paths
from rollout_loaders.formats import openclaw
from rollout_loaders.model import JsonObject, Rollout

from .test_work import HEADER


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
    text = openclaw.fields.text

    def counted(data: JsonObject, key: str) -> str | None:
        asked[0] += key == "sessionId"
        return text(data, key)

    monkeypatch.setattr(openclaw.fields, "text", counted)
    (rollout,) = whole(openclaw_chain(tmp_path, 40))
    assert [one.id for one in rollout.invocations] == [f"c{n}" for n in range(40)]
    assert asked[0] < 5 * 40


def test_the_index_of_a_folder_of_sessions_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openclaw_chain(tmp_path, 20)
    read: list[Path] = []
    document = openclaw.document

    def counted(path: Path, *arguments: object) -> JsonObject:
        read.append(path)
        return document(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(openclaw, "document", counted)
    (rollout,) = whole(tmp_path)
    assert len(rollout.invocations) == 20
    assert len(read) == 1
