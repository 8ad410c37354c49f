"""A summary as a JSON row and back: nothing of it is lost (`tests/loaders/test_index_rows.py`)."""

from __future__ import annotations

from typing import Any

from rollout_loaders.model import Harness, RolloutSummary, SourceRef, Task, Usage


def row_of(summary: RolloutSummary) -> list[Any]:
    """Everything but the path it was shown with."""
    source, harness, task, usage = summary.source, summary.harness, summary.task, summary.usage
    return [
        summary.id,
        [source.format, source.locator, list(source.artifacts)],
        [harness.name, harness.version, harness.agent, harness.model, harness.provider],
        [task.task_index, task.rollout_index, task.attempt, task.task_id, task.prompt],
        summary.state,
        summary.reward,
        summary.status,
        summary.failure_kind,
        summary.turns,
        summary.tool_calls,
        summary.answer_chars,
        summary.answer_stands,
        None if summary.findings is None else list(summary.findings),
        [usage.input, usage.output, usage.reasoning, usage.cached, usage.cost, usage.counted_by],
        summary.duration_ms,
        summary.started_at,
        summary.failure_stage,
    ]


def summary_of(row: list[Any], shown: str, rollout_id: str) -> RolloutSummary:
    """The summary of a row that `row_of` gave, under a path and an id."""
    _, (kind, locator, artifacts), harness, task, state, reward, status, failure, *plain = row
    turns, calls, chars, stands, findings, usage, duration, started, stage = plain
    return RolloutSummary(
        rollout_id,
        SourceRef(shown, kind, locator, tuple(artifacts)),
        Harness(*harness),
        Task(*task),
        state,
        reward,
        status,
        failure,
        turns,
        calls,
        chars,
        stands,
        None if findings is None else tuple(findings),
        Usage(*usage),
        duration,
        started,
        stage,
    )
