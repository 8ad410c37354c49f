r"""Lines of a file with their numbers and offsets, split on `\n` only.

U+2028, U+2029 and U+0085 occur raw inside JSON strings; a reader that splits on them would break records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from rollout_loaders.fast_dataclass import dataclass

from .bounds import LINE
from .source import open_file, read_error, read_range


@dataclass(frozen=True, slots=True)
class Line:
    r"""One line without its newline. A `\r` before it stays: JSON takes it as blank."""

    number: int
    """1-based from where reading began; 0 where only the offset is known."""
    offset: int
    """Of its first byte in the file."""
    data: bytes
    terminated: bool
    """False for a last line without a newline."""


def iter_lines(path: Path, start: int = 0, *, blank: bool = True) -> Iterator[Line]:
    """Every line from byte `start` on, `blank` ones among them or not; one line is in memory at a time.

    Raises: `ReadError`, also at a line beyond `bounds.LINE`.
    """
    offset, most = start, LINE.value
    with open_file(path) as file:
        try:
            file.seek(start)
            for number, raw in enumerate(iter(partial(file.readline, most + 2), b""), 1):
                if len(raw) > most + 1:
                    raise LINE.beyond(str(path), f"line {number}")
                if blank or not raw.isspace():
                    yield _line(number, offset, raw)
                offset += len(raw)
        except OSError as error:
            raise read_error(path, error) from error


def read_line(path: Path, offset: int, length: int | None = None) -> Line:
    """The one line that begins at byte `offset` (its number is 0: unknown). Raises `ReadError`.

    Where its `length` with its newline is known, or a bound of it, no byte behind that is read.
    """
    if length is not None:
        raw = read_range(path, offset, min(length, LINE.value + 1))
        return _line(0, offset, raw[: raw.find(b"\n") + 1] or raw)
    with open_file(path) as file:
        try:
            file.seek(offset)
            return _line(0, offset, file.readline(LINE.value + 1))
        except OSError as error:
            raise read_error(path, error) from error


def lines_at(path: Path, offsets: Iterable[int]) -> Iterator[Line]:
    """The lines that begin at these bytes, as `read_line` of each, which opens the file again. Raises `ReadError`."""
    most = LINE.value
    with open_file(path) as file:
        try:
            for offset in offsets:
                file.seek(offset)
                yield _line(0, offset, file.readline(most + 1))
        except OSError as error:
            raise read_error(path, error) from error


def _line(number: int, offset: int, raw: bytes) -> Line:
    if raw.endswith(b"\n"):
        return Line(number, offset, raw[:-1], True)
    return Line(number, offset, raw, False)
