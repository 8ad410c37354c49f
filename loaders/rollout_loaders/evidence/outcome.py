"""Which table decides how a rollout ended."""

from __future__ import annotations

from rollout_loaders.model import Outcome, Rollout

from . import outcome_opencode, outcome_pi, outcome_recorded, outcome_row


def outcome_of(rollout: Rollout) -> Outcome:
    """The outcome by the rules of the richest record: a Gym row or sidecar first, then Pi's table, then OpenCode's.

    A format of another harness says itself how its run ended, or does not: no table of Gym reads it.
    """
    if rollout.evidence.ending is not None:
        return outcome_recorded.outcome(rollout, rollout.evidence.ending)
    if rollout.evidence.row is not None or rollout.evidence.failures:
        return outcome_row.outcome(rollout)
    if rollout.evidence.pi is not None:
        return outcome_pi.outcome(rollout)
    return outcome_opencode.outcome(rollout)
