"""Whether what was opened grew or changed since the last look (`--follow`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rollout_inspector.loading import Rows
from rollout_loaders.locator import STDIN, parse
from rollout_loaders.model import RolloutSummary

from .watching import Stamp, stamp

_BESIDE = ("", "-wal")
"""A database grows in its write-ahead log first."""


def merged(rows: Sequence[RolloutSummary], change: Rows) -> list[RolloutSummary]:
    """The rows after a change: replaced paths' rows where they stood, new ones after the last of their path."""
    kept = {
        (row.source.path, row.source.locator, row.id): row for row in rows if row.source.path not in change.replaced
    }
    for row in change.rows:
        kept.pop((row.source.path, row.source.locator, row.id), None)
    order = {path: index for index, path in enumerate(dict.fromkeys(row.source.path for row in rows))}
    found = [*kept.values(), *change.rows]
    found.sort(key=lambda row: order.get(row.source.path, len(order)))  # stable: a path's rows keep their order
    return found


class FileWatch:
    """Compares with the last look; reads no content."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = [Path(parse(path).path) for path in paths if path != STDIN]
        self._last = self._look()

    def changed(self) -> bool:
        """Say whether anything changed since the last call."""
        now = self._look()
        changed = now != self._last
        self._last = now
        return changed

    def _look(self) -> tuple[Stamp, ...]:
        return tuple(stamp(path) if path.is_dir() else _files(path) for path in self._paths)


def _files(path: Path) -> Stamp:
    found: list[tuple[str, int, int]] = []
    for ending in _BESIDE:
        try:
            state = path.with_name(path.name + ending).stat()
        except OSError:
            continue
        found.append((path.name + ending, state.st_size, state.st_mtime_ns))
    return tuple(found)
