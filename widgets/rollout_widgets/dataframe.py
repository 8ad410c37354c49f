"""Rollouts as a pandas frame, one row each. Unknown is missing, and a reward stands only where it was graded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_loaders.model import RolloutSummary

from .shelf import Shelf, Source, picked

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = ("task_index", "rollout_index", "attempt", "turns", "tool_calls", "answer_chars")
_TOKENS = ("input", "output", "reasoning", "cached")


def to_dataframe(paths: Source, *, only: str | None = None) -> pd.DataFrame:
    """Return one row a rollout. Needs the extra `pandas`.

    `reward` is missing (never 0) unless `state` is `graded`: what is masked, invalid or not graded does not measure the
    policy, and `reward.mean()` leaves it out. `recorded_reward` is the number as it stands in the record.

    Args:
        paths: a PATH as the command line takes it, several, or a `Rollout`.
        only: a filter, as in `show`.

    Raises:
        CannotShowError: when nothing readable was named or nothing matches.
        ImportError: without pandas; it names the extra.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_dataframe needs pandas: pip install 'rollout-inspect[pandas]'") from error
    shelf = Shelf(paths)
    rows = [_row(shelf.summaries[index]) for index in picked(shelf, only)]
    frame = pd.DataFrame(rows)
    whole = dict.fromkeys([*_WHOLE, *(f"tokens_{kind}" for kind in _TOKENS), "duration_ms"], "Int64")
    numbers = dict.fromkeys(["reward", "recorded_reward", "cost"], "Float64")
    return frame.astype({**whole, **numbers, "answer_stands": "boolean"})


def _row(summary: RolloutSummary) -> dict[str, object]:
    task, harness, usage = summary.task, summary.harness, summary.usage
    return {
        "id": summary.id,
        "path": summary.source.path,
        "format": summary.source.format,
        "task_index": task.task_index,
        "rollout_index": task.rollout_index,
        "attempt": task.attempt,
        "task_id": task.task_id,
        "state": summary.state,
        "reward": summary.reward if summary.state == "graded" else None,
        "recorded_reward": summary.reward,
        "outcome": summary.status,
        "failure_kind": summary.failure_kind,
        "harness": harness.name,
        "model": harness.model,
        "turns": summary.turns,
        "tool_calls": summary.tool_calls,
        "answer_chars": summary.answer_chars,
        "answer_stands": summary.answer_stands,
        "findings": None if summary.findings is None else list(summary.findings),
        **{f"tokens_{kind}": getattr(usage, kind) for kind in _TOKENS},
        "cost": usage.cost,
        "duration_ms": summary.duration_ms,
        "started_at": summary.started_at,
        "prompt": task.prompt,
    }
