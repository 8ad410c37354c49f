"""The gaps of a rollout with their meaning."""

from __future__ import annotations

from dataclasses import replace

from rollout_loaders.model import Gap, Rollout

from .gap_codes import GAP_CODES


def meaning_of(code: str) -> str | None:
    """One sentence; None for a code that gym-semantics 3.8 does not have, which is shown as it is."""
    return GAP_CODES.get(code)


def gaps_of(rollout: Rollout) -> tuple[Gap, ...]:
    """The rollout's gaps and those of its trajectory, each once, in the order recorded, with their meaning."""
    seen: dict[tuple[str, str | None, str | None], Gap] = {}
    for gap in (*rollout.gaps, *rollout.evidence.trajectory_gaps):
        seen.setdefault((gap.code, gap.invocation_id, gap.detail), gap)
    return tuple(
        gap if gap.meaning is not None else replace(gap, meaning=meaning_of(gap.code)) for gap in seen.values()
    )
