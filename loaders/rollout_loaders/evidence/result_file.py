"""A session folder's `result.json` that is there and cannot be read: that is not the same as none."""

from __future__ import annotations

from pathlib import PurePath

from rollout_loaders.model import Rollout

NAME = "result.json"
UNREADABLE = "evidence-unreadable"


def damaged_result(rollout: Rollout) -> bool:
    """Whether the reading met a `result.json` that it could not read."""
    return rollout.evidence.run_result is None and any(
        diagnostic.code == UNREADABLE and PurePath(diagnostic.locator or "").name == NAME
        for diagnostic in rollout.diagnostics
    )
