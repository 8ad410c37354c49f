"""PATHs as steps, in the order in which one process would read them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TypeAlias

from rollout_loaders.collection import Collection
from rollout_loaders.collection.indexed_runs import IndexedRuns
from rollout_loaders.collection.paths import Argument
from rollout_loaders.collection.rows import Rows
from rollout_loaders.collection.search import Unit
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic
from rollout_loaders.remote.path import RemotePath

from .file_state import FileState, state_of

RANGE = 64 * 1024 * 1024
"""Bytes above which a rollouts file is read in ranges of about this size."""
MOST = 2000
"""Steps that are planned before they are done."""


@dataclass(frozen=True, slots=True)
class Job:
    """A unit for workers."""

    argument: Argument
    unit: Unit
    data: bytes
    """The unit, pickled before anything was read."""
    states: tuple[FileState, ...]
    ranges: tuple[tuple[int, int], ...] = ()
    """Of a large rollouts file; none: it is read whole."""


@dataclass(frozen=True, slots=True)
class Own:
    """What the driver reads itself: single rollouts, standard input, URLs, other indexes, what it cannot see."""

    argument: Argument
    unit: Unit | None = None
    """None for all that the argument names."""


Step: TypeAlias = Job | Own | tuple[Diagnostic, ...]
"""Diagnostics are said at their place among the others."""


class Plan:
    """The steps of a collection, in rounds: what is found later may depend on what a round has read."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._said = 0

    def rounds(self) -> Iterator[list[Step]]:
        """Each round is to be done before the next is asked for."""
        steps: list[Step] = [self.news()]
        for argument in self._collection.arguments():
            steps.append(self.news())
            if _is_own(argument):
                steps.append(Own(argument))
                continue
            for unit in self._collection.units_of(argument):
                steps.append(_step(argument, unit))
                if len(steps) >= MOST or (isinstance(unit, Rows) and unit.may_claim()):
                    yield steps
                    steps = []
            steps.append(self.news())
        yield [*steps, self.news()]

    def news(self) -> tuple[Diagnostic, ...]:
        """What the collection has found wrong since the last call."""
        known = self._collection.diagnostics
        news, self._said = known[self._said :], len(known)
        return news


def _is_own(argument: Argument) -> bool:
    """URLs too: what they may hold of secrets, and what a session has asked of a server, stays in this process."""
    is_single = argument.rollout is not None or argument.place is not None
    return argument.is_stdin or is_single or isinstance(argument.path, RemotePath)


def _step(argument: Argument, unit: Unit) -> Step:
    if isinstance(unit, IndexedRuns):
        return Own(argument, unit)
    try:
        states = tuple(state_of(path) for path in unit.paths)
        data = pickle.dumps(unit)
    except OSError:  # gone since it was found: the reading says so
        return Own(argument, unit)
    except (pickle.PicklingError, TypeError, AttributeError):  # a reader of another distribution
        return Own(argument, unit)
    is_large = isinstance(unit, Rows) and states[0].size > RANGE
    return Job(argument, unit, data, states, _ranges(states[0].size) if is_large else ())


def _ranges(size: int) -> tuple[tuple[int, int], ...]:
    share = -(-size // -(-size // RANGE))
    return tuple((start, min(start + share, size)) for start in range(0, size, share))
