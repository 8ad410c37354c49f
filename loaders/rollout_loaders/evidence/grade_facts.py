"""The plain facts that `grading.state` rests on, taken from a row and from the failure record that it is."""

from __future__ import annotations

from dataclasses import replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import FailureRecord, JsonObject, JsonValue, RowRecord

from .capture_mask import mask_row
from .capture_metrics import metrics_of
from .row_facts import error_text


@dataclass(frozen=True, slots=True)
class GradeFacts:
    """What the state rests on. None is unknown or absent."""

    has_row: bool = True
    """False for a session store: no verifier result lies beside it."""
    unreadable: str | None = None
    """Why the record could not be read, in words."""
    has_reward: bool = False
    reward: float | None = None
    """A finite number, else None."""
    reward_literal: str | None = None
    """The reward as written when it is no finite number."""
    mask_sample: bool | None = None
    instance_mask_sample: bool | None = None
    capture_mask_row: str | None = None
    """Id of the row of 8.3 by which token capture masks this row; None when none does. See `capture_mask_row`."""
    failure_class: str | None = None
    """Of the failure record that is this very row, not of an earlier attempt."""
    failure_record_kind: str | None = None
    failure_stage: str | None = None
    failure_message: str | None = None
    failure_kind: str | None = None
    """The row's own `failure_kind`."""
    agent_failure_kind: str | None = None
    """`ng_agent_outcome.failure_kind`; '' where an outcome is recorded without one."""
    agent_status_code: int | None = None
    response_status: str | None = None
    response_error: str | None = None
    """Words of `response.error`; '' for an error without any."""
    failure_reason: str | None = None
    agent_timed_out: bool | None = None
    verifier_error: str | None = None
    """The verifier's own account of its failure (deepswe)."""
    placeholder_response: bool = False
    has_real_response: bool = False
    run_error: str | None = None
    """An error of the run that another framework's row records; '' for one without words."""


def capture_mask_row(token_capture: JsonObject | None) -> str | None:
    """Id of the row of gym-semantics 8.3 by which token capture may mask; None when it does not or nothing says so."""
    if token_capture is None:
        return None
    found = mask_row(metrics_of(token_capture))
    return None if found is None or found.masks is False else found.id


def _word(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def facts_of(
    row: RowRecord | None, failure: FailureRecord | None = None, *, unreadable: str | None = None
) -> GradeFacts:
    """Facts of a row and of the failure record that is this very row (None where the failure is another attempt's)."""
    facts = GradeFacts(has_row=row is not None or failure is not None or unreadable is not None, unreadable=unreadable)
    if failure is not None:
        facts = replace(
            facts,
            failure_class=failure.failure_class,
            failure_record_kind=failure.failure_kind,
            failure_stage=failure.stage,
            failure_message=failure.judge_error or failure.message,
            has_real_response=failure.has_real_response,
            placeholder_response=row is not None and not failure.has_real_response and not row.output_texts,
        )
    return facts if row is None else _with_row(facts, row)


def _with_row(facts: GradeFacts, row: RowRecord) -> GradeFacts:
    outcome = row.agent_outcome
    status = None if outcome is None else outcome.get("status_code")
    envelope = row.response_metadata.get("response_source") == "environment_timeout_envelope"
    return replace(
        facts,
        has_reward=row.has_reward and row.reward is not None,
        reward=row.reward,
        reward_literal=row.reward_literal,
        mask_sample=row.mask_sample,
        instance_mask_sample=row.instance_mask_sample,
        capture_mask_row=capture_mask_row(row.token_capture),
        failure_kind=row.failure_kind,
        agent_failure_kind=None if outcome is None else _word(outcome.get("failure_kind")) or "",
        agent_status_code=status if isinstance(status, int) and not isinstance(status, bool) else None,
        response_status=row.response_status,
        response_error=error_text(row.response_error),
        failure_reason=row.failure_reason,
        agent_timed_out=row.agent_timed_out,
        verifier_error=_word(row.extras.get("verifier_error")) or None,
        placeholder_response=facts.placeholder_response or envelope,
        run_error=row.run_error,
    )
