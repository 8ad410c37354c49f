"""The two health checks of whole tasks (gym-semantics 7): they need every repeat, so they are fed one by one."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout

from .health_facts import captured, failed, gap_codes, has_calls, owned

ALL_UNHEALTHY = "task-consistently-unhealthy"
NO_CALL = "task-no-successful-model-calls"


@dataclass(slots=True)
class _Task:
    computable: int = 0
    """Repeats whose health is not unobserved."""
    unhealthy: int = 0
    repeats: int = 0
    bound: int = 0
    """Repeats whose turns reference every captured call."""
    with_success: int = 0


class TaskHealth:
    """Counts repeats by (file, task index); keeps no rollout."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, int], _Task] = {}

    def add(self, rollout: Rollout) -> None:
        """Take one repeat; a rollout without a task index is of no task."""
        index = rollout.task.task_index
        if index is None or rollout.health.verdict is None:
            return
        task = self._tasks.setdefault((rollout.source.path, index), _Task())
        task.repeats += 1
        task.computable += rollout.health.verdict != "unobserved"
        task.unhealthy += rollout.health.verdict == "unhealthy"
        bound = owned(rollout, frozenset({"turn"})) if has_calls(rollout) else ()
        whole = bool(bound) and len(bound) == len(captured(rollout.evidence))
        task.bound += whole and "turn_model_call_scope_incomplete" not in gap_codes(rollout)
        task.with_success += any(not failed(call) for call in bound)

    def findings(self) -> Iterator[tuple[str, str, str]]:
        """(path, code, sentence) of each task that fails a check; tasks that cannot be judged give none."""
        for (path, index), task in self._tasks.items():
            if task.computable >= 2 and task.unhealthy == task.computable:
                said = f"Task {index}: all {task.computable} repeats whose health can be told are unhealthy."
                yield path, ALL_UNHEALTHY, said
            if task.bound == task.repeats and not task.with_success:
                yield path, NO_CALL, f"Task {index}: no repeat of {task.repeats} had a successful model call."
