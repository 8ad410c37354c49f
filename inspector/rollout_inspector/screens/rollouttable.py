"""The list's columns: what `rollout_views.table` says, in tones, with a name column that knows what else is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from rollout_inspector.panes.rowtable import Column
from rollout_loaders.model import RolloutSummary
from rollout_loaders.natural_order import natural_key
from rollout_views import table

_NAME_WIDTH = 26
_ID_WIDTH = 10
_ID_ROOM = 5
"""Cells of a name that its file leaves to `#3-1`."""


class Names:
    """Names rollouts by what tells them apart: the path below the common folder, the id where a file holds several.

    A file that is alone in its folder (a session's database, an event log) is called by its folder.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._paths: Counter[str] = Counter()
        self._names: dict[str, str] = {}
        self._needed = False

    def learn(self, rows: Sequence[RolloutSummary]) -> None:
        """Look at more rows."""
        self._paths.update(row.source.path for row in rows)
        if len(self._paths) != len(self._names):
            self._names = _short_names(self._paths)
        self._needed = self._needed or len(self._paths) > 1 or any(row.task.task_index is None for row in rows)

    def name(self, row: RolloutSummary) -> str:
        """Return the name of one rollout; '' where task and rollout columns say it all."""
        if not self._needed:
            return ""
        path = row.source.path
        name = self._names.get(path, path)
        if self._paths[path] > 1:
            return f"{name}#{row.id[-_ID_WIDTH:]}"
        return name


def _short_names(paths: Counter[str]) -> dict[str, str]:
    """Return a name for each path: what lies below the folder that all share, its head cut at a slash if need be."""
    split = {path: PurePosixPath(path).parts for path in paths}
    shared = 0
    columns = list(zip(*split.values(), strict=False))
    while shared < len(columns) and len(set(columns[shared])) == 1:
        shared += 1
    folders = Counter(parts[:-1] for parts in split.values())
    names: dict[str, str] = {}
    for path, parts in split.items():
        alone = folders[parts[:-1]] == 1 and len(parts) - 1 > shared
        rest = list(parts[shared:-1] if alone else parts[shared:]) or [parts[-1]]
        names[path] = _cut("/".join(rest[:-1]), rest[-1], _NAME_WIDTH - (_ID_ROOM if paths[path] > 1 else 0))
    return names


def _cut(folder: str, last: str, width: int) -> str:
    """Join a folder and a name, the head of the folder cut off where both do not fit."""
    whole = f"{folder}/{last}" if folder else last
    if len(whole) <= width:
        return whole
    room = width - len(last) - 2
    return f"…{folder[-room:]}/{last}" if room > 3 else f"…/{last}"


def state_tone(summary: RolloutSummary) -> str:
    """Return the component class of state and reward."""
    if summary.state in {"invalid", "unreadable"}:
        return "table--problem"
    if summary.state == "masked":
        return "table--warning"
    if summary.state != "graded" or summary.reward is None:
        return "table--muted"
    return "table--good" if summary.reward >= 1 else "table--zero" if summary.reward <= 0 else "table--partial"


def _outcome_tone(summary: RolloutSummary) -> str:
    tones = {"failed": "table--problem", "incomplete": "table--warning", "unknown": "table--muted"}
    return tones.get(summary.status, "table--normal")


def _answer_tone(summary: RolloutSummary) -> str:
    return "table--normal" if summary.answer_stands and summary.answer_chars else "table--warning"


def _findings_tone(summary: RolloutSummary) -> str:
    return "table--warning" if summary.findings else "table--muted"


_TONES: dict[str, Callable[[RolloutSummary], str]] = {
    "state": state_tone,
    "reward": state_tone,
    "outcome": _outcome_tone,
    "answer": _answer_tone,
    "findings": _findings_tone,
}
_NARROWER = {"state": 12, "reward": 10, "outcome": 22, "findings": 28, "model": 16, "task": 8, "answer": 10}
_ALWAYS = frozenset({"state", "reward", "outcome", "answer"})
_RANKS = {"answer": 2, "outcome": 2, "task": 3, "findings": 5, "turns": 6}
"""On a narrow screen an empty answer says more than a number of turns."""


def columns(names: Names) -> tuple[Column[RolloutSummary], ...]:
    """Return the columns of the list."""
    made: list[Column[RolloutSummary]] = [
        Column("name", "rollout file", names.name, lambda row: natural_key(names.name(row)), 1, most=_NAME_WIDTH)
    ]
    for one in table.COLUMNS:
        if one.key != "place":
            made.append(
                Column(one.key, one.title, one.cell, one.sort_key, _RANKS.get(one.key, one.rank), one.right,
                       _NARROWER.get(one.key, one.most), _TONES.get(one.key), one.key in _ALWAYS)
            )  # fmt: skip
    return tuple(made)


COLUMN_TITLES: tuple[tuple[str, str], ...] = (
    ("name", "file"),
    *((one.key, one.title) for one in table.COLUMNS if one.key != "place"),
)
"""Keys and titles, for the palette."""

__all__ = ["COLUMN_TITLES", "Names", "columns", "state_tone"]
