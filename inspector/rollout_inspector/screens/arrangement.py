"""Which rollouts the list shows and in which order: filter, sort, group. No widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rollout_inspector.panes.rowtable import GroupLine
from rollout_loaders.model import RolloutSummary

from .listsummary import groups_of

if TYPE_CHECKING:
    from rollout_views.filtering import Filter, Loader, MayHold

SortKey = Callable[[RolloutSummary], tuple[object, ...]]
_NAME = 60
_STRIP = 60


class Arrangement:
    """Filter, order and grouping of a list."""

    def __init__(self, sort_keys: Mapping[str, SortKey]) -> None:
        self.query = ""
        self.problem: str | None = None
        self.sorted_by: tuple[str, bool] | None = None
        """Column and whether the greatest comes first; None is the order of the files."""
        self.grouped = False
        self.filter: Filter | None = None
        self.passed: set[int] = set()
        """Rows that a filter on whole rollouts let through so far."""
        self.looked = 0
        """Rows that it looked at so far."""
        self._keys = sort_keys

    def set_filter(self, query: str, load: Loader, may_hold: MayHold | None = None) -> None:
        """Take a filter; one that is wrong is said and lets everything through, as long as it is wrong."""
        self.query = query.strip()
        self.problem = None
        self.passed, self.looked = set(), 0
        self.filter = None
        if not self.query:
            return
        from rollout_views.filtering import FilterError, compile_filter  # the first rows do not wait for its rules

        try:
            self.filter = compile_filter(self.query, load, may_hold)
        except FilterError as error:
            self.problem = str(error)

    @property
    def slow(self) -> bool:
        """Whether the filter reads whole rollouts, so that a worker must ask it."""
        return self.filter is not None and self.filter.needs_rollout

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

    @property
    def plain(self) -> bool:
        """Whether every row is shown in the order of the files: then nothing need be computed."""
        return self.filter is None and self.sorted_by is None and not self.grouped

    def lines(self, rows: Sequence[RolloutSummary]) -> Sequence[int | GroupLine]:
        """Return the lines of the table."""
        if self.plain:
            return range(len(rows))
        kept = self._kept(rows)
        if self.sorted_by is not None:
            key, reverse = self.sorted_by
            sort_key = self._keys[key]
            # The sort is stable in both directions: equal rows keep the order of the files.
            kept.sort(key=lambda index: sort_key(rows[index]), reverse=reverse)
        if not self.grouped:
            return kept
        return _grouped(rows, kept)

    def _kept(self, rows: Sequence[RolloutSummary]) -> list[int]:
        test = self.filter
        if test is None:
            return list(range(len(rows)))
        if test.needs_rollout:
            return sorted(self.passed)
        return [index for index, row in enumerate(rows) if test(row)]


def _grouped(rows: Sequence[RolloutSummary], kept: Sequence[int]) -> list[int | GroupLine]:
    position = {id(rows[index]): index for index in kept}
    lines: list[int | GroupLine] = []
    for group in groups_of([rows[index] for index in kept]):
        members = tuple(position[id(row)] for row in group.rows)
        name = " ".join(group.name.split())
        name = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
        strip = group.strip if len(group.strip) <= _STRIP else f"{group.strip[:_STRIP]} +{len(group.strip) - _STRIP}"
        if len(members) > 1:
            lines.append(GroupLine(f"  task {name}  {strip}  {group.words}", members))
        lines += members
    return lines
