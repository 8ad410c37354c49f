"""A file of Gym records, one a line: what the readers of rollouts and of the failures sidecar share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import Line, iter_lines, read_line
from rollout_loaders.model import Diagnostic, Grading, JsonObject, Rollout, RolloutSummary, SourceRef
from rollout_loaders.reader import ReadOptions

from .gym_index import Entry, Index, IsRecord, build_index, checked, is_line, not_json, read_record
from .gym_row import joined_name, row_name
from .gym_seek import line_at, lines_with_name

if TYPE_CHECKING:
    from .gym_summary import Scanned

MOST_DIAGNOSTICS = 100
INDEXED_AT_ONCE = 64 * 1024 * 1024
"""Bytes up to which finding one record first reads all names, so that a repeated identity is known."""
Build = Callable[[JsonObject, str, SourceRef, Sequence[Diagnostic]], Rollout]


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
            for number, _, _, fields in part.rows():
                if entry is None or entry.number != number:
                    continue
                if fields is not None:
                    yield maker.summary(index.id_of(entry), number, fields)
                elif (whole := self._at(entry, index)) is not None:
                    yield self._whole_summary(whole)
                entry = next(entries, None)

    def _whole_summary(self, rollout: Rollout) -> RolloutSummary:
        """Of a rollout that was built; of what `complete` adds, only what a list shows."""
        from rollout_loaders.evidence.grading_state import facts_of, state_of
        from rollout_loaders.evidence.outcome import outcome_of
        from rollout_loaders.summary import summarise

        row, failures = rollout.evidence.row, rollout.evidence.failures
        state, _ = state_of(facts_of(row, failures[-1] if failures else None))
        grading = Grading(state=state, reward=None if row is None else row.reward)
        return replace(summarise(replace(rollout, outcome=outcome_of(rollout), grading=grading)), findings=None)

    def _add_to(self, index: Index, part: Scanned) -> None:
        for number, offset, terminated, fields in part.rows():
            if fields is not None:
                index.entries.append(Entry(number, offset, joined_name(*fields[:4])))
                continue
            line = Line(number, offset, read_line(self._file, offset).data, terminated)
            read = read_record(line, self.path, self._is_record)
            if isinstance(read, Diagnostic):
                index.diagnostics.append(read)
            else:
                index.entries.append(Entry(number, offset, row_name(read)))

    def find(self, locator: str) -> Rollout | None:
        """The rollout of `L17` or of its id, reading only its line where the places are known or the file is large."""
        if self._index is None and self._file.stat().st_size > INDEXED_AT_ONCE:
            return self._found_by_scan(locator)
        index = self._indexed()
        entry = index.find(locator)
        return None if entry is None else self._at(entry, index)

    def _at(self, entry: Entry, index: Index) -> Rollout | None:
        line = read_line(self._file, entry.offset)
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
        """What every rollout of the file says about the file (CONTRACT 3): a hundred lines, then their count."""
        found = index.diagnostics
        if len(found) <= MOST_DIAGNOSTICS:
            return tuple(found)
        rest = f"{self.path}: {len(found) - MOST_DIAGNOSTICS:,} more lines could not be read"
        return (*found[:MOST_DIAGNOSTICS], Diagnostic("record-unreadable", rest, None))

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
        source = SourceRef(path=self.path, format=self.format, locator=locator)
        rollout = self._build(value, index.id_of(entry), source, (*own, *shared))
        if self._options.gym_reasoning is None:
            return rollout
        said = f"{rollout.route.because}; a forced gate changes nothing in it"
        return replace(rollout, route=replace(rollout.route, because=said))

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
