"""What a list shows of a rollout without loading its turns."""

from __future__ import annotations

from dataclasses import dataclass

from .rollout import Harness, SourceRef, Task, Usage


@dataclass(frozen=True, slots=True)
class RolloutSummary:
    """One line of `list`; `list --json` prints it (CONTRACT 3, last bullet)."""

    id: str
    source: SourceRef
    harness: Harness
    task: Task
    state: str
    reward: float | None
    status: str
    failure_kind: str | None
    turns: int | None
    tool_calls: int | None
    answer_chars: int | None
    """Length of `final_answer.text`; None when that is null."""
    answer_stands: bool
    findings: tuple[str, ...] | None
    """Codes; None when findings were not computed (a fast listing)."""
    usage: Usage
    duration_ms: int | None = None
    started_at: str | None = None
    failure_stage: str | None = None
    policy: str | None = None
    """What a policy that the user stated does with this outcome; None where none was stated."""
