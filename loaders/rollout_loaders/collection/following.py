"""Following what PATHs name while other programs write it: `poll` gives what is new, reading as little as it can.

New lines of a rollouts file become new summaries. A file that was rotated, cut or rewritten, a database, a log and a
session folder are read again as a whole, the database through a fresh private copy that takes no lock on it. A PATH
with a locator is listed once and not followed.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from rollout_loaders.errors import RolloutError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.index.needle import Needle
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary

from .collection import Collection
from .lines import Lines
from .paths import Argument
from .search import Unit
from .stamps import Stamp, Unread, stamp_of, stats

_CLOCKS_DIFFER_NS = 2_000_000_000
"""Between this machine and one that keeps its files, at most; a file system may count in whole seconds or two."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a poll found."""

    rows: tuple[RolloutSummary, ...]
    """New rows, in order, to stand after the others of their path."""
    replaced: frozenset[str] = frozenset()
    """Paths whose earlier rows hold no longer; `rows` has all that their files hold now."""


@dataclass(slots=True)
class _Watched:
    argument: Argument
    unit: Unit
    stamp: Stamp
    lost: bool = False
    """At the last look it held nothing that can be read: cut to nothing, or being written anew."""


class Follower:
    """A collection that is listed once and then polled."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._watched: list[_Watched] = []
        self._searched: Stamp = ()
        self._unread = Unread()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """As of the collection."""
        return self.collection.diagnostics

    @property
    def place(self) -> Place | None:
        """As of the collection."""
        return self.collection.place

    def load(self, summary: RolloutSummary) -> Rollout:
        """As of the collection, of the unit as it was read last."""
        return self.collection.load(summary)

    def may_hold(self, summary: RolloutSummary, needle: Needle) -> bool:
        """As of the collection."""
        return self.collection.may_hold(summary, needle)

    def summaries(self) -> Iterator[RolloutSummary]:
        """What is there now; each unit is watched from before it is read."""
        yield from self._listed(early=False)

    def early(self) -> Iterator[RolloutSummary]:
        """As of the collection."""
        yield from self._listed(early=True)

    @property
    def renamed(self) -> bool:
        """As of the collection."""
        return self.collection.renamed

    @property
    def progress(self) -> tuple[str, float] | None:
        """As of the collection."""
        return self.collection.progress

    def _listed(self, early: bool) -> Iterator[RolloutSummary]:
        self._watched, began = [], time.time_ns() - _CLOCKS_DIFFER_NS
        for argument in self.collection.arguments():
            if argument.rollout is not None:
                yield from self.collection.summaries_named(argument)
                continue
            for unit in self.collection.units_of(argument):
                self._watch(argument, unit)
                yield from self.collection.summaries_of(argument, unit, early)
        # What changed while the list was read may have changed after it was looked at: the next poll looks again.
        self._searched = tuple(one for one in self._searched_stamp() if len(one) < 4 or int(one[3]) < began)

    def poll(self) -> Change | None:
        """What is new since the last call, None when nothing is. Trouble is a diagnostic, not an exception.

        A row can come twice when a file grew while it was listed first: rows are told apart by path and locator.
        """
        rows: list[RolloutSummary] = []
        replaced: set[str] = set()
        again: list[_Watched] = []
        for watched in self._watched:
            stamp = stamp_of(watched.unit)
            if stamp == watched.stamp:
                continue
            said = set(watched.unit.diagnostics())
            more = None if watched.lost else _more(watched, stamp)
            watched.stamp = stamp
            if more is None:
                again.append(watched)
                continue
            rows += more
            new = [one for one in watched.unit.diagnostics() if one not in said]
            lines = {f"{one.source.path}#{one.source.locator}" for one in more}
            self.collection.wrong.forget((), lines | {one.locator for one in new if one.locator is not None})
            self.collection.wrong.add(new)
        searched = self._searched_stamp()
        if again or searched != self._searched:
            found, paths = self._read_again(again)
            rows += found
            replaced |= paths
            self._searched = searched
        return Change(tuple(rows), frozenset(replaced)) if rows or replaced else None

    def _read_again(self, again: list[_Watched]) -> tuple[list[RolloutSummary], set[str]]:
        """Rows of units that changed or are new, and the paths whose earlier rows they replace."""
        changed = {path for watched in again for path in watched.unit.shown}
        kept = {path for watched in self._watched if watched not in again for path in watched.unit.shown}
        self._watched = [watched for watched in self._watched if watched not in again]
        self.collection.wrong.forget(changed)
        named = {argument.shown for argument in self.collection.arguments() if argument.rollout is not None}
        self.collection.wrong.forget_searches(kept | named)
        rows: list[RolloutSummary] = []
        for argument in self.collection.arguments():
            if argument.rollout is not None:
                continue
            for unit in self.collection.units_of(argument, kept):
                self._watch(argument, unit)
                rows += self.collection.summaries_of(argument, unit)
        there = {path for watched in self._watched for path in watched.unit.shown}
        for watched in again:
            if there.isdisjoint(watched.unit.shown):
                watched.lost = True
                self._watched.append(watched)
        return rows, changed

    def _watch(self, argument: Argument, unit: Unit) -> None:
        if isinstance(unit, Lines):
            with contextlib.suppress(RolloutError, OSError):  # reading it says what is wrong
                unit.watch()
        self._watched.append(_Watched(argument, unit, stamp_of(unit)))

    def _searched_stamp(self) -> Stamp:
        """Of what PATHs name now, of folders, whose time a new file changes, and of files of no known format."""
        named = tuple((argument.shown,) for argument in self.collection.arguments())
        folders = stats(dict.fromkeys(str(folder) for folder in self.collection.searched))
        return (*named, *folders, *self._unread.stamp(self.collection.unread))


def _more(watched: _Watched, stamp: Stamp) -> list[RolloutSummary] | None:
    """Rows that were added, where only the rollouts file itself changed."""
    unit = watched.unit
    own = set(unit.shown[:1])
    others = [one for one in stamp if one[0] not in own]
    if not isinstance(unit, Lines) or others != [one for one in watched.stamp if one[0] not in own]:
        return None
    try:
        return unit.more()
    except (RolloutError, OSError):
        return None
