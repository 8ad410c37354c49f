"""The OpenCode readers over the recordings, where those are there: every form gives the expected answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.paths import RECORDINGS

from rollout_loaders.evidence.outcome_opencode import outcome
from rollout_loaders.formats import opencode_export, opencode_sqlite, opencode_storage
from rollout_loaders.model import Rollout
from rollout_loaders.reader import Reader, ReadOptions

EXPECTED = RECORDINGS / "expected.json"


def artifacts() -> list[tuple[str, str]]:
    """`(recording, file)` of every artifact that holds a whole run."""
    if not EXPECTED.is_file():
        return []
    found: list[tuple[str, str]] = []
    for name in json.loads(EXPECTED.read_text()):
        folder = RECORDINGS / name
        exports = sorted(folder.glob("export-[0-9].json"))
        if not name.startswith("opencode"):
            continue
        found += [(name, "opencode.db")] if (folder / "opencode.db").exists() else []
        found += [(name, exports[0].name)] if len(exports) == 1 else []
        found += [(name, "storage")] if name.startswith("opencode-1.1.") else []
    return found


def newest(path: Path) -> Rollout:
    reader: Reader = opencode_storage.READER
    if path.suffix:
        reader = opencode_sqlite.READER if path.suffix == ".db" else opencode_export.READER
    return list(reader.open(path, str(path), ReadOptions()).rollouts())[-1]


@pytest.mark.skipif(not EXPECTED.is_file(), reason="needs the recordings beside the repository")
@pytest.mark.parametrize(("name", "file"), artifacts())
def test_recording(name: str, file: str) -> None:
    expected: dict[str, Any] = json.loads(EXPECTED.read_text())[name]
    want = {**expected, **expected.get(file.split("-", maxsplit=1)[0], {})}
    rollout = newest(RECORDINGS / name / file)
    values = {
        "final_answer": rollout.final_answer.text,
        "scored_text": rollout.scored.final_text or "",
        "turns": len(rollout.invocations[0].turns),
        "compactions": sum(len(invocation.compactions) for invocation in rollout.invocations),
        "invocations": len(rollout.invocations),
        "outcome": outcome(rollout).status,
    }
    for field, value in values.items():
        allowed = want.get(field, want["final_answer"] if field == "scored_text" else None)
        if allowed is not None:
            assert value in (allowed if isinstance(allowed, list) else [allowed]), field
