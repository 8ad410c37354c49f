"""Nothing is lost: every piece of text in a source is in the stored lens, as often as in the source (issue 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rollout_loaders.collection import open_paths
from rollout_loaders.document import document
from rollout_loaders.model import Rollout
from tests.hostile import source_texts
from tests.hostile.source_texts import counted
from tests.paths import GYM_ROLLOUTS, RECORDINGS, SAMPLES, SHARED

ROOTS = [root for root in (SAMPLES, RECORDINGS, GYM_ROLLOUTS) if root.is_dir()]
BASE = {SAMPLES: SAMPLES.parent, RECORDINGS: SHARED, GYM_ROLLOUTS: SHARED}
NO_ROLLOUT = ("_materialized_inputs", "_reward_profiling", "_failures", ".tokens", "requests", "http", "rpc-sent")
GATHER: dict[str, Callable[[Path], Counter[str]]] = {
    "opencode-sqlite": source_texts.of_database,
    "opencode-storage": source_texts.of_store,
    "opencode-export": source_texts.of_export,
    "opencode-stdout": source_texts.of_stream,
    "pi-events": source_texts.of_events,
    "pi-session": source_texts.of_entries,
    "gym-rollouts": source_texts.of_rows,
}


def artifacts() -> list[Path]:
    """Files and stores that may hold rollouts."""
    found: list[Path] = []
    for root in ROOTS:
        for path in sorted(root.rglob("*")):
            store = path.name == "storage" and (path / "message").is_dir()
            export = path.suffix == ".json" and (path.name.startswith("export") or "traj" in path.name)
            lines = path.suffix == ".jsonl" and not any(mark in path.name for mark in NO_ROLLOUT)
            if store or export or lines or path.name == "opencode.db":
                found.append(path)
    return found


def name_of(path: Path) -> str:
    root = next(root for root in ROOTS if path.is_relative_to(root))
    return path.relative_to(BASE[root]).as_posix()


def read(path: Path) -> list[Rollout]:
    with open_paths([str(path)]) as collection:
        return list(collection.rollouts())


def stored(rollouts: list[Rollout]) -> Counter[str]:
    """Text of the stored lens: parts of every invocation and branch, as the JSON document gives them."""
    found: list[object] = []
    for rollout in rollouts:
        whole = document(rollout, parts=True)
        for invocation in whole["invocations"]:  # type: ignore[union-attr]  # of our own document
            found += [part["data"] for part in invocation["parts"]]  # type: ignore
            found += [part["data"] for branch in invocation["branches"] for part in branch["parts"]]  # type: ignore
    return counted(found)


@pytest.mark.parametrize("path", artifacts(), ids=name_of)
def test_every_text_is_in_the_stored_lens(path: Path) -> None:
    rollouts = read(path)
    if not rollouts:
        pytest.skip("holds no rollout")
    kept = stored(rollouts)
    kind = rollouts[0].source.format
    wanted = GATHER.get(kind, source_texts.of_any)(path)
    if kind == "opencode-export":  # its `info` is the session, shown as the invocation
        kept += counted(document(rollout)["invocations"] for rollout in rollouts)
        kept += counted(document(rollout)["harness"] for rollout in rollouts)
    lost = wanted - kept
    assert dict(lost) == {}


@pytest.mark.parametrize("path", [p for p in artifacts() if p.suffix == ".jsonl"], ids=name_of)
def test_text_of_what_never_ended_is_in_the_stored_lens(path: Path) -> None:
    rollouts = read(path)
    if not rollouts or rollouts[0].source.format != "pi-events":
        pytest.skip("no event log")
    kept = list(stored(rollouts))
    for text in (*source_texts.unfinished(path), *source_texts.running(path)):
        assert any(text in one for one in kept), text


@pytest.mark.parametrize("path", [p for p in artifacts() if p.name == "opencode.db"], ids=name_of)
def test_every_text_of_a_session_row_is_in_the_document(path: Path) -> None:
    rollouts = read(path)
    whole = "\n".join(counted(document(rollout) for rollout in rollouts))  # a list in a column stays its JSON text
    assert [text for text in source_texts.session_rows(path) if text not in whole] == []


def test_there_is_something_of_every_format() -> None:
    kinds = {rollout.source.format for path in artifacts() if path.is_relative_to(SAMPLES) for rollout in read(path)}
    assert set(GATHER) <= kinds
