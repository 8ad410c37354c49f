"""Messages that cross from workers to screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout, RolloutSummary

from .loading import RolloutSource

if TYPE_CHECKING:
    from .panes.blocksource import TranscriptSource


@dataclass
class SourceOpened(Message):
    """The paths were found and can be read."""

    source: RolloutSource


@dataclass
class RowsRead(Message):
    """More summaries came in."""

    rows: list[RolloutSummary]
    progress: tuple[str, float] | None = None
    """The file that is being read, and how much of it has been, from 0 to 1."""


@dataclass
class ReadingEnded(Message):
    """Reading came to its end, or broke off."""

    problem: str | None = None
    cancelled: bool = False


@dataclass
class RolloutLoaded(Message):
    """A whole rollout was read."""

    summary: RolloutSummary
    rollout: Rollout
    prepared: TranscriptSource | None = None
    """Its sections, listed by the worker: for 100,000 turns they take longer than the first paint."""


@dataclass
class LoadFailed(Message):
    """A rollout could not be read; `problem` is one line."""

    summary: RolloutSummary
    problem: str
