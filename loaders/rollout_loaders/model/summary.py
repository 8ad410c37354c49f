"""What a list shows of a rollout without loading its turns."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass

from .rollout import Harness, SourceRef, Task, Usage


@dataclass(frozen=True, slots=True)
class RolloutSummary:
    """One line of `list`; `list --json` prints it (CONTRACT 3, last bullet)."""

    id: str
    source: SourceRef
    harness: Harness
    task: Task
    state: str
    """`Grading.state`."""
    reward: float | None
    status: str
    """`Outcome.status`."""
    failure_kind: str | None
    turns: int | None
    """Of the root; None for a rollout without any conversation."""
    tool_calls: int | None
    """Of every invocation."""
    answer_chars: int | None
    """Length of `final_answer.text`; None when that is null."""
    answer_stands: bool
    findings: tuple[str, ...] | None
    """Codes; None when findings were not computed (a fast listing)."""
    usage: Usage
    duration_ms: int | None = None
    """Milliseconds from the first to the last known time of the root."""
    started_at: str | None = None
    """ISO 8601 UTC."""
    failure_stage: str | None = None
    """Stage of the failure that decides, as recorded (gym-semantics 1.3)."""
    policy: str | None = None
    """What a policy that the user stated does with this outcome; None where none was stated."""
