"""An artifact without a sidecar, as rollouts."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import Rollout, RolloutSummary
from rollout_loaders.reader import ReadOptions

from . import attempts
from .attempts import Fellows, Key
from .contents import Found
from .one_file import OneFile
from .opening import completed, find_in, guarded


class Plain(OneFile):
    """An artifact of any other format, and a sidecar opened by itself: its rollouts as its reader gives them."""

    def __init__(self, found: Found, options: ReadOptions) -> None:
        super().__init__(found, options)
        self._failures: dict[Key, Fellows] | None = None

    def rollouts(self) -> Iterator[Rollout]:
        """Every rollout, completed."""
        for rollout in guarded(self._found, self._open().rollouts, self.problems):
            yield completed(self._with_fellows(rollout), self._options)

    def lists_whole(self) -> bool:
        """Whether a list builds every rollout anyway. Raises `ReadError`."""
        from rollout_loaders.formats.logged_file import LoggedFile  # a search of rows needs none

        return isinstance(self._open(), LoggedFile)

    def summaries(self) -> Iterator[RolloutSummary]:
        """The reader's own summaries."""
        yield from guarded(self._found, self._open().summaries, self.problems)

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """The rollout of this locator or id. Raises `ReadError`."""
        if shown is not None and shown != self._found.entry.shown:
            return None
        rollout = find_in(self._found, self._open(), name)
        return None if rollout is None else completed(self._with_fellows(rollout), self._options)

    def _with_fellows(self, rollout: Rollout) -> Rollout:
        if not rollout.evidence.failures or rollout.attempts:
            return rollout
        if self._failures is None:
            self._failures = attempts.by_key(guarded(self._found, self._open().rollouts, []), self._found.entry.shown)
        key = attempts.key_of(rollout.task)
        return rollout if key is None else attempts.without_row(rollout, self._failures.get(key))
