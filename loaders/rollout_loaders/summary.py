"""A rollout as one line of a list (CONTRACT 3, last bullet but one)."""

from __future__ import annotations

from datetime import datetime

from .document_identity import harness_document, source_document, task_document, usage_document
from .model import JsonObject, Rollout, RolloutSummary


def summarise(rollout: Rollout) -> RolloutSummary:
    """The summary of a completed rollout. Turns are the root's, tool calls those of every invocation."""
    root = rollout.root
    text = rollout.final_answer.text
    started, ended = _span(rollout)
    stages = [attempt.stage for attempt in rollout.attempts if attempt.decides and attempt.stage]
    stages += [failure.stage for failure in rollout.evidence.failures if failure.stage]
    return RolloutSummary(
        id=rollout.id,
        source=rollout.source,
        harness=rollout.harness,
        task=rollout.task,
        state=rollout.grading.state,
        reward=rollout.grading.reward,
        status=rollout.outcome.status,
        failure_kind=rollout.outcome.failure_kind,
        turns=None if root is None else len(root.turns),
        tool_calls=None if root is None else sum(len(t.tool_calls) for i in rollout.invocations for t in i.turns),
        answer_chars=None if text is None else len(text),
        answer_stands=rollout.final_answer.stands,
        findings=tuple(dict.fromkeys(finding.code for finding in rollout.findings)),
        usage=rollout.usage,
        duration_ms=milliseconds(started, ended),
        started_at=started,
        failure_stage=stages[0] if stages else None,
    )


def _span(rollout: Rollout) -> tuple[str | None, str | None]:
    """First and last known time of the root."""
    root = rollout.root
    if root is None:
        return None, None
    starts = [turn.started_at for turn in root.turns if turn.started_at is not None]
    ends = [turn.completed_at for turn in root.turns if turn.completed_at is not None]
    started = root.started_at or (min(starts, key=_instant) if starts else None)
    return started, (max(ends, key=_instant) if ends else None)


def _instant(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def milliseconds(started: str | None, ended: str | None) -> int | None:
    """Between two times in ISO 8601; None where one is missing or no time, or they contradict each other."""
    if started is None or ended is None:
        return None
    try:
        span = datetime.fromisoformat(ended) - datetime.fromisoformat(started)
    except (ValueError, TypeError):
        return None
    milliseconds = round(span.total_seconds() * 1000)
    return milliseconds if milliseconds >= 0 else None


def summary_document(summary: RolloutSummary) -> JsonObject:
    """The object that `list --json` prints; `findings` is null where they were not computed."""
    return {
        "id": summary.id,
        "source": source_document(summary.source),
        "harness": harness_document(summary.harness),
        "task": task_document(summary.task),
        "grading": {"state": summary.state, "reward": summary.reward},
        "outcome": {
            "status": summary.status,
            "failure_kind": summary.failure_kind,
            "stage": summary.failure_stage,
        },
        "turns": summary.turns,
        "tool_calls": summary.tool_calls,
        "final_answer": {"chars": summary.answer_chars, "stands": summary.answer_stands},
        "findings": None if summary.findings is None else list(summary.findings),
        "usage": usage_document(summary.usage),
        "started_at": summary.started_at,
        "duration_ms": summary.duration_ms,
    }
