"""Which evidence tabs a rollout has; the seam to `rollout_views`."""

from __future__ import annotations

from dataclasses import dataclass

from rollout_loaders.model import Rollout
from rollout_views.block import Block
from rollout_views.why import why_blocks


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab; `empty` when there is nothing in it but a sentence that says so."""

    name: str
    title: str
    empty: bool = False


def tabs_of(rollout: Rollout) -> tuple[Tab, ...]:
    """Return the tabs of a rollout in order."""
    return (Tab("Why", "Why"),)


def tab_blocks(rollout: Rollout, name: str) -> tuple[Block, ...]:
    """Return the blocks of one tab."""
    return why_blocks(rollout)
