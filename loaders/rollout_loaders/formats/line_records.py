"""Records of a file that holds one JSON object a line: damage costs its line, and nothing of it is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import Line, iter_lines
from rollout_loaders.model import Diagnostic, JsonObject, StoredPart, is_object

from .damaged_records import DamagedRecords

BOM = b"\xef\xbb\xbf"
KEPT_TEXT = 65536
"""Bytes of a damaged line that are kept."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line. `data` None: damaged, and `part` holds its text, and that of very many damaged lines behind it."""

    number: int
    data: JsonObject | None
    part: StoredPart | None = None

    @property
    def where(self) -> str:
        """Its locator."""
        return f"L{self.number}"


def texts(path: Path) -> Iterator[tuple[Line, bytes]]:
    """Every line that is not blank, with its bytes without a byte order mark."""
    for line in iter_lines(path, blank=False):
        data = line.data.removeprefix(BOM) if line.number == 1 else line.data
        if line.number > 1 or data.strip():
            yield line, data


def records(path: Path, diagnostics: list[Diagnostic], only: int | None = None, kind: str = "") -> Iterator[Record]:
    """Every object line of a file; a damaged one costs itself and a diagnostic, and is never passed over silently.

    With `only`, the line of that number alone is decoded. `kind` is what the format calls a record.
    """
    damage = DamagedRecords()
    for line, data in texts(path):
        if only is not None and line.number != only:
            if line.number > only:
                return
            continue
        where = f"L{line.number}"
        try:
            decoded = decode(data)
        except BadJson as bad:
            if not (line.terminated and damage.are_many):
                diagnostics.append(not_read(line, str(bad)))
            part = damage.part(kept_text(data), where)
            if part is not None:
                yield Record(line.number, None, part)
            continue
        diagnostics.extend(Diagnostic(code, message, where) for code, message in decoded.problems)
        if not is_object(decoded.value):
            if not damage.are_many:
                reason = f"no {kind}: not an object" if kind else "no object"
                diagnostics.append(Diagnostic("record-unreadable", reason, where))
            part = damage.part(kept_text(data), where)
            if part is not None:
                yield Record(line.number, None, part)
            continue
        if not line.terminated:
            diagnostics.append(without_newline(where))
        damage.over()
        yield Record(line.number, decoded.value)
    diagnostics.extend(damage.count())


def not_read(line: Line, reason: str) -> Diagnostic:
    """Why a line gave no JSON; a last one without its newline is torn."""
    if line.terminated:
        return Diagnostic("record-unreadable", reason, f"L{line.number}")
    return Diagnostic("torn-line", f"the last line is not complete: {reason}", f"L{line.number}")


def without_newline(where: str) -> Diagnostic:
    """A last line that is complete all the same."""
    return Diagnostic("no-final-newline", "the last line is complete but has no newline", where)


def kept_text(data: bytes) -> str:
    """The text of a damaged line."""
    text = data[:KEPT_TEXT].decode("utf-8", "replace")
    left_out = len(data) - KEPT_TEXT
    return f"{text} … ({left_out:,} more bytes)" if left_out > 0 else text
