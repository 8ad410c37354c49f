"""What a path or a rollout names, as a list to pick from; whole rollouts are read when they are picked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache

from rollout_loaders.collection import open_paths
from rollout_loaders.errors import RolloutError
from rollout_loaders.locator import format_place
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary
from rollout_loaders.remote.address import redacted
from rollout_loaders.summary import summarise
from rollout_views.filtering import FilterError, compile_filter
from rollout_views.foreign import visible_line

from .errors import CannotShowError

Source = str | os.PathLike[str] | Rollout | Sequence["str | os.PathLike[str]"]
"""A PATH as the command line takes it (CONTRACT 2), several, or a rollout that is already there."""
KEPT = 4
"""Whole rollouts that stay in memory."""
MOST_CHECKED = 200
"""Rollouts whose findings are computed for the list where its format does not give them; above, they are unknown."""


class Shelf:
    """The rollouts that were named, in their order. Raises `CannotShowError` when there is none."""

    def __init__(self, source: Source) -> None:
        self.place: Place | None = None
        """The place that the PATH named, `…@turn:7`."""
        self.notices: tuple[str, ...] = ()
        """What could not be read, a line each, visible."""
        if isinstance(source, Rollout):
            self.name = source.id
            self.summaries: tuple[RolloutSummary, ...] = (summarise(source),)
            self._load: Callable[[int], Rollout] = lambda _: source
            return
        paths = _paths(source)
        self.name = " ".join(map(redacted, paths))
        collection = open_paths(paths)
        self.summaries = tuple(collection.summaries())
        self.notices = tuple(_sentence(diagnostic) for diagnostic in collection.diagnostics)
        self.place = collection.place
        if not self.summaries:
            raise CannotShowError("; ".join(self.notices[:3]) or f"{self.name}: holds no rollout")

        def load(index: int) -> Rollout:
            return collection.load(self.summaries[index])

        self._load = lru_cache(KEPT)(load)
        if len(self.summaries) <= MOST_CHECKED:
            self.summaries = tuple(map(self._with_findings, range(len(self.summaries))))

    def load(self, index: int) -> Rollout:
        """Return the whole rollout. Raises `RolloutError` when it is no longer there."""
        return self._load(index)

    def matching(self, query: str) -> list[int]:
        """Return the indices of the rollouts that a filter lets through. Raises `FilterError`."""
        positions = {id(summary): index for index, summary in enumerate(self.summaries)}

        def whole(summary: RolloutSummary) -> Rollout:
            return self.load(positions[id(summary)])

        wanted = compile_filter(query, whole)
        return [index for index, summary in enumerate(self.summaries) if wanted(summary)]

    def index_of(self, rollout_id: str) -> int:
        """Return the index of the first rollout with this id or at this place. Raises `CannotShowError`."""
        for index, summary in enumerate(self.summaries):
            if summary.id == rollout_id or format_place(summary) == rollout_id:
                return index
        known = ", ".join(summary.id for summary in self.summaries[:5])
        more = ", …" if len(self.summaries) > 5 else ""
        raise CannotShowError(f"{self.name}: has no rollout {rollout_id}; it has {known}{more}")

    def _with_findings(self, index: int) -> RolloutSummary:
        summary = self.summaries[index]
        if summary.findings is not None:
            return summary
        try:
            return summarise(self.load(index))
        except RolloutError:
            return summary


def picked(shelf: Shelf, only: str | None) -> list[int]:
    """Return the indices that `only` lets through; all for None. Raises `CannotShowError` when there is none."""
    try:
        found = shelf.matching(only or "")
    except FilterError as error:
        raise CannotShowError(f"only={only!r}: {error}") from error
    if not found:
        raise CannotShowError(f"{shelf.name}: none of {len(shelf.summaries):,} rollouts matches {only}")
    return found


def _paths(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    named = [source] if isinstance(source, str | os.PathLike) else source
    try:
        paths = [os.fspath(one) for one in named]
    except TypeError:
        raise TypeError(f"a path, a list of paths or a Rollout was expected, not {source!r:.100}") from None
    if not paths:
        raise CannotShowError("no path was given")
    return paths


def _sentence(diagnostic: Diagnostic) -> str:
    where, said = diagnostic.locator, diagnostic.message
    return visible_line(said if where is None else f"{where}: {said.removeprefix(f'{where}: ')}")
