"""How the files of a unit stand: a stamp that differs says that one of them was written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.source import HEAD_SIZE, head, state_of

from .rows import Rows
from .search import Unit, sidecar_name

Stamp = tuple[tuple[str | int, ...], ...]
"""(path, inode, size, time of its content, time of its entry) of every file of a unit."""
_BESIDE = ("", "-wal", "-journal")
_EVIDENCE = ("result.json", "prompt.txt", "requests.jsonl", "metadata.json")
"""What is read beside sessions, and beside verifiers' results."""


def stamp_of(unit: Unit) -> Stamp:
    """Of what is read and of the evidence beside it."""
    paths = [f"{path}{beside}" for path in unit.shown for beside in _BESIDE]
    if isinstance(unit, Rows):
        first = Path(unit.shown[0])
        paths += [str(first.with_name(name)) for name in (sidecar_name(first.name), "rollout_verdicts.jsonl")]
    else:
        paths += [str(Path(path).with_name(name)) for path in unit.shown for name in _EVIDENCE]
    files = [str(inner) for path in unit.shown if Path(path).is_dir() for inner in sorted(Path(path).rglob("*"))]
    return stats(dict.fromkeys([*paths, *files]))


def stats(paths: Iterable[str]) -> Stamp:
    """Of files; one that cannot be asked about is left out."""
    return tuple(found for path in paths if (found := _stat(path)) is not None)


def _stat(path: str) -> tuple[str | int, ...] | None:
    state = state_of(path)
    return None if state is None else (path, *state)


class Unread:
    """Stamps of files that no reader knew: they change when the answer may be another one.

    A reader is chosen by the head of a file, and by its first line where that is longer. A log that only grows, which
    is none of a rollout, is not asked about again.
    """

    def __init__(self) -> None:
        self._heads: dict[str, tuple[tuple[str | int, ...], tuple[str | int, ...]]] = {}

    def stamp(self, paths: Iterable[Path]) -> Stamp:
        """Of these files."""
        return tuple(found for path in paths if (found := self._of(path)) is not None)

    def _of(self, path: Path) -> tuple[str | int, ...] | None:
        state = _stat(str(path))
        if state is None or int(state[2]) <= HEAD_SIZE:
            return state
        known = self._heads.get(str(path))
        if known is not None and known[0] == state:
            return known[1]
        try:
            read = head(path)
        except ReadError:
            return state
        found = (str(path), state[1], hash(read)) if b"\n" in read else state
        self._heads[str(path)] = (state, found)
        return found
