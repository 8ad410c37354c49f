"""What the driver sends to workers and what they send back: pickled, so only between processes of one run."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from rollout_loaders.collection.attempts import Key
from rollout_loaders.collection.paths import Argument
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic
from rollout_loaders.reader import ReadOptions

from .file_state import FileState


@dataclass(frozen=True, slots=True)
class Run:
    """What all tasks of a run share."""

    findings: bool
    options: ReadOptions
    target: Path
    """Absolute: paths in the index are relative to its folder."""
    folder: str | None
    """The folder that relative PATHs are of; None where all are absolute."""
    variables: tuple[tuple[str, str | None], ...]
    """Environment variables that bound the reading, as the user set them."""
    code: str
    """`index.version.code_digest` of the driver."""
    key: bytes
    """Of the digests of names, other in each run, so that no file can hold two names of one digest."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Read a unit from its first byte to its last."""

    argument: Argument
    unit: bytes
    states: tuple[FileState, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """Look through the lines that begin in `[start, end)` of a rollouts file."""

    unit: bytes
    states: tuple[FileState, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Read:
    """Read the rows of a range, whose file is known now."""

    argument: Argument
    unit: bytes
    states: tuple[FileState, ...]
    start: int
    end: int
    first_line: int
    repeated: bytes
    """Digests of the names in the range that other rows of the file have too."""
    shared: tuple[Diagnostic, ...]
    """What every rollout of the file says about the file."""
    checksum: bytes
    """Of what the scan saw: `names.checksum`."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """Read the sidecar's records that belong to none of the rows with these keys."""

    argument: Argument
    unit: bytes
    states: tuple[FileState, ...]
    keys: frozenset[Key]


Piece: TypeAlias = Whole | Scan | Read | Orphans


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A line that gave no rollout, before it is known where in the file its range begins."""

    number: int
    """From 1 in its range."""
    code: str
    said: str
    """The message after `path:line`."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """The end of a `Scan`. `is_whole` False: it could not be looked through, and must be read in one piece."""

    lines: int = 0
    names: bytes = b""
    """Digests of the names, in file order; a row without a name has none."""
    wrong: tuple[WrongLine, ...] = ()
    keys: frozenset[Key] = frozenset()
    """(task, rollout) of rows that have failed attempts in the sidecar."""
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Done:
    """The end of any other piece; its rows came before it."""

    diagnostics: tuple[Diagnostic, ...]
    claimed: tuple[Path, ...] = ()
    is_whole: bool = True
    """False where a fault ended the reading early: what comes after it in the file is not read either."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The end of a piece that a worker cannot do, and of the whole run."""

    path: str
    reason: str
    hint: str


End: TypeAlias = Scanned | Done | Refused
