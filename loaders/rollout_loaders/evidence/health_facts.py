"""What the health checks ask of the evidence: preconditions, owned and bound calls, failed calls (gym-semantics 7)."""

from __future__ import annotations

from collections.abc import Iterable

from rollout_loaders.model import CallRef, Evidence, ModelCall, Rollout

NO_CAPTURE = frozenset(
    {
        "model_calls_unavailable",
        "model_call_capture_incomplete",
        "model_call_capture_records_unreadable",
        "model_call_capture_unreadable",
    }
)
FAILED_STATUSES = frozenset({"failed", "error", "cancelled"})


def gap_codes(rollout: Rollout) -> frozenset[str]:
    """Codes of all gaps of the rollout and of its trajectory."""
    return frozenset(gap.code for gap in (*rollout.gaps, *rollout.evidence.trajectory_gaps))


def has_trajectory(rollout: Rollout) -> bool:
    """T: `ng_trajectory` is valid and was projected."""
    valid = rollout.evidence.trajectory_state == "valid"
    return valid and "trajectory_projection_failed" not in gap_codes(rollout)


def has_turns(rollout: Rollout) -> bool:
    """A: T, and no turns are missing."""
    return has_trajectory(rollout) and "turns_unavailable" not in gap_codes(rollout)


def has_calls(rollout: Rollout) -> bool:
    """M: T, and the capture of model calls is whole."""
    return has_trajectory(rollout) and not (NO_CAPTURE & gap_codes(rollout))


def captured(evidence: Evidence) -> tuple[ModelCall, ...]:
    """Calls that Gym's capture recorded. A `requests.jsonl` beside an artifact is no capture."""
    return tuple(call for call in evidence.model_calls if call.source != "requests.jsonl")


class CallIndex:
    """Captured calls by the ids that references name them by."""

    def __init__(self, calls: Iterable[ModelCall]) -> None:
        self._by_call: dict[str, list[ModelCall]] = {}
        self._by_response: dict[str, list[ModelCall]] = {}
        for call in calls:
            if call.call_id is not None:
                self._by_call.setdefault(call.call_id, []).append(call)
            if call.response_id is not None:
                self._by_response.setdefault(call.response_id, []).append(call)

    def named(self, ref: CallRef) -> tuple[ModelCall, ...]:
        """The calls that a reference names: by call id, else by model and response id (gym-semantics 3.1)."""
        if ref.model_call_id is not None:
            return tuple(self._by_call.get(ref.model_call_id, ()))
        calls = self._by_response.get(ref.response_id or "", ())
        return tuple(
            call for call in calls if None in (ref.model_ref, call.model_ref) or ref.model_ref == call.model_ref
        )


def owned(rollout: Rollout, owners: frozenset[str] = frozenset({"turn", "invocation"})) -> tuple[ModelCall, ...]:
    """Captured calls that turns or invocations reference, each once; with `{"turn"}` the bound ones."""
    index = CallIndex(captured(rollout.evidence))
    refs = [ref for ref in rollout.evidence.call_refs if ref.owner in owners]
    found = {call.index: call for ref in refs for call in index.named(ref)}
    return tuple(found[number] for number in sorted(found))


def failed(call: ModelCall) -> bool:
    """An HTTP error, an error category, or a status that says so."""
    return (
        (call.status_code is not None and call.status_code >= 400)
        or bool(call.error_category)
        or call.response_status in FAILED_STATUSES
    )


def context_rejection(call: ModelCall) -> bool:
    """An explicit upstream rejection of a context that is too long."""
    said = "context_length_exceeded" in (call.local_response_reason, call.error_category)
    return call.upstream_attempted is True and call.upstream_status_code == 400 and said


def name_of(call: ModelCall) -> str:
    """How a check names a call in its locator."""
    return call.call_id or call.response_id or f"call_index={call.index}"
