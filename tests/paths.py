"""Where things lie for tests. The suite needs nothing outside the repository: tests on SHARED skip without it."""

from __future__ import annotations

from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
SAMPLES = REPO / "sample_rollouts"
SHARED = REPO.parent / "shared"
RECORDINGS = SHARED / "recordings"
GYM_ROLLOUTS = SHARED / "gym-rollouts"
