"""The known defaults of `agent_outcome_policy`, row by row (gym-semantics 6.3, 6.4)."""

from __future__ import annotations

import pytest

from rollout_loaders.evidence.policy import POLICY_ROWS, graded_under, policy_for


@pytest.mark.parametrize(
    ("row", "status", "kind", "code", "action"),
    [
        ("completed", "completed", None, None, "verify"),
        ("model-limit", "incomplete", None, None, "verify"),
        ("bad-request", "failed", "model_request_error", 400, "verify"),
        ("unknown-cause", "failed", "unknown", None, "retry"),
    ],
)
def test_each_default(row: str, status: str, kind: str | None, code: int | None, action: str) -> None:
    assert policy_for(status, kind, code).action == action
    deciding = next(entry for entry in POLICY_ROWS if entry.applies(status, kind, code))
    assert deciding.id == row


def test_every_row_has_a_case() -> None:
    assert [row.id for row in POLICY_ROWS] == ["completed", "model-limit", "bad-request", "unknown-cause"]


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        ("failed", "model_request_error", 503),
        ("failed", "model_request_error", None),
        ("failed", None, None),
        ("unknown", None, None),
        ("failed", "unknown", 503),
    ],
)
def test_anything_else_depends_on_the_run(status: str, kind: str | None, code: int | None) -> None:
    policy = policy_for(status, kind, code)
    assert policy.action == "unknown"
    assert policy.source == "depends on the run's agent_outcome_policy"
    assert graded_under(policy) is None


def test_a_status_decides_before_a_kind() -> None:
    assert policy_for("failed", "unknown", 400).action == "verify"


def test_what_a_policy_means_for_the_grade() -> None:
    assert graded_under(policy_for("completed")) is True
    assert graded_under(policy_for("failed", "unknown")) is False
