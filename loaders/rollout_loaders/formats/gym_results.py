"""Small evidence files beside rollouts: `result.json` of a session folder, `rollout_verdicts.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.model import JsonObject, RecordedHealth, RunResult
from rollout_loaders.source import read_whole

from .fields import flag, integer, objects, text, words
from .gym_capture import read_objects

_RUN_RESULT = frozenset({"return_code", "timed_out", "error", "cleanup_confirmed"})


def read_run_result(path: Path) -> RunResult:
    """`result.json` (gym-semantics 4.1, 5.1). Raises `ReadError`, also when it is no JSON object."""
    try:
        value = decode(read_whole(path)).value
    except BadJson as bad:
        raise ReadError(str(path), f"is no JSON: {bad}") from None
    if not isinstance(value, Mapping):
        raise ReadError(str(path), "is no JSON object")
    return run_result(value)


def run_result(raw: JsonObject) -> RunResult:
    """The runner's result. A missing `timed_out` counts as False, as in Gym."""
    return RunResult(
        return_code=integer(raw, "return_code"),
        timed_out=flag(raw, "timed_out") is True,
        error=text(raw, "error") or None,
        cleanup_confirmed=flag(raw, "cleanup_confirmed"),
        extra={key: value for key, value in raw.items() if key not in _RUN_RESULT},
    )


def read_verdicts(path: Path) -> dict[tuple[int, int], RecordedHealth]:
    """`rollout_verdicts.jsonl` by (task, rollout index); a later line replaces an earlier one. Raises `ReadError`."""
    found: dict[tuple[int, int], RecordedHealth] = {}
    for raw in read_objects(path):
        task, rollout, verdict = integer(raw, "_ng_task_index"), integer(raw, "_ng_rollout_index"), text(raw, "verdict")
        if task is not None and rollout is not None and verdict is not None:
            found[task, rollout] = RecordedHealth(verdict, objects(raw, "findings"), words(raw, "unobserved"))
    return found
