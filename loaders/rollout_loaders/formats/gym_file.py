"""A file of Gym records, one a line: what the readers of rollouts and of the failures sidecar share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rollout_loaders import source
from rollout_loaders.bounds import LINE
from rollout_loaders.counted_diagnostics import MOST
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import Line, iter_lines, lines_at, read_line
from rollout_loaders.model import Diagnostic, Grading, JsonObject, Rollout, RolloutSummary, SourceRef, Span
from rollout_loaders.model.fast_init import changed
from rollout_loaders.reader import ReadOptions
from rollout_loaders.remote.path import RemotePath

from .gym_index import Entry, Index, IsRecord, build_index, checked, is_line, not_json, read_record
from .gym_row import joined_name, row_name
from .gym_seek import line_at, lines_with_name

if TYPE_CHECKING:
    from .gym_summary import Scanned

INDEXED_AT_ONCE = 64 * 1024 * 1024
"""Bytes up to which finding one record first reads all names, so that a repeated identity is known."""
Build = Callable[[JsonObject, str, SourceRef, Sequence[Diagnostic]], Rollout]


class KnownRow(NamedTuple):
    """What an index says of a row."""

    number: int
    id: str
    offset: int
    length: int


class GymFile:
    """One opened file. It holds places of records, never records."""

    def __init__(
        self,
        file: Path,
        shown: str,
        format_name: str,
        is_record: IsRecord,
        build: Build,
        options: ReadOptions,
        fast: bool = False,
    ) -> None:
        """`fast`: plain rows are listed from `gym_scan` without building rollouts."""
        self._fast = fast
        self._file, self._is_record, self._build, self._options = file, is_record, build, options
        self.path = shown
        self.format = format_name
        self._index: Index | None = None
        self.known: Mapping[str, KnownRow] = {}
        """Rows by id and by locator whose places an index of this state of the file gives."""

    def rollouts(self) -> Iterator[Rollout]:
        """One rollout a record, in file order. The file is read twice: names first, so that repeated ones are known."""
        index = self._indexed()
        shared = self._shared(index)
        by_number = index.by_number
        for line in iter_lines(self._file):
            entry = by_number.get(line.number)
            if entry is not None:
                rollout = self._read(line, entry, index, shared)
                if rollout is not None:
                    yield rollout

    def summaries(self) -> Iterator[RolloutSummary]:
        """The same as lines of a list; findings are left out (None) where that saves building the rollout."""
        if not self._fast:
            for rollout in self.rollouts():
                yield self._whole_summary(rollout)
            return
        yield from self._placed(self._scanned())

    def _scanned(self) -> Iterator[tuple[int, RolloutSummary]]:
        """(offset, summary)."""
        from .gym_summary import Scanned, Summaries, scan_file

        index, scanned = Index(), list[Scanned]()
        for part in scan_file(self._file):
            scanned.append(part)
            self._add_to(index, part)
        self._index = index
        maker = Summaries(self.path, self.format)
        entries = iter(index.entries)
        entry = next(entries, None)
        for part in scanned:
            for number, offset, _, fields in part.rows():
                if entry is None or entry.number != number:
                    continue
                if fields is not None:
                    yield offset, maker.summary(index.id_of(entry), number, fields)
                elif (whole := self._at(entry, index)) is not None:
                    yield offset, self._whole_summary(whole)
                entry = next(entries, None)

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
                index.entries.append(Entry(number, offset, joined_name(*fields[:4])))
                continue
            line = Line(number, offset, next(others).data, terminated)
            read = read_record(line, self.path, self._is_record)
            if isinstance(read, Diagnostic):
                index.diagnostics.append(read)
            else:
                index.entries.append(Entry(number, offset, row_name(read)))

    def find(self, locator: str) -> Rollout | None:
        """The rollout of `L17` or of its id, reading only its line where the places are known or the file is large."""
        row = self._found_as_known(locator)
        if row is not None:
            return row
        if self._index is None and (self._is_far(locator) or self._file.stat().st_size > INDEXED_AT_ONCE):
            return self._found_by_scan(locator)
        index = self._indexed()
        entry = index.find(locator)
        return None if entry is None else self._at(entry, index)

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
        return tuple(self._index.diagnostics) if self._index is not None else ()

    def _indexed(self) -> Index:
        if self._index is None:
            self._index = build_index(self._file, self.path, self._is_record)
        return self._index

    def _shared(self, index: Index) -> tuple[Diagnostic, ...]:
        """What every rollout of the file says about the file."""
        return shared(index.diagnostics, self.path)

    def _read(self, line: Line, entry: Entry, index: Index, shared: Sequence[Diagnostic]) -> Rollout | None:
        locator = f"L{line.number}"
        try:
            decoded = decode(line.data)
            problems = decoded.problems
            value = checked(decoded.value, line, self.path, self._is_record)
        except BadJson as bad:
            problems, value = (), not_json(line, self.path, bad)
        if not isinstance(value, Diagnostic) and row_name(value) != entry.name:
            value = Diagnostic("", f"{self.path}:{line.number}: holds another rollout than {index.id_of(entry)}")
        if isinstance(value, Diagnostic):
            # The file changed since its places were noted: nothing read from it now may pass for what was listed.
            said = f"{value.message}; the file has changed since it was listed"
            index.diagnostics.append(Diagnostic("file-changed", said, locator))
            return None
        own = [Diagnostic(code, message, locator) for code, message in problems]
        if not line.terminated:
            what = f"{self.path}:{line.number}: the last line has no newline; Gym's own reader would not count it"
            own.append(Diagnostic("no-final-newline", what, locator))
        identity = index.identity_problem(entry)
        if identity is not None:
            own.append(identity)
        span = None
        if isinstance(self._file, RemotePath):
            span = Span(line.offset, len(line.data) + line.terminated, self._file.state.version)
        where = SourceRef(path=self.path, format=self.format, locator=locator, span=span)
        rollout = self._build(value, index.id_of(entry), where, (*own, *shared))
        if self._options.gym_reasoning is None:
            return rollout
        said = f"{rollout.route.because}; a forced gate changes nothing in it"
        return changed(rollout, route=changed(rollout.route, because=said))

    def _found_by_scan(self, locator: str) -> Rollout | None:
        """In a large file: by line, else by the bytes of the name; whether others repeat it is then not known."""
        lined = line_at(self._file, int(locator[1:])) if is_line(locator) else None
        if lined is not None:
            found = self._record_of(lined)
            return None if found is None else self._read(lined, found, Index([found]), ())
        for line in lines_with_name(self._file, locator):
            found = self._record_of(line)
            if found is not None and found.name == locator:
                return self._read(line, found, Index([found]), ())
        entry = self._indexed().find(locator)
        return None if entry is None else self._at(entry, self._indexed())

    def _record_of(self, line: Line) -> Entry | None:
        read = read_record(line, self.path, self._is_record)
        return None if isinstance(read, Diagnostic) else Entry(line.number, line.offset, row_name(read))


def _spanned(summary: RolloutSummary, span: Span) -> RolloutSummary:
    return changed(summary, source=changed(summary.source, span=span))


def shared(found: Sequence[Diagnostic], shown: str) -> tuple[Diagnostic, ...]:
    """What every rollout of a file says about the lines that could not be read: a hundred, then their count."""
    if len(found) <= MOST:
        return tuple(found)
    rest = f"{shown}: {len(found) - MOST:,} more lines could not be read"
    return (*found[:MOST], Diagnostic("record-unreadable", rest, None))
