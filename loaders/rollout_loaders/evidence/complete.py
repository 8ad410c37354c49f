"""Finish a rollout: what its record holds becomes outcome, grading, attribution, notes, health and findings."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace

from rollout_loaders.model import Rollout
from rollout_loaders.reader import ReadOptions


def _outcome(rollout: Rollout, _options: ReadOptions) -> Rollout:
    from .outcome import outcome_of

    return replace(rollout, outcome=outcome_of(rollout))


def _attribution(rollout: Rollout, _options: ReadOptions) -> Rollout:
    from .attribution import attribution_of

    return replace(rollout, attribution=attribution_of(rollout))


def _grading(rollout: Rollout, options: ReadOptions) -> Rollout:
    grading = importlib.import_module("rollout_loaders.evidence.grading")
    return replace(rollout, grading=grading.grading_of(rollout, options))


def _notes(rollout: Rollout, _options: ReadOptions) -> Rollout:
    from .harness_notes import notes_of

    return replace(rollout, harness_notes=notes_of(rollout))


def _health(rollout: Rollout, _options: ReadOptions) -> Rollout:
    from .health import health_of

    return replace(rollout, health=health_of(rollout))


def _gaps(rollout: Rollout, _options: ReadOptions) -> Rollout:
    from .gaps import gaps_of

    return replace(rollout, gaps=gaps_of(rollout))


def _findings(rollout: Rollout, options: ReadOptions) -> Rollout:
    from .findings import findings_of

    return replace(rollout, findings=findings_of(rollout, options))


NOTHING_FORCED = ReadOptions()

STEPS: tuple[Callable[[Rollout, ReadOptions], Rollout], ...] = (
    _outcome,
    _attribution,
    _grading,
    _notes,
    _health,
    _gaps,
    _findings,
)
"""In the order in which they rest on each other: findings read all the others."""


def complete(rollout: Rollout, options: ReadOptions = NOTHING_FORCED) -> Rollout:
    """`rollout` with everything that the evidence rules say about it. Reads nothing but the rollout."""
    for step in STEPS:
        try:
            rollout = step(rollout, options)
        except ModuleNotFoundError as missing:
            # The parts are built side by side: a module that is not there yet leaves its field as the reader gave it.
            if not (missing.name or "").startswith("rollout_loaders.evidence"):
                raise
    return rollout
