"""What the app remembers of each rollout while it runs: lens, folds, place, tab."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import RolloutSummary
from rollout_views.block import Lens

from .panes.folds import Folds

if TYPE_CHECKING:
    from .panes.blockview import Spot

RolloutKey = tuple[str, str]
"""Path and id: what tells two rollouts of a session apart."""


def key_of(summary: RolloutSummary) -> RolloutKey:
    """Return the key of a rollout."""
    return summary.source.path, f"{summary.source.locator or ''}/{summary.id}"


@dataclass(slots=True)
class RolloutState:
    """How a rollout was left."""

    lens: Lens = "observed"
    invocation: str | None = None
    folds: Folds = field(default_factory=Folds)
    spots: dict[str | None, Spot] = field(default_factory=lambda: {})
    """The place in each invocation."""
    tab: str | None = None
    everything: bool = True
    """False while only what the model had at a turn is shown."""
    pane: str | None = None


@dataclass(slots=True)
class SessionState:
    """All rollouts of this session."""

    rollouts: dict[RolloutKey, RolloutState] = field(default_factory=lambda: {})
    mark: RolloutSummary | None = None
    """The rollout that `m` marked and `d` compares with."""
    last_search: str = ""

    def of(self, summary: RolloutSummary) -> RolloutState:
        """Return the state of one rollout, new if it was never opened."""
        return self.rollouts.setdefault(key_of(summary), RolloutState())

    def knows(self, summary: RolloutSummary) -> bool:
        """Say whether a rollout was opened before in this session."""
        return key_of(summary) in self.rollouts
