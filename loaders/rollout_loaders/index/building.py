"""Making the index of a rollouts file, or extending one whose file has only grown."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, BinaryIO

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.formats.gym_index import Entry
from rollout_loaders.formats.gym_pieces import pieces
from rollout_loaders.formats.row_kind import Refused, RowKind
from rollout_loaders.jsonlines import Line, read_line
from rollout_loaders.model import Diagnostic, RolloutSummary
from rollout_loaders.remote.path import RemotePath

from .container import ExtendedIndex, IndexReader, IndexWriter, Segment
from .identity import FileIdentity
from .summary_row import row_of

ROWS, TAIL_ROWS = "rows", "tail-rows"
"""Scanned rows; those of a last line without its newline, which growth replaces. Each is followed by two segments:
summaries of rows that the scan could not judge, and numbers, offsets and names of all records."""
SMALL = 16 * 1024 * 1024
"""Bytes up to which what was added is scanned again rather than kept."""
_BLOCK = 1 << 20
Records = list[tuple[Entry, "RolloutSummary | tuple[Any, ...]"]]
"""Records with what is known of them: the fields of a plain row, else the summary."""
Judge = Callable[[Entry], "RolloutSummary | Refused"]


@dataclass(slots=True)
class Built:
    """A file that is being indexed."""

    path: Path
    shown: str
    file: BinaryIO
    identity: FileIdentity
    kind: RowKind
    judge: Judge
    names: set[str] = field(default_factory=set[str])
    repeated: set[str] = field(default_factory=set[str])
    wrong: list[list[str | bool | None]] = field(default_factory=lambda: [])
    """(code, message, locator, whether the message is to begin with the path)."""

    def add(self, writer: IndexWriter, kind: str, first_line: int, piece: bytes) -> Records:
        """Write one piece with what stands beside it; its records as (entry, plain fields or the summary)."""
        judged: dict[str, dict[str, Any]] = {}
        entries: list[Entry] = []
        rows: Records = []
        for number, offset, terminated, fields in marshal.loads(piece):
            line = first_line + number - 1
            if fields is not None:
                entries.append(Entry(line, offset, self.kind.name_in(fields)))
                rows.append((entries[-1], fields))
                continue
            entry = self._full(line, offset, terminated)
            found = entry if isinstance(entry, Refused) else self.judge(entry)
            if isinstance(found, Refused):
                for diagnostic in found.diagnostics:
                    self._said(diagnostic)
            elif isinstance(entry, Entry):
                entries.append(entry)
                rows.append((entry, found))
                judged[str(line)] = row_of(found)
        for entry in entries:
            if entry.name is not None:
                (self.repeated if entry.name in self.names else self.names).add(entry.name)
        writer.add(kind, first_line, piece)
        writer.add("judged", first_line, marshal.dumps(judged))  # JSON has no lone surrogates
        writer.add("names", first_line, marshal.dumps(tuple(zip(*entries, strict=True)) or ((), (), ())))
        return rows

    def _full(self, line: int, offset: int, terminated: bool) -> Entry | Refused:
        found = Line(line, offset, read_line(self.path, offset).data, terminated)
        read = self.kind.record(found, self.shown)
        return read if isinstance(read, Refused) else Entry(line, offset, self.kind.name_of(read))

    def _said(self, diagnostic: Diagnostic) -> None:
        has_path = diagnostic.message.startswith(f"{self.shown}:")
        said = diagnostic.message.removeprefix(self.shown) if has_path else diagnostic.message
        self.wrong.append([diagnostic.code, said, diagnostic.locator, has_path])


def kept_identity(index: IndexReader) -> FileIdentity:
    """The state of the file that an index describes. Raises `KeyError` and `TypeError` for one of another layout."""
    return FileIdentity(**index.facts["identity"])


def build(
    built: Built, old: IndexReader | None, folder: Path | None, target: Path | None
) -> Generator[Records, None, IndexReader]:
    """The index of the file's present state, at `target` where that is given and the file stays as it is meanwhile.

    Yields the records of what is scanned, as soon as they are written; the index is what the generator returns.
    `old` is an index of the file before it grew. Where little was added it stays, and what was added is kept for this
    process only: a file that is written all the time must not have its index written all the time. Raises `OSError`
    where nothing can be written.
    """
    added = old is not None and built.identity.size - int(old.facts["end"]) < max(SMALL, built.identity.size // 20)
    writer = IndexWriter(None if added else folder)
    kept: list[Segment] = []
    try:
        start, lines = (0, 0) if old is None else _taken_over(built, old, None if added else writer, kept)
        first_new = lines + 1
        end = end_of_lines(built.file, built.identity.size, start)
        for count, piece in pieces(built.path, built.file, start, end, built.kind.scan):
            yield built.add(writer, ROWS, lines + 1, piece)
            lines += count
        facts = _facts(built, lines, end)
        if end < built.identity.size:
            for _, piece in pieces(built.path, built.file, end, built.identity.size, built.kind.scan, workers=1):
                yield built.add(writer, TAIL_ROWS, lines + 1, piece)
            facts |= {"repeated": sorted(built.repeated), "wrong": list(built.wrong)}
        if old is not None and added:
            return ExtendedIndex(old, kept, writer.finish(facts, None), first_new)
        if old is not None:
            old.close()
        return writer.finish(facts, target if _has_stayed(built) else None)
    except BaseException:
        writer.discard()
        if old is not None:
            old.close()
        raise


def _facts(built: Built, lines: int, end: int) -> dict[str, Any]:
    wrong = list(built.wrong)
    return {
        "identity": asdict(built.identity),
        "lines": lines,
        "end": end,
        "wrong_before_tail": len(wrong),
        "repeated": sorted(built.repeated),
        "wrong": wrong,
    }


def _taken_over(built: Built, old: IndexReader, writer: IndexWriter | None, kept: list[Segment]) -> tuple[int, int]:
    """Copy what an index holds of whole lines, or name it in `kept`; (where the rest begins, lines before it)."""
    facts = old.facts
    built.wrong = list(facts["wrong"][: facts["wrong_before_tail"]])
    for rows, judged, names in _groups(old):
        if rows.kind == ROWS:
            kept += (rows, judged, names)
            if writer is not None:
                for segment in (rows, judged, names):
                    writer.add(segment.kind, segment.first_line, old.read(segment))
            for name in marshal.loads(old.read(names))[2]:
                if name is not None:
                    (built.repeated if name in built.names else built.names).add(name)
    return int(facts["end"]), int(facts["lines"])


def _groups(index: IndexReader) -> Iterator[tuple[Segment, Segment, Segment]]:
    for at, segment in enumerate(index.segments):
        if segment.kind in (ROWS, TAIL_ROWS):
            yield segment, index.segments[at + 1], index.segments[at + 2]


def end_of_lines(file: BinaryIO, size: int, start: int) -> int:
    """Where the last line that has its newline ends."""
    at = size
    while at > start:
        low = max(start, at - _BLOCK)
        file.seek(low)
        found = file.read(at - low).rfind(b"\n")
        if found >= 0:
            return low + found + 1
        at = low
    return start


def _has_stayed(built: Built) -> bool:
    """Whether the file was at most appended to while it was read; helpers open it by its path."""
    if isinstance(built.path, RemotePath):  # each of its ranges was checked
        return True
    before, now = built.identity, os.fstat(built.file.fileno())
    named = built.path.stat()
    if (named.st_dev, named.st_ino) != (before.device, before.inode) or now.st_size < before.size:
        return False
    return now.st_size > before.size or (now.st_mtime_ns, now.st_ctime_ns) == (before.mtime_ns, before.ctime_ns)
