"""All rollouts that were read, with what the list asks of them again and again kept up batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rollout_loaders.model import RolloutSummary
from rollout_views.table import task_cell
from rollout_views.task_groups import TaskGroup

from .rollouttable import Names

GroupKey = tuple[str, str]


class RowStore:
    """Rows, their names, their groups. Adding a batch costs what the batch holds, however many are there already."""

    def __init__(self) -> None:
        self.rows: list[RolloutSummary] = []
        self.names = Names()
        self._groups: dict[GroupKey, list[int]] = {}
        self._alone = 0
        """Rollouts without a task, each a task of its own."""

    def clear(self) -> None:
        """Forget all rows."""
        self.rows = []
        self.names.clear()
        self._groups = {}
        self._alone = 0

    def add(self, rows: Sequence[RolloutSummary]) -> None:
        """Take more rows."""
        start = len(self.rows)
        self.rows.extend(rows)
        self.names.learn(rows)
        for index, row in enumerate(rows, start):
            key = group_key(row)
            if key is None:
                self._alone += 1
            else:
                self._groups.setdefault(key, []).append(index)

    @property
    def task_count(self) -> int:
        """How many tasks there are, as the screen of groups shows them."""
        return len(self._groups) + self._alone

    def group_of(self, row: RolloutSummary) -> TaskGroup | None:
        """Return the repeats of a rollout's task, itself among them."""
        key = group_key(row)
        members = self._groups.get(key) if key is not None else None
        return TaskGroup(task_cell(row), tuple(self.rows[index] for index in members)) if members else None


def group_key(row: RolloutSummary) -> GroupKey | None:
    """Return what the repeats of a task share: task 3 of one file need not be task 3 of another."""
    if row.task.task_index is None and not row.task.task_id:
        return None
    return row.source.path, task_cell(row)


class Queue:
    """The rollouts in the order of the list, for next and previous."""

    def __init__(self, rows: Sequence[RolloutSummary] = (), lines: Sequence[int] = ()) -> None:
        self._rows, self._lines = rows, lines

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> RolloutSummary:
        return self._rows[self._lines[index]]

    def __iter__(self) -> Iterator[RolloutSummary]:
        return (self._rows[line] for line in self._lines)

    def line(self, index: int) -> int:
        """Return the row that stands at a place of the list."""
        return self._lines[index]

    def index(self, summary: RolloutSummary) -> int | None:
        """Return where a rollout stands, None when it is not listed."""
        for at, line in enumerate(self._lines):
            if self._rows[line] is summary:
                return at
        return None
