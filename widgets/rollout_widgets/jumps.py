"""Links of a page that lead to what is not on it: their ids, and the places behind them. Knows no widget."""

from __future__ import annotations

from rollout_loaders.errors import RolloutError
from rollout_loaders.locator import locate
from rollout_loaders.model import Place, Rollout
from rollout_views.anchors import Anchors


class Jumps(Anchors):
    """The anchors of one page. A place that stands elsewhere gets an id too, and `places` says where it leads."""

    def __init__(self, rollout: Rollout) -> None:
        super().__init__(f"{rollout.id}-")
        self._rollout = rollout
        self.places: dict[str, Place] = {}
        self._idents: dict[Place, str | None] = {}

    def find(self, place: Place) -> str | None:
        """Return the id of an element of this page, else the id of a jump; None for a place that is nowhere."""
        here = super().find(place)
        if here is not None:
            return here
        if place not in self._idents:
            self._idents[place] = self._new(place)
        return self._idents[place]

    def _new(self, place: Place) -> str | None:
        if place.turn is None and place.item_id is None:
            return None
        try:
            locate(self._rollout, place)
        except RolloutError:
            return None
        ident = self.take("jump")
        self.places[ident] = place
        return ident
