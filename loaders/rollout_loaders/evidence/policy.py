"""What a run's `agent_outcome_policy` does with an outcome, as far as its defaults are known (gym-semantics 6.3)."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Policy
from rollout_loaders.reader import StatedPolicy

BAD_REQUEST = 400
DEFAULT = "default"
"""The key of a stated policy that decides where no other does."""


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One known default. `applies` gets (outcome status, failure kind, HTTP status of the model request)."""

    id: str
    applies: Callable[[str, str | None, int | None], bool]
    action: str
    source: str


POLICY_ROWS: tuple[PolicyRow, ...] = (
    PolicyRow(
        "completed",
        lambda status, _kind, _code: status == "completed",
        "verify",
        "a completed response is always verified",
    ),
    PolicyRow(
        "model-limit",
        lambda status, _kind, _code: status == "incomplete",
        "verify",
        "limits and partial work are always verified; the policy is not asked",
    ),
    PolicyRow(
        "bad-request",
        lambda status, _kind, code: status == "failed" and code == BAD_REQUEST,
        "verify",
        "default of agent_outcome_policy: an HTTP 400 of the model request is verified",
    ),
    PolicyRow(
        "unknown-cause",
        # A status decides before a kind does (6.3), and the defaults for statuses other than 400 were not seen.
        lambda status, kind, code: status == "failed" and kind == "unknown" and code is None,
        "retry",
        "default of agent_outcome_policy: an unknown cause is eligible for an episode retry",
    ),
)
"""In order of precedence; a status decides before a kind (6.3). Other defaults were not seen by the sources."""


def policy_for(status: str, failure_kind: str | None = None, status_code: int | None = None) -> Policy:
    """The action that the known defaults give, else `unknown` (gym-semantics 6.3, 6.4 and 13.4)."""
    for row in POLICY_ROWS:
        if row.applies(status, failure_kind, status_code):
            return Policy(action=row.action, source=row.source, status_code=status_code)
    return Policy(status_code=status_code)


def under_stated(
    stated: StatedPolicy, status: str, failure_kind: str | None = None, status_code: int | None = None
) -> Policy:
    """What a policy that the user states would have done: a status decides, then a kind, then the default (6.3)."""
    if status != "failed":
        # Completed runs and limits never reach the policy (6.4).
        return policy_for(status, failure_kind, status_code)
    for key in (str(status_code) if status_code is not None else None, failure_kind, DEFAULT):
        if key is not None and key in stated.actions:
            return Policy(stated.actions[key], f"{stated.source}: {key} → {stated.actions[key]}")
    return Policy("unknown", f"{stated.source} says nothing of this cause and has no default")


def graded_under(policy: Policy) -> bool | None:
    """Whether a run with this policy goes to the verifier; None where the run's policy decides and is not recorded."""
    return {"verify": True, "retry": False, "fail": False, "count_as_zero": False}.get(policy.action)
