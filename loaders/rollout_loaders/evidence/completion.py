"""Finish a rollout: what its record holds becomes outcome, attribution, grading, notes, health, gaps and findings."""

from __future__ import annotations

from rollout_loaders.counted_diagnostics import MOST, counted
from rollout_loaders.fast_dataclass import changed
from rollout_loaders.model import Outcome, Rollout
from rollout_loaders.reader import ReadOptions, StatedPolicy

from .attribution import attribution_of
from .findings import findings_of
from .gaps import gaps_of
from .grading import grading_of
from .harness_notes import notes_of
from .health import health_of
from .outcome import outcome_of
from .policy import graded_under, under_stated

NOTHING_FORCED = ReadOptions()


def completed(rollout: Rollout, options: ReadOptions = NOTHING_FORCED) -> Rollout:
    """`rollout` with everything that the evidence rules say about it. Reads nothing but the rollout.

    Each of these rests on the record alone and on none of the others; findings read them all.
    """
    if len(rollout.diagnostics) > MOST:
        rollout = changed(rollout, diagnostics=counted(rollout.diagnostics))
    outcome = outcome_of(rollout)
    if options.policy is not None:
        outcome = _under(options.policy, outcome)
    rollout = changed(
        _with_root_status(rollout, outcome),
        outcome=outcome,
        attribution=attribution_of(rollout),
        grading=grading_of(rollout, options),
        harness_notes=notes_of(rollout),
        health=health_of(rollout),
        gaps=gaps_of(rollout),
    )
    return changed(rollout, findings=findings_of(rollout, options))


def _with_root_status(rollout: Rollout, outcome: Outcome) -> Rollout:
    """A session's root gets the status of its response: `result.json` overrides it, a limit makes it incomplete.

    gym-semantics 4.4 (session response), 5.3 (observations). What a row records of its invocations stays.
    """
    root, record = rollout.root, rollout.evidence
    own = record.row is None and not record.failures and record.ending is None
    if root is None or not own or root.status == outcome.status:
        return rollout
    return changed(rollout, invocations=(changed(root, status=outcome.status), *rollout.invocations[1:]))


def _under(stated: StatedPolicy, outcome: Outcome) -> Outcome:
    """What a stated policy makes of an outcome that was computed; the computed status stays."""
    policy = under_stated(stated, outcome.status, outcome.failure_kind, outcome.policy.status_code)
    return changed(outcome, policy=policy, graded=graded_under(policy))
