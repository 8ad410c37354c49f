"""The segments of an index of a rollouts file: scanned rows, and beside each judged summaries and places."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from typing import Any

from rollout_loaders.formats.gym_index import Entry
from rollout_loaders.model import Diagnostic

from .building import ROWS, TAIL_ROWS
from .container import IndexReader, Segment


def row_segments(kept: IndexReader) -> list[Segment]:
    """Those of scanned rows, in file order."""
    return [segment for segment in kept.segments if segment.kind in (ROWS, TAIL_ROWS)]


def judged_of(kept: IndexReader, segment: Segment) -> bytes:
    """Summaries of rows that the scan could not judge, as JSON by line. Raises `DamagedIndexError`."""
    return kept.read(kept.segments[kept.segments.index(segment) + 1])


def names_of(kept: IndexReader, segment: Segment) -> Any:
    """Numbers, offsets and names of the records of a segment of rows. Raises `DamagedIndexError`."""
    return marshal.loads(kept.read(kept.segments[kept.segments.index(segment) + 2]))


def scanned_rows(kept: IndexReader, segment: Segment) -> Iterator[tuple[Any, ...]]:
    """Rows as `gym_scan.scan` gives them. Raises `DamagedIndexError`."""
    yield from marshal.loads(kept.read(segment))


def entries_of(kept: IndexReader, segment: Segment) -> list[Entry]:
    """Places and names of the records of a segment of rows. Raises `DamagedIndexError`."""
    return [Entry(*one) for one in zip(*names_of(kept, segment), strict=True)]


def next_offset(kept: IndexReader, entry: Entry, size: int) -> int:
    """Where the record after this one begins; `size` after the last. Raises `DamagedIndexError`."""
    segments = row_segments(kept)
    for segment, following in zip(segments, [*segments[1:], None], strict=True):
        if following is not None and following.first_line <= entry.number:
            continue
        for other in entries_of(kept, segment):
            if other.offset > entry.offset:
                return other.offset
    return size


def wrong_of(kept: IndexReader, shown: str) -> list[Diagnostic]:
    """What is wrong with lines of the file, which is shown so now."""
    wrong = kept.facts["wrong"]
    return [Diagnostic(code, f"{shown}{said}" if has_path else said, at) for code, said, at, has_path in wrong]
