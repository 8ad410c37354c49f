"""`diff A B --open` in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from textual.screen import Screen

from rollout_loaders.collection import Collection
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary, SourceRef

from .app import InspectorApp
from .screens.comparison import ComparisonScreen


class BothSides:
    """Two collections as one source: a summary is loaded by the side that gave it."""

    def __init__(self, sides: tuple[Collection, Collection]) -> None:
        self.sides = sides
        self.place: Place | None = None
        self._first: frozenset[SourceRef] | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Those of both sides."""
        return (*self.sides[0].diagnostics, *self.sides[1].diagnostics)

    def summaries(self) -> Iterator[RolloutSummary]:
        """A, then B."""
        for side in self.sides:
            yield from side.summaries()

    def load(self, summary: RolloutSummary) -> Rollout:
        """Read one rollout in full; which side it is of shows in its path."""
        if self._first is None:
            self._first = frozenset(known.source for known in self.sides[0].summaries())
        return self.sides[0 if summary.source in self._first else 1].load(summary)


class DiffApp(InspectorApp):
    """A comparison of two sets."""

    def __init__(self, left: Collection, right: Collection, names: tuple[str, str]) -> None:
        super().__init__(names)
        self.sides = (left, right)
        self.names = names
        self.source = BothSides(self.sides)

    def get_default_screen(self) -> Screen[object]:
        """Start on the totals."""
        return ComparisonScreen()  # type: ignore[return-value]
