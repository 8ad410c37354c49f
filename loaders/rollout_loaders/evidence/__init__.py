"""From facts to verdicts: outcome, policy, attribution, grading, harness notes, health, findings. Tables of rules."""

from __future__ import annotations

from rollout_loaders.model import Rollout
from rollout_loaders.reader import ReadOptions

__all__ = ["complete"]
_NOTHING_FORCED = ReadOptions()


def complete(rollout: Rollout, options: ReadOptions = _NOTHING_FORCED) -> Rollout:
    """`rollout` with outcome, attribution, grading, notes, health, gaps and findings (see `completion`)."""
    from .completion import completed  # a list of rollouts needs few of the rules

    return completed(rollout, options)
