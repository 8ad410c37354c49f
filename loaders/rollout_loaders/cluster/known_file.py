"""What the scans of a file's ranges say together: the pieces that its rows are read in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rollout_loaders.collection.attempts import Key
from rollout_loaders.collection.rows import Rows
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.formats.gym_file import shared
from rollout_loaders.model import Diagnostic

from .names import checksum, repeated
from .pieces import Orphans, Piece, Read, Scan, Scanned, Whole
from .plan import Job


@dataclass(frozen=True, slots=True)
class KnownFile:
    """How the rows of a job are read, and which of its lines are none."""

    pieces: tuple[Piece, ...]
    wrong: tuple[Diagnostic, ...] = ()


def scans_of(job: Job) -> list[Piece]:
    """What must be looked through before the job's rows can be read; nothing where it is read whole."""
    return [Scan(job.data, job.states, start, end) for start, end in job.ranges]


def known_file(job: Job, scans: Sequence[Scanned]) -> KnownFile:
    """The job in pieces, by the scans of its ranges."""
    if not scans or not all(scan.is_whole for scan in scans):
        return KnownFile((Whole(job.argument, job.data, job.states),))
    wrong = tuple(_wrong(job, scans))
    told = shared(wrong, job.unit.shown[0])
    names = repeated([scan.names for scan in scans])
    pieces: list[Piece] = []
    first = 1
    for (start, end), scan, twice in zip(job.ranges, scans, names, strict=True):
        seen = checksum(scan.lines, scan.names)
        pieces.append(Read(job.argument, job.data, job.states, start, end, first, twice, told, seen))
        first += scan.lines
    if isinstance(job.unit, Rows) and job.unit.may_have_orphans:
        keys = frozenset[Key]().union(*(scan.keys for scan in scans))
        pieces.append(Orphans(job.argument, job.data, job.states, keys))
    return KnownFile(tuple(pieces), wrong)


def _wrong(job: Job, scans: Sequence[Scanned]) -> Iterator[Diagnostic]:
    shown, before = job.unit.shown[0], 0
    for scan in scans:
        for line in scan.wrong:
            number = before + line.number
            yield Diagnostic(line.code, f"{shown}:{number}{line.said}", f"{shown}#L{number}")
        before += scan.lines
