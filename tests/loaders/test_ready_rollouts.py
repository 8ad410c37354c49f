"""A session is built once for its line of a list and for whoever opens it then."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import ModuleType

import pytest
from tests.loaders.session_folders import SESSION, write_database, write_export
from tests.paths import SAMPLES

from rollout_loaders.collection import collection, open_paths, opening, plain, sessions
from rollout_loaders.model import Rollout


def noted_builds(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the rollouts that units of a module complete from now on."""
    ids: list[str] = []
    real = opening.completed

    def noted(rollout: Rollout, *given: object) -> Rollout:
        ids.append(rollout.id)
        return real(rollout, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "completed", noted)
    return ids


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return noted_builds(sessions, monkeypatch)


def test_opening_a_listed_session_built_it_a_second_time(tmp_path: Path, built: list[str]) -> None:
    path = write_database(tmp_path / "opencode.db", (SESSION, None, ("4",)))
    listed = open_paths([str(path)])
    (summary,) = listed.summaries()
    assert listed.load(summary).final_answer.text == "4"
    assert built == [SESSION]
    assert listed.load(summary).final_answer.text == "4", "handed out once, then read again"
    assert built == [SESSION, SESSION]


def test_a_session_that_was_written_after_it_was_listed_is_read_again(tmp_path: Path) -> None:
    path = write_export(tmp_path / "session.json", SESSION, "4")
    listed = open_paths([str(path)])
    (summary,) = listed.summaries()
    write_export(path, SESSION, "four")
    assert listed.load(summary).final_answer.text == "four"


def test_of_many_sessions_a_few_stay_in_memory(tmp_path: Path, built: list[str]) -> None:
    many = [(f"{SESSION[:-2]}{number:02}", None, ("4",)) for number in range(collection.READY + 3)]
    path = write_database(tmp_path / "opencode.db", *many)
    listed = open_paths([str(path)])
    summaries = list(listed.summaries())
    assert len(built) == len(summaries) == len(many)
    for summary in summaries:
        assert listed.load(summary).id == summary.id
    assert len(built) == len(many) + 3


def test_the_summary_is_that_of_the_rollout(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", (SESSION, None, ("4", "5")))
    with sqlite3.connect(path) as connection:
        assert connection.execute("select count(*) from session").fetchone() == (1,)
    listed = open_paths([str(path)])
    (summary,) = listed.summaries()
    rollout = listed.load(summary)
    assert (summary.turns, summary.answer_chars) == (2, 1)
    assert (rollout.id, len(rollout.invocations[0].turns)) == (summary.id, 2)


def test_opening_a_listed_transcript_built_it_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = noted_builds(plain, monkeypatch)
    listed = open_paths([str(SAMPLES / "claude-code-subagent")])
    for summary in listed.summaries():
        assert listed.load(summary).id == summary.id
    assert len(ids) == len(set(ids)) > 0


@pytest.mark.parametrize("beside", ["prompt.txt", "requests.jsonl"])
def test_what_lies_beside_a_session_and_changed_since_is_read_again(
    beside: str, tmp_path: Path, built: list[str]
) -> None:
    write_export(tmp_path / "session.json", SESSION, "4")
    listed = open_paths([str(tmp_path / "session.json")])
    (summary,) = listed.summaries()
    (tmp_path / beside).write_text("{}\n", "utf-8")
    listed.load(summary)
    assert built == [SESSION, SESSION]


def test_a_session_that_was_changed_in_its_place_and_given_its_old_time_is_read_again(tmp_path: Path) -> None:
    path = write_export(tmp_path / "session.json", SESSION, "4")
    listed = open_paths([str(path)])
    (summary,) = listed.summaries()
    state = path.stat()
    write_export(path, SESSION, "5")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert path.stat().st_size == state.st_size
    assert listed.load(summary).final_answer.text == "5"
