"""Where the app gets its rollouts from: a small protocol, so that tests and readers of other kinds can stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

from rollout_loaders.index.needle import Needle
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary
from rollout_loaders.reader import ReadOptions


class RolloutSource(Protocol):
    """Summaries first, one whole rollout on demand."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the files as a whole; complete after a full pass."""
        ...

    @property
    def place(self) -> Place | None:
        """The place that the command line named (`…@turn:7`), if any."""
        ...

    def summaries(self) -> Iterator[RolloutSummary]:
        """One line a rollout, streaming."""
        ...

    def load(self, summary: RolloutSummary) -> Rollout:
        """Read one rollout in full."""
        ...


@runtime_checkable
class EarlySource(Protocol):
    """A source that gives rows before it knows what they are called in the end."""

    def early(self) -> Iterator[RolloutSummary]:
        """As `summaries`, each row as soon as it is read."""
        ...

    @property
    def renamed(self) -> bool:
        """Whether a row that `early` gave is called otherwise in `summaries`."""
        ...


@runtime_checkable
class MeasuredSource(Protocol):
    """A source that knows how far a listing is."""

    @property
    def progress(self) -> tuple[str, float] | None:
        """The file that is being listed, and how much of it has been, from 0 to 1."""
        ...


Opener = Callable[[], RolloutSource]
"""Opens the source; called in a worker thread, for finding files can take its time."""


class Rows(Protocol):
    """What a followed source has to say since it was asked last."""

    @property
    def rows(self) -> tuple[RolloutSummary, ...]:
        """New rows."""
        ...

    @property
    def replaced(self) -> frozenset[str]:
        """Paths whose earlier rows hold no longer."""
        ...


@runtime_checkable
class FollowedSource(Protocol):
    """A source that knows what is new without reading everything again."""

    def poll(self) -> Rows | None:
        """What is new since the last call."""
        ...


@runtime_checkable
class SievedSource(Protocol):
    """A source that knows of many records that they cannot hold a text, without reading them."""

    def may_hold(self, summary: RolloutSummary, needle: Needle) -> bool:
        """Whether the record of a summary may hold it."""
        ...


def collection_opener(paths: tuple[str, ...], options: ReadOptions, reader: str | None, follow: bool = False) -> Opener:
    """Return an opener over the paths of a command line; `follow`: of a source that can be polled."""

    def open_collection() -> RolloutSource:
        # Imported late: the first frame must not wait for the readers.
        from rollout_loaders.collection import open_paths

        collection = open_paths(paths, options, reader)
        if not follow:
            return collection
        from rollout_loaders.collection.following import Follower

        return Follower(collection)

    return open_collection
