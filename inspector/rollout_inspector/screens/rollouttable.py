"""Columns of the list, from what `rollout_views.table` says of a summary."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.model import RolloutSummary
from rollout_views.formatting import count, duration, reward_number

from ..panes.rowtable import Column

GLYPHS = {"invalid": "⊘", "masked": "⊘", "not_graded": "–", "unreadable": "✗"}


def glyph(summary: RolloutSummary) -> str:
    """Return the sign of a rollout: full, partial, zero, invalid, not graded."""
    if summary.state != "graded":
        return GLYPHS.get(summary.state, "?")
    if summary.reward is None:
        return "–"
    return "●" if summary.reward >= 1 else "○" if summary.reward <= 0 else "◐"


def state_tone(summary: RolloutSummary) -> str:
    """Return the component class of the state."""
    if summary.state in {"invalid", "unreadable"}:
        return "table--problem"
    if summary.state == "masked":
        return "table--warning"
    if summary.state != "graded" or summary.reward is None:
        return "table--muted"
    return "table--good" if summary.reward >= 1 else "table--zero" if summary.reward <= 0 else "table--partial"


def _outcome_tone(summary: RolloutSummary) -> str:
    return {"failed": "table--problem", "incomplete": "table--warning", "unknown": "table--muted"}.get(
        summary.status, "table--normal"
    )


def answer_words(summary: RolloutSummary) -> str:
    """Return the answer's length, `(empty)` or `(no final answer)`."""
    if not summary.answer_stands:
        return "(no final answer)"
    if not summary.answer_chars:
        return "(empty)" if summary.answer_chars == 0 else "·"
    return count(summary.answer_chars)


def _answer_tone(summary: RolloutSummary) -> str:
    return "table--normal" if summary.answer_stands and summary.answer_chars else "table--warning"


def _number(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0


def _text(value: str | None) -> tuple[bool, str]:
    return value is None, (value or "").casefold()


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts s2 before s10."""
    import re

    return [
        (0, int(piece), "") if piece.isdecimal() and len(piece) < 20 else (1, 0, piece.casefold())
        for piece in re.split(r"(\d+)", text)
        if piece
    ]


def _findings(summary: RolloutSummary) -> str:
    if summary.findings is None:
        return "·"
    if not summary.findings:
        return "–"
    more = len(summary.findings) - 1
    return summary.findings[0] + (f" +{more}" if more else "")


def _task(summary: RolloutSummary) -> str:
    task = summary.task
    return str(task.task_index) if task.task_index is not None else task.task_id or "·"


def _rollout(summary: RolloutSummary) -> str:
    task = summary.task
    if task.rollout_index is None:
        return "·"
    return f"{task.rollout_index}" + (f" a{task.attempt}" if task.attempt else "")


def _c(
    key: str, title: str, cell: Callable[[RolloutSummary], str], sort_key: Callable[[RolloutSummary], object],
    rank: int, right: bool = False, most: int = 20, tone: Callable[[RolloutSummary], str] | None = None,
) -> Column[RolloutSummary]:  # fmt: skip
    return Column(key, title, cell, sort_key, rank, right, most, tone)


COLUMNS: tuple[Column[RolloutSummary], ...] = (
    _c("task", "task", _task, lambda s: natural(_task(s)), 4, most=18),
    _c("rollout", "rollout", _rollout, lambda s: (_number(s.task.rollout_index), _number(s.task.attempt)), 4, most=8),
    _c("id", "id", lambda s: s.id, lambda s: natural(s.id), 1, most=24),
    _c("state", "state", lambda s: f"{glyph(s)} {s.state.replace('_', ' ')}", lambda s: s.state, 0, tone=state_tone),
    _c("reward", "reward", lambda s: reward_number(s.reward), lambda s: _number(s.reward), 2, True, tone=state_tone),
    _c("outcome", "outcome", lambda s: s.status, lambda s: s.status, 3, tone=_outcome_tone),
    _c("harness", "harness", lambda s: s.harness.name or "·", lambda s: _text(s.harness.name), 11, most=10),
    _c("model", "model", lambda s: s.harness.model or "·", lambda s: _text(s.harness.model), 12, most=18),
    _c("turns", "turns", lambda s: count(s.turns), lambda s: _number(s.turns), 6, True),
    _c("tools", "tools", lambda s: count(s.tool_calls), lambda s: _number(s.tool_calls), 8, True),
    _c("in", "in", lambda s: count(s.usage.input), lambda s: _number(s.usage.input), 10, True),
    _c("out", "out", lambda s: count(s.usage.output), lambda s: _number(s.usage.output), 9, True),
    _c("answer", "answer", answer_words, lambda s: (s.answer_stands, _number(s.answer_chars)), 5, most=17, tone=_answer_tone),
    _c("findings", "findings", _findings, lambda s: _number(len(s.findings) if s.findings is not None else None), 5, most=26),
    _c("took", "took", lambda s: duration(s.duration_ms), lambda s: _number(s.duration_ms), 9, True),
    _c("file", "file", lambda s: s.source.path, lambda s: natural(s.source.path), 13, most=30),
)
