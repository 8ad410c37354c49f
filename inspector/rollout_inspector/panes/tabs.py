"""Which evidence tabs a rollout has; the seam to `rollout_views`."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout
from rollout_views.block import Block
from rollout_views.evidence_tabs import TABS, blocks_of


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab; `empty` when there is nothing in it but a sentence that says so."""

    name: str
    title: str
    empty: bool = False


def tabs_of(rollout: Rollout) -> tuple[Tab, ...]:
    """Return the tabs of a rollout in order.

    Which are empty is told from the model: drawing the tabs of 100,000 turns to find out would cost seconds.
    """
    empty = {
        "Attribution": rollout.attribution.status == "not_captured",
        "Compactions": not any(one.compactions for one in rollout.invocations),
        "Notes": not rollout.harness_notes,
        "Gaps": not rollout.gaps,
    }
    return tuple(Tab(name, name, empty.get(name, False)) for name in TABS)


def tab_blocks(rollout: Rollout, name: str) -> tuple[Block, ...]:
    """Return the blocks of one tab."""
    return blocks_of(rollout, name)
