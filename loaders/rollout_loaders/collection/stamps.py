"""How the files of a unit stand: a stamp that differs says that one of them was written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .rows import Rows
from .search import Unit, sidecar_name

Stamp = tuple[tuple[str, int, int, int], ...]
"""(path, inode, size, time) of every file of a unit."""
_BESIDE = ("", "-wal", "-journal")


def stamp_of(unit: Unit) -> Stamp:
    """Of what is read and of the evidence beside it."""
    paths = [f"{path}{beside}" for path in unit.shown for beside in _BESIDE]
    if isinstance(unit, Rows):
        first = Path(unit.shown[0])
        paths += [str(first.with_name(name)) for name in (sidecar_name(first.name), "rollout_verdicts.jsonl")]
    else:
        paths += [str(Path(path).with_name("result.json")) for path in unit.shown]
    files = [str(inner) for path in unit.shown if Path(path).is_dir() for inner in sorted(Path(path).rglob("*"))]
    return stats(dict.fromkeys([*paths, *files]))


def stats(paths: Iterable[str]) -> Stamp:
    """Of files; one that cannot be asked about is left out."""
    found: list[tuple[str, int, int, int]] = []
    for path in paths:
        try:
            state = Path(path).stat()
        except (OSError, ValueError):
            continue
        found.append((path, state.st_ino, state.st_size, state.st_mtime_ns))
    return tuple(found)
