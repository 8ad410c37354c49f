"""An index file: checked segments of bytes and a footer that says what they are. Written aside and moved into place.

Layout: `MAGIC`, the segments, the footer as JSON, then `TAIL`: the footer's length and hash. A file that lacks its tail
was never finished and is ignored, as is one whose footer or segment does not match its hash.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any, BinaryIO, NamedTuple

import orjson

from .folder import PARTIAL, evict

MAGIC = b"rollidx1"
TAIL = Struct("<Q16s8s")
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


class Segment(NamedTuple):
    """Where a piece lies and what it is."""

    kind: str
    first_line: int
    offset: int
    length: int
    check: str


class DamagedIndexError(Exception):
    """A segment is not what was written."""


class IndexReader:
    """An opened index file."""

    def __init__(self, file: BinaryIO, footer: dict[str, Any]) -> None:
        self._file = file
        self._turn = threading.Lock()
        """Lists and searches read at the same time."""
        self.facts: dict[str, Any] = footer["facts"]
        self.segments = [Segment(*one) for one in footer["segments"]]

    def read(self, segment: Segment) -> bytes:
        """The bytes of a segment. Raises `DamagedIndexError`."""
        try:
            with self._turn:
                self._file.seek(segment.offset)
                data = self._file.read(segment.length)
        except (OSError, ValueError) as error:
            raise DamagedIndexError(str(error)) from error
        if _check(data).hex() != segment.check:
            raise DamagedIndexError("a segment does not match its hash")
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def open_index(path: Path) -> IndexReader | None:
    """The index at `path`, None where there is none that is whole."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | _NOFOLLOW), "rb")
    except (OSError, ValueError):
        return None
    reader = read_index(file)
    if reader is None:
        file.close()
    else:
        with contextlib.suppress(OSError):  # the time of last use, for eviction
            os.utime(path)
    return reader


def read_index(file: BinaryIO) -> IndexReader | None:
    """The index in an opened file, None where it is not whole."""
    try:
        end = file.seek(0, os.SEEK_END)
        if end < len(MAGIC) + TAIL.size:
            return None
        file.seek(end - TAIL.size)
        length, check, magic = TAIL.unpack(file.read(TAIL.size))
        start = end - TAIL.size - length
        if magic != MAGIC or start < len(MAGIC):
            return None
        file.seek(start)
        footer = file.read(length)
        if _check(footer) != check:
            return None
        return IndexReader(file, orjson.loads(footer))
    except (OSError, ValueError, KeyError, TypeError):
        return None


class ExtendedIndex(IndexReader):
    """An index with another after it, of what was added to the file since."""

    def __init__(self, old: IndexReader, segments: list[Segment], new: IndexReader, line: int) -> None:
        """`segments` of the old one still hold; the new one's begin at `line`."""
        self._old, self._new, self._line = old, new, line
        self.facts = new.facts
        self.segments = [*segments, *new.segments]

    def read(self, segment: Segment) -> bytes:
        """The bytes of a segment of either. Raises `DamagedIndexError`."""
        return (self._old if segment.first_line < self._line else self._new).read(segment)

    def close(self) -> None:
        """Close both."""
        self._old.close()
        self._new.close()


class IndexWriter:
    """Writes an index aside. Every method raises `OSError` when there is no room; `discard` never fails."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` None: a nameless temporary file, which `finish` leaves readable until it is closed."""
        self._folder = folder
        self._name: str | None = None
        self.segments: list[Segment] = []
        if folder is None:
            self._file: Any = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - lives as long as the writer
        else:
            handle, self._name = tempfile.mkstemp(PARTIAL, dir=folder)
            self._file = os.fdopen(handle, "w+b")
        self._file.write(MAGIC)
        self._at = len(MAGIC)

    def add(self, kind: str, first_line: int, data: bytes) -> None:
        """Append a segment."""
        self._file.write(data)
        self.segments.append(Segment(kind, first_line, self._at, len(data), _check(data).hex()))
        self._at += len(data)

    def finish(self, facts: dict[str, Any], target: Path | None) -> IndexReader:
        """Write the footer, move the file to `target` where there is one, and read it from now on."""
        footer = orjson.dumps({"facts": facts, "segments": [list(one) for one in self.segments]})
        self._file.write(footer)
        self._file.write(TAIL.pack(len(footer), _check(footer), MAGIC))
        self._file.flush()
        if self._name is not None and target is not None:
            Path(self._name).replace(target)
            self._name = None
            if self._folder is not None:
                evict(self._folder, target)
        elif self._name is not None:
            Path(self._name).unlink(missing_ok=True)
            self._name = None
        return IndexReader(self._file, orjson.loads(footer))

    def discard(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._name is not None:
            with contextlib.suppress(OSError):
                Path(self._name).unlink(missing_ok=True)


def _check(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
