"""Which rollouts the list shows and in which order: filter, sort, group. No widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollout_loaders.model import RolloutSummary

from ..panes.rowtable import GroupLine
from .listsummary import group_title
from .rollouttable import COLUMNS, natural

Test = Callable[[RolloutSummary], bool]


class Arrangement:
    """Filter, order and grouping of a list."""

    def __init__(self) -> None:
        self.query = ""
        self.problem: str | None = None
        self.sorted_by: tuple[str, bool] | None = None
        """Column and whether the greatest comes first; None is the order of the files."""
        self.grouped = False
        self._test: Test | None = None
        self._keys = {column.key: column.sort_key for column in COLUMNS}

    def set_filter(self, query: str) -> None:
        """Take a filter; one that is wrong is said and the last good one stays."""
        self.query = query.strip()
        self.problem = None
        if not self.query:
            self._test = None
            return
        from rollout_views.filtering import FilterError, compile_filter

        try:
            self._test = compile_filter(self.query)
        except FilterError as error:
            self.problem = str(error)

    def sort(self, key: str) -> None:
        """Sort by a column; the same column again reverses, a third time gives the order of the files."""
        if self.sorted_by is None or self.sorted_by[0] != key:
            self.sorted_by = (key, False)
        elif not self.sorted_by[1]:
            self.sorted_by = (key, True)
        else:
            self.sorted_by = None

    def reverse(self) -> None:
        """Turn the order round."""
        if self.sorted_by is not None:
            self.sorted_by = (self.sorted_by[0], not self.sorted_by[1])

    def lines(self, rows: Sequence[RolloutSummary]) -> list[int | GroupLine]:
        """Return the lines of the table."""
        test = self._test
        kept = [index for index, row in enumerate(rows) if test is None or test(row)]
        if self.sorted_by is not None:
            key, reverse = self.sorted_by
            sort_key = self._keys[key]
            # The sort is stable in both directions: equal rows keep the order of the files.
            kept.sort(key=lambda index: sort_key(rows[index]), reverse=reverse)  # type: ignore[arg-type, return-value]
        if not self.grouped:
            return list(kept)
        groups: dict[str, list[int]] = {}
        for index in kept:
            task = rows[index].task
            name = str(task.task_index) if task.task_index is not None else task.task_id or task.prompt or rows[index].id
            groups.setdefault(name, []).append(index)
        names = list(groups) if self.sorted_by is not None else sorted(groups, key=natural)
        lines: list[int | GroupLine] = []
        for name in names:
            members = groups[name]
            lines.append(GroupLine(group_title(name, [rows[index] for index in members]), tuple(members)))
            lines += members
        return lines
