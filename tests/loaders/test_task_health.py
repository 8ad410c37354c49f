"""The health checks of whole tasks (gym-semantics 7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollout_loaders.evidence.task_health import ALL_UNHEALTHY, NO_CALL, TaskHealth
from rollout_loaders.model import CallRef, Evidence, Health, ModelCall, Rollout, SourceRef, Task


def repeat(verdict: str, *statuses: int, bound: bool = True) -> Rollout:
    calls = tuple(ModelCall(f"c{k}", k, status_code=status) for k, status in enumerate(statuses))
    refs = tuple(CallRef(call.call_id, None, None, "turn", "root", 1) for call in calls if bound)
    evidence = Evidence(model_calls=calls, call_refs=refs, trajectory_state="valid")
    return Rollout(
        "1-0", SourceRef("r.jsonl", "gym-rollouts"), task=Task(1, 0), health=Health(verdict), evidence=evidence
    )


def codes(*repeats: Rollout) -> list[str]:
    tasks = TaskHealth()
    for rollout in repeats:
        tasks.add(rollout)
    return [code for _, code, _ in tasks.findings()]


@pytest.mark.parametrize(
    ("verdicts", "found"),
    [
        (("unhealthy", "unhealthy"), [ALL_UNHEALTHY]),
        (("unhealthy", "unobserved", "unhealthy"), [ALL_UNHEALTHY]),
        (("unhealthy", "healthy"), []),
        (("unhealthy",), []),
        (("unhealthy", "unobserved"), []),
    ],
)
def test_a_task_is_unhealthy_when_two_or_more_repeats_are_and_none_is_healthy(
    verdicts: tuple[str, ...], found: list[str]
) -> None:
    assert codes(*(repeat(verdict, 200) for verdict in verdicts)) == found


def test_a_task_without_any_successful_call() -> None:
    assert codes(repeat("unhealthy", 500), repeat("healthy", 503, 500)) == [NO_CALL]
    assert codes(repeat("unhealthy", 500), repeat("healthy", 503, 200)) == []


def test_it_is_not_said_where_a_repeat_lacks_complete_binding() -> None:
    assert codes(repeat("unhealthy", 500), repeat("healthy", 500, bound=False)) == []


def test_a_rollout_of_no_task_counts_for_none() -> None:
    one = replace(repeat("unhealthy", 500), task=Task())
    assert codes(one, one) == []
