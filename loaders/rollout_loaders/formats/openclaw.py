"""Reader of OpenClaw sessions: Pi's session file, written by another agent (gym-semantics 12).

The tree, its messages and compactions are read by the Pi reader. What OpenClaw adds is read here: reasoning in keys and
blocks of its own, times of tools, token counts after a compaction, failed prompts, and `sessions.json` beside the
session, which says what spawned it. Gym's table for Pi runs does not decide how an OpenClaw run ended.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import changed
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Invocation,
    JsonObject,
    PiLog,
    Rollout,
    Route,
    StoredPart,
)
from rollout_loaders.reader import Confidence, ReadOptions
from rollout_loaders.source import is_file

from . import fields, pi_session
from .logged_file import NOT_SPLIT, LoggedFile, document, file_stem, refuse_forced_split
from .openclaw_messages import with_additions

INDEX = "sessions.json"
_MARKS = re.compile(
    rb'"customType"\s*:\s*"(?:openclaw[.:]|model-snapshot")|\.openclaw[/\\"]|"provider"\s*:\s*"openclaw'
)
_PROMPT_ERROR = "openclaw:prompt-error"


class OpenclawReader:
    """The format `openclaw`."""

    name = "openclaw"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """A session file of Pi's that OpenClaw's own entries, workspace or index show to be its."""
        if pi_session.READER.sniff(path, head) is Confidence.NO:
            return Confidence.NO
        return Confidence.CERTAIN if _MARKS.search(head) or is_file(path.parent / INDEX) else Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the session; nothing is read yet. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return LoggedFile(path, shown, self.name, options, _rollouts)

    def is_part(self, path: Path) -> bool:
        """Whether a searched session was spawned by one that lies beside it, and is read with it."""
        index = _index_beside(path)
        parent = index.parent_of(path.stem)
        return parent is not None and index.file_of(parent) is not None


class _Index:
    """`sessions.json`: session keys to what is known of the session (OpenClaw, session store schema)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.unreadable: str | None = None
        """Why nothing is known of it; None where it was read, and where there is none."""
        self._parents: dict[str, str | None] = {}
        self._children: dict[str, list[str]] = {}
        path = folder / INDEX
        if not is_file(path):
            return
        try:
            found = document(path, INDEX, [])
        except ReadError as error:
            self.unreadable = error.reason
            return
        for key in found:
            self._add(found, fields.mapping(found, key))

    def _add(self, found: JsonObject, entry: JsonObject) -> None:
        """Take in one entry; of several of one session the first holds."""
        session_id = fields.text(entry, "sessionId")
        if session_id is None or session_id in self._parents:
            return
        key = fields.text(entry, "spawnedBy") or fields.text(entry, "parentSessionKey")
        parent = None if key is None else fields.text(fields.mapping(found, key), "sessionId")
        self._parents[session_id] = parent = None if parent == session_id else parent
        if parent is not None:
            self._children.setdefault(parent, []).append(session_id)

    def parent_of(self, session_id: str) -> str | None:
        """Session id of the session that spawned this one."""
        return self._parents.get(session_id)

    def children_of(self, session_id: str) -> list[str]:
        """Session ids that this session spawned, in the index's order."""
        return self._children.get(session_id, [])

    def file_of(self, session_id: str) -> Path | None:
        """Its transcript beside the index."""
        if file_stem(session_id) is None:
            return None
        path = self._folder / f"{session_id}.jsonl"
        return path if is_file(path) else None


def _index_beside(path: Path) -> _Index:
    """The index of a session's folder. Every session of the folder is asked about it, so its latest state is kept."""
    try:
        state = (path.parent / INDEX).stat()
    except OSError:
        return _Index(path.parent)
    return _kept_index(path.parent, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1)
def _kept_index(folder: Path, *_state: int) -> _Index:
    return _Index(folder)


def _rollouts(path: Path, shown: str, options: ReadOptions, left_over: list[Diagnostic]) -> Iterator[Rollout]:
    for rollout in pi_session.rollouts(path, shown, options, left_over):
        yield _adapted(rollout, path, shown, options)


def _adapted(rollout: Rollout, path: Path, shown: str, options: ReadOptions) -> Rollout:
    diagnostics: list[Diagnostic] = list(rollout.diagnostics)
    root, scored = with_additions(rollout.invocations[0], rollout.scored)
    index = _index_beside(path)
    if index.unreadable is not None:
        diagnostics.append(Diagnostic("evidence-unreadable", index.unreadable, INDEX))
    artifacts: list[str] = []
    children: list[Invocation] = []
    waiting, seen = deque((rollout.id, child) for child in index.children_of(rollout.id)), {rollout.id}
    while waiting:
        parent, child = waiting.popleft()
        file = index.file_of(child)
        if child in seen or file is None:
            continue
        seen.add(child)
        name = f"{shown.rpartition('/')[0]}/{file.name}" if "/" in shown else file.name
        for inner in pi_session.rollouts(file, name, options, []):
            found, _ = with_additions(inner.invocations[0], inner.scored)
            children.append(changed(found, parent_id=parent))
            artifacts.append(name)
            diagnostics += [changed(one, locator=f"{name}#{one.locator}") for one in inner.diagnostics]
        waiting.extend((child, grandchild) for grandchild in index.children_of(child))
    pi = rollout.evidence.pi
    return changed(
        rollout,
        source=changed(rollout.source, format="openclaw", artifacts=(*rollout.source.artifacts, *artifacts)),
        harness=changed(rollout.harness, name="openclaw"),
        route=Route(because=NOT_SPLIT),
        invocations=(root, *children),
        scored=scored,
        diagnostics=tuple(diagnostics),
        evidence=Evidence(ending=_ending(root, pi), call_refs=rollout.evidence.call_refs),
    )


def _ending(root: Invocation, pi: PiLog | None) -> Ending:
    """No entry says how a run ended, but a prompt that failed after the last reply is recorded as one."""
    error, where = _prompt_error(root.parts)
    return Ending(
        error=error,
        rests_on=where,
        last_finish=None if pi is None else pi.stop_reason,
        last_error=None if pi is None else pi.error_message,
    )


def _prompt_error(parts: tuple[StoredPart, ...]) -> tuple[str | None, str | None]:
    for part in reversed(parts):
        if part.role == "assistant":
            return None, None
        if part.type == "custom" and fields.text(part.data, "customType") == _PROMPT_ERROR:
            return fields.text(fields.mapping(part.data, "data"), "error") or "", part.locator
    return None, None


READER = OpenclawReader()
