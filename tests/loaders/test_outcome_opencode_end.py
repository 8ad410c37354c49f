"""What a failed compaction, a denied permission, a reverted tail or a kill mean for the outcome: said in `because`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.opencode_data import Session, text, tool, write_database

from rollout_loaders.collection import open_paths
from rollout_loaders.model import Rollout

DENIED = "The user rejected permission to use this specific tool call."
FAILED = {"name": "APIError", "data": {"message": "503 overloaded"}}


def read(folder: Path, session: Session) -> Rollout:
    (rollout,) = open_paths([str(write_database(folder / "opencode.db", session))]).rollouts()
    return rollout


def said(rollout: Rollout) -> str:
    return "\n".join(reason.text for reason in rollout.outcome.because)


def started(**columns: Any) -> Session:
    session = Session(columns=columns)
    session.user()
    session.assistant(text("Looking."), tool("c1"), finish="tool-calls")
    return session


def test_a_plain_end_says_none_of_it(tmp_path: Path) -> None:
    session = started()
    session.assistant(text("4"))
    told = said(read(tmp_path, session))
    assert not any(word in told for word in ("denied", "reverted", "compaction", "never completed"))


def test_a_denied_permission_ends_the_run_without_an_answer(tmp_path: Path) -> None:
    """formats 1.6, 05e: the loop stops after that step."""
    session = started()
    session.assistant(tool("c2", status="error", output=None, error=DENIED), finish="tool-calls")
    rollout = read(tmp_path, session)
    assert "permission to run bash was denied in turn 2" in said(rollout)
    assert (rollout.outcome.status, rollout.final_answer.stands) == ("incomplete", False)
    assert "permission to run bash was denied" in (rollout.final_answer.because or "")


@pytest.mark.parametrize(
    ("summary", "words"),
    [({"error": FAILED, "finish": ...}, "failed, and OpenCode stops there"), (None, "was never finished")],
)
def test_a_compaction_that_ended_the_run(tmp_path: Path, summary: dict[str, Any] | None, words: str) -> None:
    """formats 1.6, 07c and 10h: the last message that is no summary is an old tool turn."""
    session = started()
    asked = session.add("user", [{"type": "compaction", "auto": True}])
    if summary is not None:
        session.assistant(summary=True, parentID=asked.id, **summary)
    rollout = read(tmp_path, session)
    assert f"the compaction after turn 1 {words}" in said(rollout)


def test_a_reverted_tail_still_decides(tmp_path: Path) -> None:
    session = started(revert=json.dumps({"messageID": "msg_root_0002"}))
    session.assistant(text("4"))
    rollout = read(tmp_path, session)
    assert "turn 2 is reverted" in said(rollout)
    assert rollout.outcome.status == "completed"


def test_a_killed_reply_was_never_completed(tmp_path: Path) -> None:
    session = started()
    killed = session.assistant(text(""), finish=..., time={"created": 5})
    rollout = read(tmp_path, session)
    assert f"message {killed.id} was never completed" in said(rollout)
    assert rollout.outcome.status == "incomplete"
