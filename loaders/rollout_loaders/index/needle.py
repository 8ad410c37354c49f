"""Lines of a file that may hold a text, without parsing the others: no line that holds it is left out."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Generator, Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from rollout_loaders.cores import usable_cores
from rollout_loaders.fast_dataclass import dataclass

from .needle_words import expression, sought, words_of

if TYPE_CHECKING:
    from rollout_loaders.formats.gym_blocks import Readable
    from rollout_loaders.jsonlines import Line

    from .needle_scan import Hits

GREPPED = 32 * 1024 * 1024
"""Bytes from which on it pays to start a grep."""
_BACK = 1 << 20
_State = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Needle:
    """Words of which nothing can match that holds none."""

    words: tuple[str, ...]
    ignore_case: bool
    _ahead: dict[_State, Scanner] = field(
        default_factory=dict["_State", "Scanner"], init=False, compare=False, repr=False
    )
    """What was started before anyone asked for lines."""

    def lines(self, path: Path, workers: int | None = None) -> Iterator[Line]:
        """Lines that may hold one, in file order. Raises `ReadError`."""
        from rollout_loaders.formats.gym_pieces import cores_for
        from rollout_loaders.source import open_file, read_error

        with open_file(path) as file:
            try:
                yield from _lines(path, file, self._hits(path, file, workers or cores_for(path)))
            except OSError as error:
                raise read_error(path, error) from error

    @contextlib.contextmanager
    def looked_ahead(self, paths: Iterable[str], workers: int | None = None) -> Generator[None, None, None]:
        """Let the first large file of JSON Lines be looked through while the caller gets ready to ask for `lines`."""
        try:
            for path in paths:
                state = _state_of(path) if path.endswith(".jsonl") and not self._ahead else None
                begun = state and next(self._by_others(Path(path), state[-1], workers or usable_cores()), None)
                if state and begun:
                    self._ahead[state] = begun
            yield
        finally:
            while self._ahead:
                self._ahead.popitem()[1].close()

    def _hits(self, path: Path, file: BinaryIO, workers: int) -> Hits:
        last = -1
        for scanner in self._scanners(path, file, workers):
            with contextlib.closing(scanner):
                for hit, newlines in scanner.hits():
                    if hit > last:
                        yield hit, newlines
                        last = hit
                if scanner.whole:
                    return

    def _scanners(self, path: Path, file: BinaryIO, workers: int) -> Iterator[Scanner]:
        """What can look through the file: the next one where one does not come to its end."""
        from rollout_loaders.remote.path import RemotePath
        from rollout_loaders.source import size_of

        size = size_of(file)
        if not isinstance(path, RemotePath):
            ahead = self._ahead.pop(_state(os.fstat(file.fileno())), None)
            if ahead is not None:
                yield ahead
            yield from self._by_others(path, size, workers)
        yield _Alone(path, size, self)

    def _by_others(self, path: Path, size: int, workers: int) -> Iterator[Scanner]:
        """Processes for a file that is large enough for them."""
        from . import grep, needle_helpers

        wanted = expression(self.words, self.ignore_case) if size >= GREPPED else None
        program = grep.installed() if wanted is not None else None
        if program is not None and wanted is not None:
            yield grep.Grep(program, path, wanted)
        count = min(workers, size // needle_helpers.ALONE)
        if count > 1:
            yield needle_helpers.Helpers(path, size, sought(self.words, self.ignore_case), self.ignore_case, count)


class Scanner(Protocol):
    """Looks through a file once."""

    whole: bool
    """Whether `hits` came to the end of the file."""

    def hits(self) -> Hits:
        """Offsets in file order, and newlines before them."""
        ...

    def close(self) -> None:
        """Leave no process behind."""
        ...


class _Alone:
    """This process."""

    whole = False

    def __init__(self, path: Path, size: int, needle: Needle) -> None:
        self._path, self._size, self._needle = path, size, needle

    def hits(self) -> Hits:
        from rollout_loaders.source import open_file

        from .needle_scan import WordScan

        what = sought(self._needle.words, self._needle.ignore_case)
        scan = WordScan(what.words, self._needle.ignore_case, what.spelled, what.longest_spelled)
        with open_file(self._path) as file:  # of its own: the position of the other is moved between two hits
            yield from scan.hits(cast("Readable", file), 0, self._size)
        self.whole = True

    def close(self) -> None:
        """Nothing is left."""


def needle_of(pattern: re.Pattern[str]) -> Needle | None:
    """What every match of the pattern holds; None where none is certain."""
    words = words_of(pattern)
    return Needle(words, bool(pattern.flags & re.IGNORECASE)) if words else None


def _lines(path: Path, file: BinaryIO, hits: Hits) -> Iterator[Line]:
    from rollout_loaders.jsonlines import Line, read_line

    last = -1
    for hit, newlines in hits:
        start = _start_of_line(file, hit)
        if start != last:
            last = start
            line = read_line(path, start)
            yield Line(newlines + 1, start, line.data, line.terminated)


def _start_of_line(file: BinaryIO, at: int) -> int:
    while at > 0:
        low = max(0, at - _BACK)
        file.seek(low)
        found = file.read(at - low).rfind(b"\n")
        if found >= 0:
            return low + found + 1
        at = low
    return 0


def _state_of(path: str) -> _State | None:
    try:
        state = os.stat(path)  # noqa: PTH116 - no path that a URL may stand behind
    except (OSError, ValueError):
        return None
    return _state(state) if stat.S_ISREG(state.st_mode) else None


def _state(state: os.stat_result) -> _State:
    return state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size
