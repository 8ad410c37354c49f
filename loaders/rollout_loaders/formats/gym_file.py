"""A file that holds a rollout a line: what the readers of Gym's two files and of verifiers' results share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rollout_loaders import source
from rollout_loaders.bounds import LINE
from rollout_loaders.counted_diagnostics import MOST
from rollout_loaders.errors import BeyondError
from rollout_loaders.fast_dataclass import changed
from rollout_loaders.jsonlines import Line, iter_lines, lines_at, read_line
from rollout_loaders.model import Diagnostic, Grading, JsonObject, Rollout, RolloutSummary, SourceRef, Span
from rollout_loaders.reader import ReadOptions
from rollout_loaders.remote.path import RemotePath

from .gym_index import Entry, Index, build_index, is_line
from .gym_seek import line_at, lines_with_name
from .row_kind import Refused, RowKind

if TYPE_CHECKING:
    from .gym_summary import Scanned

INDEXED_AT_ONCE = 64 * 1024 * 1024
"""Bytes up to which finding one record first reads all names, so that a repeated identity is known."""


class KnownRow(NamedTuple):
    """What an index says of a row."""

    number: int
    id: str
    offset: int
    length: int


class GymFile:
    """One opened file. It holds places of records, never records."""

    def __init__(self, file: Path, shown: str, kind: RowKind, options: ReadOptions) -> None:
        self._file, self._options = file, options
        self.path, self.kind = shown, kind
        self.format = kind.format
        self._index: Index | None = None
        self._index_state: tuple[int, ...] | None = None
        self.known: Mapping[str, KnownRow] = {}
        """Rows by id and by locator whose places an index of this state of the file gives."""

    def rollouts(self) -> Iterator[Rollout]:
        """One rollout a record, in file order. Where rows have names the file is read for these first: some repeat."""
        if not self.kind.has_names:
            yield from self._in_one_pass()
            return
        index = self._indexed()
        shared = self._shared(index)
        by_number = index.by_number
        for line in iter_lines(self._file):
            entry = by_number.get(line.number)
            if entry is not None:
                rollout = self._read(line, entry, index, shared)
                if rollout is not None:
                    yield rollout

    def _in_one_pass(self) -> Iterator[Rollout]:
        index = self._begun()
        for line in iter_lines(self._file, blank=False):
            read = self.kind.whole(line, self.path)
            if isinstance(read, Refused):
                index.diagnostics += read.diagnostics
                continue
            index.entries.append(Entry(line.number, line.offset, None))
            yield self._built(line, *read, f"L{line.number}")

    def _begun(self) -> Index:
        """An index that a pass is going to fill, of the file as it is now."""
        self._index, self._index_state = Index(), self._state()
        return self._index

    def summaries(self) -> Iterator[RolloutSummary]:
        """The same as lines of a list; findings are left out (None) where that saves building the rollout."""
        if not self.kind.scan:
            for rollout in self.rollouts():
                yield self._whole_summary(rollout)
            return
        given = 0
        try:
            for summary in self._placed(self._scanned()):
                yield summary
                given += 1
        except BeyondError:
            if self.kind.has_names:
                raise
            # A scan ends at a line beyond its bound without the lines before it that it had taken together with it.
            for rollout in islice(self.rollouts(), given, None):
                yield self._whole_summary(rollout)

    def _scanned(self) -> Iterator[tuple[int, RolloutSummary]]:
        """(offset, summary)."""
        index, place = Index() if self.kind.has_names else self._begun(), 0
        maker, parts = self.kind.lister(self.path), self._parts(index)
        if self.kind.has_names:
            parts, self._index = iter(list(parts)), index
        for part in parts:
            for number, offset, _, fields in part.rows():
                if place == len(index.entries) or index.entries[place].number != number:
                    continue
                entry = index.entries[place]
                place += 1
                if fields is not None:
                    yield offset, maker.summary(index.id_of(entry), number, fields)
                elif (whole := self._at(entry, index)) is not None:
                    yield offset, self._whole_summary(whole)

    def _parts(self, index: Index) -> Iterator[Scanned]:
        """Ranges of rows; `index` learns those of each."""
        from .gym_summary import scan_file

        for part in scan_file(self._file, self.kind.scan):
            self._add_to(index, part)
            yield part

    def _placed(self, listed: Iterator[tuple[int, RolloutSummary]]) -> Iterator[RolloutSummary]:
        """Summaries with their offsets as summaries; behind a URL each says where its row lies."""
        if not isinstance(self._file, RemotePath):
            yield from (summary for _, summary in listed)
            return
        state = self._file.state
        held: tuple[int, RolloutSummary] | None = None
        for offset, summary in listed:
            if held is not None:
                yield _spanned(held[1], Span(held[0], offset - held[0], state.version))
            held = (offset, summary)
        if held is not None:
            yield _spanned(held[1], Span(held[0], state.size - held[0], state.version))

    def _whole_summary(self, rollout: Rollout) -> RolloutSummary:
        """Of a rollout that was built; of what `complete` adds, only what a list shows."""
        from rollout_loaders.evidence.grading_state import facts_of, state_of
        from rollout_loaders.evidence.outcome import outcome_of
        from rollout_loaders.summary import summarise

        row, failures = rollout.evidence.row, rollout.evidence.failures
        state, _ = state_of(facts_of(row, failures[-1] if failures else None))
        grading = Grading(state=state, reward=None if row is None else row.reward)
        return changed(summarise(changed(rollout, outcome=outcome_of(rollout), grading=grading)), findings=None)

    def _add_to(self, index: Index, part: Scanned) -> None:
        rows = list(part.rows())
        others = lines_at(self._file, [offset for _, offset, _, fields in rows if fields is None])
        for number, offset, terminated, fields in rows:
            if fields is not None:
                index.entries.append(Entry(number, offset, self.kind.name_in(fields)))
                continue
            line = Line(number, offset, next(others).data, terminated)
            read = self.kind.record(line, self.path)
            if isinstance(read, Refused):
                index.diagnostics += read.diagnostics
            else:
                index.entries.append(Entry(number, offset, self.kind.name_of(read)))

    def find(self, locator: str) -> Rollout | None:
        """The rollout of `L17` or of its id, reading only its line where the places are known or the file is large."""
        row = self._found_as_known(locator)
        if row is not None:
            return row
        if not self.kind.has_names:
            return self._found_by_line(locator)
        if self._index is None and (self._is_far(locator) or self._file.stat().st_size > INDEXED_AT_ONCE):
            return self._found_by_scan(locator)
        index = self._indexed()
        entry = index.find(locator)
        return None if entry is None else self._at(entry, index)

    def _state(self) -> tuple[int, ...] | None:
        """Of the file on this machine; an object behind a URL stays the one that was opened."""
        return None if isinstance(self._file, RemotePath) else source.state_of(self._file)

    def _is_far(self, locator: str) -> bool:
        """A line behind a URL: what comes after it is not transferred to learn whether others have its name."""
        return is_line(locator) and isinstance(self._file, RemotePath)

    def _found_as_known(self, locator: str) -> Rollout | None:
        """By an index of this state of the file; None where the row there is not the one that the index names."""
        known = self.known.get(locator)
        if known is None or known.offset < 0 or not 0 < known.length <= LINE.value:
            return None
        before = min(1, known.offset)
        raw = source.read_range(self._file, known.offset - before, known.length + before)
        if before and raw[:1] != b"\n":
            return None
        data, newline, _ = raw[before:].partition(b"\n")
        found = Line(known.number, known.offset, data, bool(newline))
        entry = self._record_of(found)
        if entry is None or (entry.name or f"L{known.number}") != known.id:
            return None
        return self._read(found, entry, Index([entry]), ())

    def _at(self, entry: Entry, index: Index, length: int | None = None) -> Rollout | None:
        line = read_line(self._file, entry.offset, length)
        numbered = Line(entry.number, line.offset, line.data, line.terminated)
        return self._read(numbered, entry, index, self._shared(index))

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Every line that gave no rollout; complete after a full pass."""
        return (*self.kind.problems(), *self._refused())

    def _refused(self) -> tuple[Diagnostic, ...]:
        return tuple(self._index.diagnostics) if self._index is not None else ()

    def _indexed(self) -> Index:
        if self._index is None:
            self._index = build_index(self._file, self.path, self.kind)
        return self._index

    def _shared(self, index: Index) -> tuple[Diagnostic, ...]:
        """What every rollout of the file says about the file."""
        return shared(index.diagnostics, self.path) if self.kind.has_names else ()

    def _read(self, line: Line, entry: Entry, index: Index, shared: Sequence[Diagnostic]) -> Rollout | None:
        locator = f"L{line.number}"
        read = self.kind.whole(line, self.path)
        why = read.diagnostics[-1].message if isinstance(read, Refused) and read.diagnostics else None
        if not isinstance(read, Refused) and self.kind.name_of(read[0]) != entry.name:
            why = f"{self.path}:{line.number}: holds another rollout than {index.id_of(entry)}"
        if isinstance(read, Refused) or why is not None:
            # The file changed since its places were noted: nothing read from it now may pass for what was listed.
            said = f"{why or locator}; the file has changed since it was listed"
            index.diagnostics.append(Diagnostic("file-changed", said, locator))
            return None
        row, own = read
        identity = index.identity_problem(entry) if self.kind.has_names else None
        if identity is not None:
            own.append(identity)
        return self._built(line, row, [*own, *shared], index.id_of(entry))

    def _built(self, line: Line, row: JsonObject, said: Sequence[Diagnostic], rollout_id: str) -> Rollout:
        span = None
        if isinstance(self._file, RemotePath):
            span = Span(line.offset, len(line.data) + line.terminated, self._file.state.version)
        where = SourceRef(path=self.path, format=self.format, locator=f"L{line.number}", span=span)
        return self.kind.built(row, rollout_id, where, said, self._options)

    def _found_by_line(self, locator: str) -> Rollout | None:
        """By a pass over the file as it still is, else by counting lines: a row without a name cannot tell itself."""
        is_fresh = self._index is not None and self._index_state == self._state()
        entry = self._index.find(locator) if self._index is not None and is_fresh else None
        if entry is not None:
            return self._at(entry, Index([entry]))
        lined = line_at(self._file, int(locator[1:])) if is_line(locator) else None
        return None if lined is None else self._on(lined)

    def _found_by_scan(self, locator: str) -> Rollout | None:
        """In a large file: by line, else by the bytes of the name; whether others repeat it is then not known."""
        lined = line_at(self._file, int(locator[1:])) if is_line(locator) else None
        if lined is not None:
            return self._on(lined)
        for line in lines_with_name(self._file, locator):
            found = self._record_of(line)
            if found is not None and found.name == locator:
                return self._read(line, found, Index([found]), ())
        entry = self._indexed().find(locator)
        return None if entry is None else self._at(entry, self._indexed())

    def _on(self, line: Line) -> Rollout | None:
        found = self._record_of(line)
        return None if found is None else self._read(line, found, Index([found]), ())

    def _record_of(self, line: Line) -> Entry | None:
        read = self.kind.record(line, self.path)
        return None if isinstance(read, Refused) else Entry(line.number, line.offset, self.kind.name_of(read))


def _spanned(summary: RolloutSummary, span: Span) -> RolloutSummary:
    return changed(summary, source=changed(summary.source, span=span))


def shared(found: Sequence[Diagnostic], shown: str) -> tuple[Diagnostic, ...]:
    """What every rollout of a file says about the lines that could not be read: a hundred, then their count."""
    if len(found) <= MOST:
        return tuple(found)
    rest = f"{shown}: {len(found) - MOST:,} more lines could not be read"
    return (*found[:MOST], Diagnostic("record-unreadable", rest, None))
