"""Rollouts of one task together: their strip of glyphs, their pass rate, whether the group teaches nothing."""

from __future__ import annotations

from collections.abc import Iterable

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import RolloutSummary
from rollout_loaders.natural_order import natural_key

from .formatting import reward_number
from .table import state_glyph, task_cell


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """The repeats of one task, in their order."""

    name: str
    rows: tuple[RolloutSummary, ...]

    @property
    def rewards(self) -> tuple[float, ...]:
        """Rewards of the graded repeats only: no other number measures the policy."""
        return tuple(row.reward for row in self.rows if row.state == "graded" and row.reward is not None)

    @property
    def passed(self) -> int:
        """How many graded repeats have reward 1 or more."""
        return sum(reward >= 1 for reward in self.rewards)

    @property
    def strip(self) -> str:
        """One glyph a repeat: `●●○⊘`."""
        return "".join(state_glyph(row) for row in self.rows)

    @property
    def is_dead(self) -> bool:
        """Tell whether all graded repeats have the same reward, so that the group has no spread."""
        return len(self.rewards) > 1 and len(set(self.rewards)) == 1

    @property
    def words(self) -> str:
        """`2 of 4 pass · 1 not graded · reward 0 to 1`, `dead: all 0`."""
        graded = len(self.rewards)
        parts = [f"{self.passed} of {graded} pass" if graded else "none graded"]
        if graded and graded < len(self.rows):
            parts.append(f"{len(self.rows) - graded} not counted")
        if self.is_dead:
            parts.append(f"dead: all {reward_number(self.rewards[0])}")
        elif len(set(self.rewards)) > 1:
            parts.append(f"reward {reward_number(min(self.rewards))} to {reward_number(max(self.rewards))}")
        return " · ".join(parts)


def task_groups(summaries: Iterable[RolloutSummary]) -> tuple[TaskGroup, ...]:
    """Return the groups in natural order of the task; rollouts without a task stand alone under their id."""
    found: dict[str, list[RolloutSummary]] = {}
    for summary in summaries:
        task = summary.task
        named = task.task_index is not None or task.task_id
        found.setdefault(task_cell(summary) if named else summary.id, []).append(summary)
    return tuple(TaskGroup(name, tuple(found[name])) for name in sorted(found, key=natural_key))
