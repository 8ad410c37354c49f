"""Which table decides how a rollout ended."""

from __future__ import annotations

from rollout_loaders.model import Outcome, Rollout


def outcome_of(rollout: Rollout) -> Outcome:
    """The outcome by the rules of the richest record: a Gym row or sidecar first, then Pi's table, then OpenCode's."""
    if rollout.evidence.row is not None or rollout.evidence.failures:
        from .outcome_row import outcome
    elif rollout.evidence.pi is not None:
        from .outcome_pi import outcome
    else:
        from .outcome_opencode import outcome
    return outcome(rollout)
