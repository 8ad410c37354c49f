"""The plain facts that the outcome of a Gym row rests on: hashable, so that a list can ask once per kind of row."""

from __future__ import annotations

from collections.abc import Mapping

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import FailureRecord, JsonValue, Rollout, RowRecord

SIDECAR = "gym-failures"


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What a row, or the sidecar record that decides for it, says about how the run ended. None is not recorded."""

    response_status: str | None = None
    response_error: str | None = None
    """Text of `response.error`; '' where it is set without any."""
    incomplete_reason: str | None = None
    agent_kind: str | None = None
    """`ng_agent_outcome.failure_kind`; '' where an outcome is recorded without one."""
    agent_status_code: int | None = None
    failure_kind: str | None = None
    """The row's own."""
    timed_out: bool | None = None
    has_reward: bool = False
    is_sidecar: bool = False
    failed_later: bool = False
    """A later attempt, in the sidecar, decides for this main row."""
    failure_class: str | None = None
    failure_record_kind: str | None = None
    failure_message: str | None = None
    failure_stage: str | None = None
    terminal: bool | None = None
    real_response: bool = False


def facts_of(rollout: Rollout) -> RowFacts:
    """Facts of a rollout read from a rollouts file or from a sidecar."""
    row, failures = rollout.evidence.row, rollout.evidence.failures
    is_sidecar = rollout.source.format == SIDECAR or row is None
    return row_facts(row, failures[0] if failures else None, is_sidecar=is_sidecar)


def row_facts(row: RowRecord | None, failure: FailureRecord | None = None, *, is_sidecar: bool = False) -> RowFacts:
    """Facts of a row and of the failure that decides for it."""
    row = row or RowRecord(None, None, False)
    outcome = row.agent_outcome
    code = None if outcome is None else outcome.get("status_code")
    return RowFacts(
        response_status=row.response_status,
        response_error=error_text(row.response_error),
        incomplete_reason=row.incomplete_reason,
        agent_kind=None if outcome is None else _word(outcome.get("failure_kind")) or "",
        agent_status_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        failure_kind=row.failure_kind,
        timed_out=row.agent_timed_out,
        has_reward=row.has_reward,
        is_sidecar=failure is not None and is_sidecar,
        failed_later=failure is not None and not is_sidecar,
        failure_class=None if failure is None else failure.failure_class,
        failure_record_kind=None if failure is None else failure.failure_kind,
        failure_message=None if failure is None else failure.judge_error or failure.message,
        failure_stage=None if failure is None else failure.stage,
        terminal=None if failure is None else failure.terminal,
        real_response=failure is not None and failure.has_real_response,
    )


def error_text(error: JsonValue) -> str | None:
    """The words of `response.error`: code and message; '' for an error without any, None for none."""
    if not error:
        return None
    if isinstance(error, Mapping):
        said = [part for key in ("code", "message") if (part := _word(error.get(key)))]
        return ": ".join(dict.fromkeys(said))
    return error if isinstance(error, str) else ""


def _word(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
