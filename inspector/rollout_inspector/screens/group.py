"""One row a task: its repeats as a strip of glyphs, their spread, dead groups marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from statistics import fmean, median
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.panes.rowtable import Column, RowTable
from rollout_loaders.model import RolloutSummary
from rollout_loaders.natural_order import natural_key
from rollout_views.formatting import count, reward_number
from rollout_views.task_groups import TaskGroup

from .listsummary import groups_of

if TYPE_CHECKING:
    from rollout_inspector.app import InspectorApp


def pair_of(group: TaskGroup) -> tuple[RolloutSummary, RolloutSummary] | None:
    """Return the two that differ most: by reward, then by outcome, then by length of the answer; the better first."""
    if len(group.rows) < 2:
        return None

    def worth(row: RolloutSummary) -> tuple[float, bool, int]:
        reward = row.reward if row.state == "graded" and row.reward is not None else -1.0
        return reward, row.status == "completed", row.answer_chars or 0

    ordered = sorted(group.rows, key=worth)
    return ordered[-1], ordered[0]


def _mean(group: TaskGroup) -> float | None:
    return fmean(group.rewards) if group.rewards else None


def _spread(group: TaskGroup) -> float | None:
    return max(group.rewards) - min(group.rewards) if group.rewards else None


def _median_answer(group: TaskGroup) -> float | None:
    lengths = [one.answer_chars for one in group.rows if one.answer_chars is not None and one.answer_stands]
    return median(lengths) if lengths else None


def _known(value: float | None) -> tuple[object, ...]:
    return (value is None, value or 0)


def _passes(group: TaskGroup) -> str:
    return f"{group.passed} of {len(group.rewards)}" if group.rewards else "·"


def _mean_cell(group: TaskGroup) -> str:
    mean = _mean(group)
    return reward_number(None if mean is None else round(mean, 3))


def _dead_cell(group: TaskGroup) -> str:
    return f"dead: all {reward_number(group.rewards[0])}" if group.is_dead else ""


def _file_cell(group: TaskGroup) -> str:
    return PurePosixPath(group.rows[0].source.path).name


COLUMNS: tuple[Column[TaskGroup], ...] = (
    Column("task", "task", lambda g: " ".join(g.name.split()), lambda g: natural_key(g.name), 0, most=40),
    Column("repeats", "repeats", lambda g: g.strip, lambda g: (len(g.rows),), 1, most=44),
    Column("pass", "pass", _passes, lambda g: _known(_mean(g)), 2, True),
    Column("mean", "mean", _mean_cell, lambda g: _known(_mean(g)), 3, True),
    Column("spread", "spread", lambda g: reward_number(_spread(g)), lambda g: _known(_spread(g)), 3, True),
    Column("dead", "dead", _dead_cell, lambda g: (not g.is_dead,), 4, most=12, tone=lambda _: "table--warning"),
    Column("file", "file", _file_cell, lambda g: natural_key(g.rows[0].source.path), 6, most=36),
    Column("answer", "median answer", lambda g: count(_median_answer(g)), lambda g: _known(_median_answer(g)), 5, True),
)


class GroupScreen(Screen[None]):
    """Tasks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace,T", "dismiss", "Back", id="groups.close"),
        Binding("less_than_sign", "sort_column(-1)", "Sort by the column to the left", id="sort.previous"),
        Binding("greater_than_sign", "sort_column(1)", "Sort by the column to the right", id="sort.next"),
        Binding("s", "reverse", "Reverse the order", id="sort.reverse"),
    ]

    def __init__(self, rows: Sequence[RolloutSummary]) -> None:
        super().__init__()
        self.groups = groups_of(rows)
        self._order: tuple[str, bool] | None = None

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Title, table, hints."""
        yield LineBar(id="title")
        yield RowTable(COLUMNS, id="groups")
        yield PromptBar(id="prompt")

    @property
    def table(self) -> RowTable[TaskGroup]:
        """The table."""
        return cast("RowTable[TaskGroup]", self.query_one("#groups"))

    def on_mount(self) -> None:
        """Show the groups."""
        dead = sum(group.is_dead for group in self.groups)
        self.query_one("#title", LineBar).say(
            [Word(f"{len(self.groups)} tasks", "bar--strong"), Word(f"{dead} dead" if dead else "", "bar--warning")]
        )
        self.query_one(PromptBar).hint(
            [("j k", "task"), ("enter", "compare the two that differ most"), ("< >", "sort by"), ("esc", "back")]
        )
        self.table.empty = "no rollout is listed"
        self._arrange()
        self.table.focus()

    def _arrange(self) -> None:
        lines = list(range(len(self.groups)))
        if self._order is not None:
            key, reverse = self._order
            sort_key = next(column.sort_key for column in COLUMNS if column.key == key)
            lines.sort(key=lambda index: sort_key(self.groups[index]), reverse=reverse)
        self.table.sorted_by = self._order
        self.table.show(self.groups, lines)

    def action_sort_column(self, step: int) -> None:
        """Sort by the column beside."""
        keys = self.table.shown_columns
        at = keys.index(self._order[0]) if self._order is not None and self._order[0] in keys else -1
        self._order = (keys[(at + step) % len(keys)], False)
        self._arrange()

    def action_reverse(self) -> None:
        """Turn the order round."""
        if self._order is not None:
            self._order = (self._order[0], not self._order[1])
            self._arrange()

    @on(RowTable.HeaderPressed)
    def _pressed(self, event: RowTable.HeaderPressed) -> None:
        reverse = self._order is not None and self._order == (event.column, False)
        self._order = (event.column, reverse)
        self._arrange()

    @on(RowTable.Opened)
    def _opened(self, event: RowTable.Opened) -> None:
        from .compare import CompareScreen
        from .rollout import RolloutScreen

        group = self.groups[event.row]
        pair = pair_of(group)
        self.inspector.push_screen(CompareScreen(*pair) if pair is not None else RolloutScreen(group.rows[0]))
