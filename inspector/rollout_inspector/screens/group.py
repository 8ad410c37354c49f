"""One row a task: its repeats as a strip of glyphs, their spread, dead groups marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, ClassVar

from rollout_loaders.model import RolloutSummary
from rollout_views.formatting import count, reward_number
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ..panes.linebar import LineBar, Word
from ..panes.promptbar import PromptBar
from ..panes.rowtable import Column, RowTable
from .listsummary import graded_rewards, strip
from .rollouttable import natural

if TYPE_CHECKING:
    from ..app import InspectorApp


@dataclass(frozen=True, slots=True)
class Group:
    """A task and its repeats."""

    name: str
    rows: tuple[RolloutSummary, ...]

    @property
    def rewards(self) -> list[float]:
        """Rewards that measure something."""
        return graded_rewards(self.rows)

    @property
    def spread(self) -> float | None:
        """Greatest minus least reward."""
        return max(self.rewards) - min(self.rewards) if self.rewards else None

    @property
    def dead(self) -> bool:
        """True when all graded repeats got the same reward: nothing can be learned from it."""
        return len(self.rewards) > 1 and self.spread == 0

    @property
    def pair(self) -> tuple[RolloutSummary, RolloutSummary] | None:
        """Return the two that differ most: by reward, then by outcome, then by length of the answer."""
        if len(self.rows) < 2:
            return None

        def worth(row: RolloutSummary) -> tuple[float, bool, int]:
            reward = row.reward if row.state == "graded" and row.reward is not None else -1.0
            return reward, row.status == "completed", row.answer_chars or 0

        ordered = sorted(self.rows, key=worth)
        return ordered[-1], ordered[0]


def groups_of(rows: Sequence[RolloutSummary]) -> list[Group]:
    """Group rollouts by task, in natural order of the task."""
    found: dict[str, list[RolloutSummary]] = {}
    for row in rows:
        task = row.task
        name = str(task.task_index) if task.task_index is not None else task.task_id or task.prompt or row.id
        found.setdefault(name, []).append(row)
    return [Group(name, tuple(found[name])) for name in sorted(found, key=natural)]


def _passes(group: Group) -> str:
    rewards = group.rewards
    return f"{sum(one >= 1 for one in rewards)}/{len(rewards)}" if rewards else "·"


def _middle(group: Group) -> float | None:
    lengths = [one.answer_chars for one in group.rows if one.answer_chars is not None and one.answer_stands]
    return median(lengths) if lengths else None


def _none(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0


COLUMNS: tuple[Column[Group], ...] = (
    Column("task", "task", lambda g: g.name, lambda g: natural(g.name), 0, most=40),
    Column("rollouts", "rollouts", lambda g: strip(g.rows), lambda g: len(g.rows), 1, most=44),
    Column("pass", "pass", _passes, lambda g: _none(sum(g.rewards) / len(g.rewards) if g.rewards else None), 2, True),
    Column("mean", "mean", lambda g: reward_number(round(sum(g.rewards) / len(g.rewards), 3)) if g.rewards else "·",
           lambda g: _none(sum(g.rewards) / len(g.rewards) if g.rewards else None), 3, True),
    Column("spread", "spread", lambda g: reward_number(g.spread), lambda g: _none(g.spread), 3, True),
    Column("dead", "", lambda g: "dead: all the same" if g.dead else "", lambda g: g.dead, 4,
           tone=lambda g: "table--warning"),
    Column("answer", "median answer", lambda g: count(_middle(g)), lambda g: _none(_middle(g)), 5, True),
)  # fmt: skip


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
    def table(self) -> RowTable[Group]:
        """The table."""
        return self.query_one(RowTable)

    def on_mount(self) -> None:
        """Show the groups."""
        dead = sum(group.dead for group in self.groups)
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
            lines.sort(key=lambda index: sort_key(self.groups[index]), reverse=reverse)  # type: ignore[arg-type, return-value]
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
        same = self._order is not None and self._order[0] == event.column
        self._order = (event.column, same and not (self._order or ("", False))[1])
        self._arrange()

    @on(RowTable.Opened)
    def _opened(self, event: RowTable.Opened) -> None:
        from .compare import CompareScreen
        from .rollout import RolloutScreen

        group = self.groups[event.row]
        pair = group.pair
        self.app.push_screen(CompareScreen(*pair) if pair is not None else RolloutScreen(group.rows[0]))
