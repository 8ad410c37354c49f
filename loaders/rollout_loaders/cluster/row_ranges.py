"""A byte range of a rollouts file as rows: looked through for names first, then read with what that gave."""

from __future__ import annotations

import marshal
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

from rollout_loaders.collection.attempts import Key, key_of
from rollout_loaders.collection.rows import Rows
from rollout_loaders.errors import RolloutError
from rollout_loaders.formats import gym_scan
from rollout_loaders.formats.gym_blocks import Readable
from rollout_loaders.formats.gym_file import GymFile
from rollout_loaders.formats.gym_index import Entry, Index, read_record
from rollout_loaders.formats.gym_rollouts import KIND, no_rollout
from rollout_loaders.formats.gym_row import row_name, task_of
from rollout_loaders.formats.row_kind import Fields
from rollout_loaders.jsonlines import Line, iter_lines, read_line
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.reader import ReadOptions
from rollout_loaders.source import open_file

from .names import SIZE, checksum, digest
from .pieces import Read, Scan, Scanned, WrongLine


def lines_of(path: Path, start: int, end: int) -> Iterator[Line]:
    """Lines that begin in `[start, end)`, numbered from 1. Raises `ReadError`."""
    if start > 0:
        cut = read_line(path, start - 1)
        start += len(cut.data) if cut.terminated else len(cut.data) - 1
    for line in iter_lines(path, start):
        if line.offset >= end:
            return
        yield line


def scan(piece: Scan, rows: Rows, key: bytes) -> Scanned:
    """Names of the records of a range and what is wrong with its other lines."""
    path, shown = rows.paths[0], rows.shown[0]
    lines, names = 0, bytearray()
    wrong: list[WrongLine] = []
    keys: set[Key] = set()
    try:
        for line in lines_of(path, piece.start, piece.end):
            lines = line.number
            if not line.data.strip():
                continue
            record = read_record(line, shown, no_rollout)
            if isinstance(record, Diagnostic):
                said = record.message.removeprefix(f"{shown}:{line.number}")
                wrong.append(WrongLine(line.number, record.code, said))
                continue
            name, own = row_name(record), key_of(task_of(record, None))
            if name is not None:
                names += digest(name, key)
            if own is not None and rows.has_failed(own):
                keys.add(own)
    except RolloutError:  # a line beyond its bound: reading the file in one piece says it as without a cluster
        return Scanned(is_whole=False)
    return Scanned(lines, bytes(names), tuple(wrong), frozenset(keys))


class RangedFile(GymFile):
    """The rows of one range, called as in their whole file."""

    def __init__(self, path: Path, shown: str, options: ReadOptions, piece: Read, key: bytes) -> None:
        super().__init__(path, shown, KIND, options)
        self._piece, self._key = piece, key
        self._lines, self._names = 0, bytearray()
        self._repeated = {piece.repeated[at : at + SIZE] for at in range(0, len(piece.repeated), SIZE)}
        self._given: Entry | None = None
        self._changed: list[Diagnostic] = []
        self.has_ended = False
        """Whether a pass came to the end of the range."""

    def rollouts(self) -> Iterator[Rollout]:
        """Every row as a rollout."""
        for line in lines_of(self._file, self._piece.start, self._piece.end):
            self._lines = line.number
            if not line.data.strip():
                continue
            placed = replace(line, number=self._piece.first_line + line.number - 1)
            entry = self._record_of(placed)
            if entry is None:
                continue
            index = self._taken(entry)
            rollout = self._read(placed, index.entries[0], index, self._piece.shared)
            self._changed += index.diagnostics
            if rollout is not None:
                yield rollout
        self.has_ended = True

    def summaries(self) -> Iterator[RolloutSummary]:
        """Every row as a line of a list, by the scan where that is enough."""
        maker = self.kind.lister(self.path)
        plain, (start, end) = gym_scan.plain_of(self.kind.scan), (self._piece.start, self._piece.end)
        with open_file(self._file) as file:
            for count, rows in gym_scan.packed(cast(Readable, file), start, end, plain):
                for number, offset, terminated, fields in marshal.loads(rows):
                    placed = self._piece.first_line + self._lines + number - 1
                    entry = self._entry(placed, offset, terminated, fields)
                    if entry is None:
                        continue
                    index = self._taken(entry)
                    if fields is not None:
                        yield maker.summary(index.id_of(index.entries[0]), placed, fields)
                    elif (whole := self._at(index.entries[0], index)) is not None:
                        yield self._whole_summary(whole)
                self._lines += count
        self.has_ended = True

    def find(self, locator: str) -> Rollout | None:
        """The row whose summary was given last: no other is asked for."""
        entry = self._given
        if entry is None or locator != f"L{entry.number}":
            return None
        return self._at(entry, self._index_of(entry))

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Rows that changed while they were read; lines that are no rows were told by the scan."""
        return tuple(self._changed)

    def is_as_scanned(self) -> bool:
        """Whether a whole pass met the names that the scan met."""
        return checksum(self._lines, self._names) == self._piece.checksum

    def _entry(self, number: int, offset: int, terminated: bool, fields: Fields | None) -> Entry | None:
        if fields is not None:
            return Entry(number, offset, self.kind.name_in(fields))
        return self._record_of(Line(number, offset, read_line(self._file, offset).data, terminated))

    def _taken(self, entry: Entry) -> Index:
        self._given = entry
        if entry.name is not None:
            self._names += digest(entry.name, self._key)
        return self._index_of(entry)

    def _index_of(self, entry: Entry) -> Index:
        repeats = entry.name is not None and digest(entry.name, self._key) in self._repeated
        return Index([entry], [], frozenset([entry.name]) if repeats and entry.name is not None else frozenset())

    def _at(self, entry: Entry, index: Index, length: int | None = None) -> Rollout | None:
        found = super()._at(entry, index, length)
        self._changed += index.diagnostics
        return found

    def _shared(self, index: Index) -> tuple[Diagnostic, ...]:  # noqa: ARG002 - of the whole file, not of this range
        return self._piece.shared


class RangedRows(Rows):
    """The rows of one range, joined with what lies beside their file."""

    def __init__(self, rows: Rows, file: RangedFile) -> None:
        """`rows` reads the sidecar and the folder once for all ranges that a worker is given."""
        super().__init__(rows._found, rows._sidecar, rows._options, rows._evidence)
        self._artifact = file
        self._failures = rows._index()
        self.problems = rows.problems


class OrphanRows(Rows):
    """The sidecar's records that no row belongs to."""

    def __init__(self, rows: Rows, keys: Collection[Key]) -> None:
        super().__init__(rows._found, rows._sidecar, rows._options, rows._evidence, with_orphans=True)
        self._failures = rows._index()
        self.problems = rows.problems
        self._keys = keys

    def rollouts(self) -> Iterator[Rollout]:
        """All of them, completed."""
        return self.orphans(self._keys)

    def summaries(self) -> Iterator[RolloutSummary]:
        """The same as lines of a list."""
        from rollout_loaders.summary import summarise

        return map(summarise, self.orphans(self._keys))
