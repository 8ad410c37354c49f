"""What a format reader is: a small protocol, so that others can add one by an entry point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from rollout_loaders.fast_dataclass import dataclass

from .model import Diagnostic, Rollout, RolloutSummary

ENTRY_POINT_GROUP = "rollout_inspect.readers"


class Confidence(IntEnum):
    """How sure a reader is that a file is its own."""

    NO = 0
    MAYBE = 1
    LIKELY = 2
    CERTAIN = 3


@dataclass(frozen=True, slots=True)
class StatedPolicy:
    """An `agent_outcome_policy` that the user states: HTTP status, failure kind or `default` → action."""

    actions: Mapping[str, str]
    source: str
    """Where it was stated, for the sentence that says what it does."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user forced.

    `gym_reasoning` forces the split's gate (CONTRACT 4.2); None leaves it to detection.
    `max_answer_chars` states a verifier's limit, `policy` the run's outcome policy.
    """

    gym_reasoning: bool | None = None
    max_answer_chars: int | None = None
    policy: StatedPolicy | None = None
    session_folder: bool = False
    """Set by the collection when a `result.json` lies beside the artifact (a session folder): an OpenCode store or
    log is then read as session output, not as the host response (CONTRACT 3, `scored`)."""


@runtime_checkable
class Artifact(Protocol):
    """One opened file or store. It holds no file in memory that an offset can find again."""

    path: str
    """As given on the command line, joined with the path inside a folder."""
    format: str

    def rollouts(self) -> Iterator[Rollout]:
        """Every rollout, in the order of CONTRACT 3; a damaged record costs that record and a diagnostic."""
        ...

    def summaries(self) -> Iterator[RolloutSummary]:
        """One line a rollout, as cheap as the format allows, in the same order."""
        ...

    def find(self, locator: str) -> Rollout | None:
        """The rollout of `L17`, `3-1`, `3-1-a2`, `ses_…` or its id, without reading the others where possible."""
        ...

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the file as a whole or with records that gave no rollout; complete after a full pass."""
        ...


class Reader(Protocol):
    """A format."""

    name: str

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """Judge by content first (`head` is up to 64 KiB, empty for a folder), by name only to break a tie."""
        ...

    def open(self, path: Path, shown: str, options: ReadOptions) -> Artifact:
        """Open `path`, to be shown as `shown`. Raises `ReadError`."""
        ...
