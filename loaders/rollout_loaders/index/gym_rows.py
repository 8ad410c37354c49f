"""A file of a rollout a line whose listing is kept: what is listed comes from its index where that is still true.

The index holds what the format's scan found, so that the same code makes summaries of it, kept or not; the summary of a
row that the scan cannot judge is kept as it came of the full reading.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import marshal
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rollout_loaders.bounds import NESTING
from rollout_loaders.errors import BeyondError, ReadError
from rollout_loaders.formats.gym_file import INDEXED_AT_ONCE, GymFile
from rollout_loaders.formats.gym_index import Entry, Index, is_line
from rollout_loaders.formats.row_kind import Refused
from rollout_loaders.jsonlines import Line, iter_lines, read_line
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.remote.path import RemotePath
from rollout_loaders.source import open_file

from .building import Built, Records, build, kept_identity
from .container import DamagedIndexError, IndexReader, open_index
from .folder import cache_folder, file_name
from .growing import Growth, growth_of
from .identity import FileIdentity, identity_of, may_be_extended, may_change_unseen, place_of, still_holds
from .needle import Needle
from .segments import entries_of, judged_of, names_of, next_offset, row_segments, scanned_rows, wrong_of
from .summary_row import summary_of
from .version import rules_version


class IndexedGymFile(GymFile):
    """As `GymFile`, with an index in the cache folder."""

    keeps = True
    """Whether an index may be kept of it."""
    builds = True
    """Whether it is large enough for one. Of a URL, one that is not kept still saves reading rows a second time."""
    _kept: IndexReader | None = None
    _damaged = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._met: list[Diagnostic] = []
        """Lines that gave no rollout, of those read apart from a full pass."""
        self._growth: Growth | None = None
        self._names_known = False
        self._added: dict[int, Entry] = {}
        self.renamed = False
        """Whether a row that `early` gave turned out to share its name, and is called by its line now."""
        self.reached = 0
        """Bytes before the row that a listing gave last."""

    def summaries(self) -> Iterator[RolloutSummary]:
        """From the index, made or extended first where it is not there; without a usable cache as `GymFile` does."""
        kept = None if self._damaged else self._up_to_date(make=True)
        if kept is None:
            yield from super().summaries()
            return
        given = 0
        try:
            for summary in self._placed(self._listed(kept)):
                given += 1
                yield summary
        except DamagedIndexError:  # written well and damaged since: the file itself has the rest
            self._forget()
            self._damaged = True
            for place, summary in enumerate(super().summaries()):
                if place >= given:
                    yield summary

    def early(self) -> Iterator[RolloutSummary]:
        """As `summaries`, but rows are given while their index is made, before it is known which names are repeated.

        `renamed` says afterwards whether a row is called by its line now that was given by its name.
        """
        self.renamed = False
        if self._damaged or self._is_kept():
            yield from self.summaries()
            return
        maker, given, lasting = self.kind.lister(self.path), 0, None
        seen, shared = set[str](), set[str]()
        making = self._making()
        with contextlib.closing(making):
            try:
                while True:
                    for entry, known in next(making):
                        name = entry.name
                        if name is not None:
                            (shared if name in seen else seen).add(name)
                        rollout_id = name if name is not None and name not in shared else f"L{entry.number}"
                        self.reached = entry.offset
                        self._added[entry.number] = entry  # who asks for more about this row finds it
                        if isinstance(known, RolloutSummary):
                            yield replace(known, id=rollout_id)
                        else:
                            yield maker.summary(rollout_id, entry.number, known)
                        self._added.pop(entry.number, None)
                        given += 1
            except StopIteration as done:
                lasting = done.value
        self.renamed = bool(shared)
        if lasting is None:  # no index could be made: the rest comes without one
            yield from itertools.islice(super().summaries(), given, None)

    def find(self, locator: str) -> Rollout | None:
        """By the index where there is one: no other line is read."""
        row = self._found_as_known(locator)
        if row is not None:
            return row
        added = self._added.get(int(locator[1:])) if is_line(locator) else None
        if added is not None and (self._growth is None or self._holds(self._growth.identity)):
            return self._at(added, Index([added]))
        if self._kept is not None and not self._holds(kept_identity(self._kept)):
            self._forget()
        kept = self._kept or (None if self._damaged else self._up_to_date(make=False))
        if kept is None or self._index is not None:
            return super().find(locator)
        try:
            entries = self._named(kept, locator)
        except DamagedIndexError:
            self._forget()
            return super().find(locator)
        if not entries:
            return None
        index = Index(entries, wrong_of(kept, self.path), frozenset(kept.facts["repeated"]))
        entry = index.find(locator)
        return None if entry is None else self._at(entry, index, self._length(kept, entry))

    def _holds(self, identity: FileIdentity) -> bool:
        """Whether places of this state are still those of the same rows; one that has a name tells that by itself."""
        return self.kind.has_names or still_holds(identity, self._file)

    def _refused(self) -> tuple[Diagnostic, ...]:
        if self._index is None and self._kept is not None:
            known = wrong_of(self._kept, self.path)
            return (*known, *(one for one in self._met if one not in known))
        return (*super()._refused(), *self._met)

    def watch(self) -> None:
        """Note where the file stands, so that `more` gives what comes after. Raises `ReadError`."""
        self._growth = growth_of(self._file, self.kind.scan)
        self._names_known = False
        self._added.clear()

    def more(self) -> list[RolloutSummary] | None:
        """Rows that were added since `watch` or the last call.

        None where the file was rotated, cut or rewritten, or where a new row has the name of an earlier one, which is
        then called by its line. Raises `ReadError`.
        """
        growth = self._growth
        if growth is None:
            return None
        rows = growth.rows()
        if not rows:
            return None if rows is None else []
        if not self._names_known and self.kind.has_names:
            growth.names = {e.name for e in self._before(rows[0][0]) if e.name is not None}
            self._names_known = True
        maker, found = self.kind.lister(self.path), list[RolloutSummary]()
        for number, offset, _, fields in rows:
            entry = self._entry_at(number, offset, fields)
            if entry is None:
                continue
            if entry.name in growth.names:
                return None
            if entry.name is not None:
                growth.names.add(entry.name)
            self._added[number] = entry
            if fields is not None:
                found.append(maker.summary(entry.name or f"L{number}", number, fields))
            elif isinstance(judged := self._judged(entry), RolloutSummary):
                found.append(judged)
        return found

    def _before(self, line: int) -> Iterator[Entry]:
        if self._kept is None or self._index is not None:
            entries: Iterator[Entry] = iter(self._indexed().entries)
        else:
            kept = self._kept
            entries = (entry for segment in row_segments(kept) for entry in entries_of(kept, segment))
        return (entry for entry in entries if entry.number < line)

    def _entry_at(self, number: int, offset: int, fields: Any) -> Entry | None:
        if fields is not None:
            return Entry(number, offset, self.kind.name_in(fields))
        line = read_line(self._file, offset)
        return self._met_at(Line(number, offset, line.data, line.terminated))

    def holding(self, needle: Needle) -> Iterator[tuple[int, Rollout]]:
        """(line, rollout) of every row whose line may hold the needle; unreadable ones among them are diagnostics.

        Without an index of a large file it is not known whether other rows have the same name: such a rollout is called
        by its line, which names it all the same.
        """
        kept = self._kept or (None if self._damaged else self._up_to_date(make=False))
        known = kept is not None or self._index is not None or self._file.stat().st_size <= INDEXED_AT_ONCE
        known = known and self.kind.has_names
        for line in needle.lines(self._file):
            if not line.data.strip():
                continue
            rollout = self.find(f"L{line.number}") if known else self._called_by_line(line)
            if rollout is not None:
                yield line.number, rollout

    def _called_by_line(self, line: Line) -> Rollout | None:
        entry = self._met_at(line)
        if entry is None:
            return None
        rollout = self._read(line, entry, Index([entry]), ())
        return None if rollout is None else replace(rollout, id=f"L{line.number}")

    def _met_at(self, line: Line) -> Entry | None:
        read = self.kind.record(line, self.path)
        if isinstance(read, Refused):
            self._met += read.diagnostics
            return None
        return Entry(line.number, line.offset, self.kind.name_of(read))

    def has_rollouts(self) -> bool:
        """Whether any line is a record, reading up to the first. Raises `ReadError`."""
        return any(
            not isinstance(self.kind.record(line, self.path), Refused)
            for line in iter_lines(self._file)
            if line.data.strip()
        )

    def _indexed(self) -> Index:
        if self._index is None:
            kept = None if self._damaged else self._up_to_date(make=False)
            if kept is not None:
                with contextlib.suppress(DamagedIndexError):
                    entries = [entry for segment in row_segments(kept) for entry in entries_of(kept, segment)]
                    self._index = Index(entries, wrong_of(kept, self.path), frozenset(kept.facts["repeated"]))
        return super()._indexed()

    def _is_kept(self) -> bool:
        """Whether an index of the file is there, of its present state or of an earlier one, or none may be made."""
        folder = cache_folder() if self.keeps else None
        return folder is None or self._place_in(folder, place_of(self._file)).exists()

    def _place_in(self, folder: Path, resolved: str) -> Path:
        return folder / file_name(resolved, f"{rules_version()}{self.kind.stamp} {NESTING.value}")

    def _up_to_date(self, make: bool) -> IndexReader | None:
        """The index of the file as it is now; `make`: made or extended where it is not there. Raises `ReadError`."""
        making = self._making(make)
        try:
            while True:
                next(making)
        except StopIteration as done:
            found: IndexReader | None = done.value
            return found

    def _making(self, make: bool = True) -> Generator[Records, None, IndexReader | None]:
        """Gives the records of what had to be scanned, and returns the index. Raises `ReadError`."""
        folder = cache_folder() if self.keeps else None
        if folder is None and not (make and self.builds and isinstance(self._file, RemotePath)):
            return None
        try:
            with open_file(self._file) as file:
                now, stamp = identity_of(self._file, file), self.kind.stamp
                target = None if folder is None else self._place_in(folder, now.path)
                if target is None and self._kept is not None and kept_identity(self._kept) == now:
                    return self._kept
                self._forget()
                old = None if target is None else open_index(target)
                if old is not None and kept_identity(old) == now:
                    self._kept = old
                    return old
                if not make:
                    return None
                if old is not None and not may_be_extended(kept_identity(old), now, file):
                    old.close()
                    old = None
                built = Built(self._file, self.path, file, now, self.kind, self._judged)
                place = None if may_change_unseen(now) else target
                self._kept = yield from build(built, old, folder, place)
                if place is not None and self.kind.stamp != stamp:  # rows were judged by what came meanwhile
                    place.unlink(missing_ok=True)
        except ReadError as error:
            if self.kind.has_names or not isinstance(error, BeyondError):
                raise
            return None
        except (OSError, DamagedIndexError, ValueError, KeyError, TypeError):
            return None
        return self._kept

    def _judged(self, entry: Entry) -> RolloutSummary | Refused:
        """The summary of a row that the scan could not judge."""
        index = Index([entry])
        rollout = self._at(entry, index)
        return Refused(tuple(index.diagnostics)) if rollout is None else self._whole_summary(rollout)

    def _listed(self, kept: IndexReader) -> Iterator[tuple[int, RolloutSummary]]:
        """(offset, summary)."""
        maker = self.kind.lister(self.path)
        repeated = frozenset(kept.facts["repeated"])
        for segment in row_segments(kept):
            first, names = segment.first_line - 1, names_of(kept, segment)
            judged = marshal.loads(judged_of(kept, segment))
            name_of = dict(zip(names[0], names[2], strict=True))
            for number, offset, _, fields in scanned_rows(kept, segment):
                self.reached = offset
                line = first + number
                name = name_of.get(line, "")
                if line not in name_of:
                    continue
                rollout_id = name if name is not None and name not in repeated else f"L{line}"
                if fields is not None:
                    yield offset, maker.summary(rollout_id, line, fields)
                elif str(line) in judged:
                    yield offset, summary_of(judged[str(line)], self.path, rollout_id, self.kind.artifacts)

    def _named(self, kept: IndexReader, locator: str) -> list[Entry]:
        """The entries that a locator may mean: of a line, or all of a name."""
        segments = row_segments(kept)
        if is_line(locator):
            line = int(locator[1:])
            at = bisect.bisect_right([segment.first_line for segment in segments], line) - 1
            entries = entries_of(kept, segments[at]) if at >= 0 else []
            found = [entry for entry in entries if entry.number == line]
            name = found[0].name if found else locator
            if found and name not in kept.facts["repeated"]:
                return found
        else:
            name = locator
        return [entry for segment in segments for entry in entries_of(kept, segment) if entry.name == name]

    def _length(self, kept: IndexReader, entry: Entry) -> int | None:
        """Bytes from a row to the next, where transferring more would cost something."""
        if not isinstance(self._file, RemotePath):
            return None
        return next_offset(kept, entry, self._file.state.size) - entry.offset

    def _forget(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None
