"""Lines of a file that may hold a text, without parsing the others: no line that holds it is left out.

JSON writes a word of ASCII letters, digits and `_` as it is, or with escapes that `needle_scan` looks for, and other
letters as they are or as their own escapes. So a line without the word, and without such escapes, holds no string with
the word in it.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from rollout_loaders.jsonlines import Line, read_line
from rollout_loaders.remote.path import RemotePath
from rollout_loaders.source import open_file, read_error, size_of

from . import grep
from .needle_scan import BLOCK, END, HIT, WordScan, forms

ALONE = 128 * 1024 * 1024
"""Bytes that one process looks through in about the time in which another starts."""
GREPPED = 32 * 1024 * 1024
"""Bytes from which on it pays to start a grep."""
_WORDS = re.compile(r"[A-Za-z0-9_]+|[^\x00-\x7f]+")
_WORTH = 3
"""ASCII letters that one letter beyond ASCII is worth: it is rarer."""
_HELPER = "import sys; sys.path[:] = {path!r}; from rollout_loaders.index.needle_scan import serve; serve()"


@dataclass(frozen=True, slots=True)
class Needle:
    """A word without which nothing can match."""

    word: str
    ignore_case: bool

    def lines(self, path: Path, workers: int | None = None) -> Iterator[Line]:
        """Lines that may hold it, in file order. Raises `ReadError`."""
        from rollout_loaders.formats.gym_pieces import cores_for

        with open_file(path) as file:
            try:
                yield from _lines(path, file, self._hits(path, file, workers or cores_for(path)))
            except OSError as error:
                raise read_error(path, error) from error

    def _hits(self, path: Path, file: BinaryIO, workers: int) -> Iterator[tuple[int, int | None]]:
        """Offsets with line numbers by grep where there is one, and from where it stopped by ourselves, without."""
        done = -1
        folds = self.ignore_case and self.word.isascii()
        pays = size_of(file) >= GREPPED and not folds and not isinstance(path, RemotePath)
        program = grep.installed() if pays else None
        if program is not None:
            scanner = grep.Grep(program, path, forms(self.word))
            try:
                for number, done in scanner.hits():
                    yield done, number
                if scanner.whole:
                    return
            finally:
                scanner.close()
        yield from ((hit, None) for hit in self._own_hits(path, done + 1, size_of(file), workers))

    def _own_hits(self, path: Path, start: int, end: int, workers: int) -> Iterator[int]:
        """In `[start, end)`: the first share in this process, each other one in a helper."""
        workers = max(1, min(workers, (end - start) // ALONE))
        share = max(1, -(-(end - start) // workers))
        bounds = [*range(start, end, share), end]
        scan = WordScan(self.word, self.ignore_case)
        helpers = [_Helper(path, low, high, self) for low, high in pairwise(bounds[1:])]
        try:
            # A reader of its own: the file's position is moved between two hits.
            with open_file(path) as own:
                yield from scan.hits(own, start, bounds[1] if helpers else end)
                for helper in helpers:
                    last = helper.start - 1
                    for last in helper.hits():
                        yield last
                    if not helper.whole:
                        yield from scan.hits(own, last + 1, helper.end)
        finally:
            for helper in helpers:
                helper.close()


def needle_of(pattern: re.Pattern[str]) -> Needle | None:
    """The rarest-looking word that every match holds; None where it has none of two ASCII letters, or one beyond."""
    parser: Any = importlib.import_module("re._parser")
    try:
        parsed: Any = parser.parse(pattern.pattern, pattern.flags)
    except (re.error, RecursionError, OverflowError):
        return None
    ignore_case = bool(pattern.flags & re.IGNORECASE)
    words = [word for run in _runs(parsed) for word in _WORDS.findall(run)]
    best = max((word for word in words if _is_told_apart(word, ignore_case)), key=_worth, default=None)
    return None if best is None else Needle(best, ignore_case)


def _is_told_apart(word: str, ignore_case: bool) -> bool:
    """Numbers are written in several ways (`1.50`, `1e3`), so digits alone may stand in a record in another form.

    Beyond ASCII a word is looked for with its case, so it must have none where case is ignored; and a surrogate may
    stand for a byte that is no UTF-8.
    """
    if word.isascii():
        return sum(not char.isdigit() for char in word) >= 2
    if any("\ud800" <= char <= "\udfff" for char in word):
        return False
    return not ignore_case or word.lower() == word.upper() == word.title()


def _worth(word: str) -> int:
    return len(word) if word.isascii() else len(word) * _WORTH


def _runs(parsed: Any) -> Iterator[str]:
    """Pieces of text that every match of a parsed expression holds."""
    run: list[str] = []
    for op, argument in parsed:
        name = str(op)
        if name == "LITERAL":
            run.append(chr(argument))
            continue
        yield "".join(run)
        run = []
        if name == "SUBPATTERN" and not argument[1] and not argument[2]:  # no flags of its own
            yield from _runs(argument[3])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] >= 1:
            yield from _runs(argument[2])
        elif name == "ATOMIC_GROUP":
            yield from _runs(argument)
    yield "".join(run)


def _lines(path: Path, file: BinaryIO, hits: Iterator[tuple[int, int | None]]) -> Iterator[Line]:
    """Each line that was hit, once; counted where its number is not known."""
    counted_to, number, last, read_to = 0, 1, -1, 0
    for hit, known in hits:
        if hit < read_to or (start := _start_of_line(file, hit)) == last:
            continue
        number = number + newlines(file, counted_to, start) if known is None else known
        counted_to = last = start
        line = read_line(path, start)
        read_to = start + len(line.data) + line.terminated
        yield Line(number, start, line.data, line.terminated)


def _start_of_line(file: BinaryIO, at: int) -> int:
    while at > 0:
        low = max(0, at - BLOCK)
        file.seek(low)
        found = file.read(at - low).rfind(b"\n")
        if found >= 0:
            return low + found + 1
        at = low
    return 0


def newlines(file: BinaryIO, start: int, end: int) -> int:
    """How many there are in `[start, end)`; by `find`, which is faster than `count` where lines are long."""
    file.seek(start)
    count = 0
    while start < end:
        block = file.read(min(BLOCK, end - start))
        if not block:
            break
        find: Callable[[bytes, int], int] = block.find
        at = find(b"\n", 0)
        while at >= 0:
            count += 1
            at = find(b"\n", at + 1)
        start += len(block)
    return count


class _Helper:
    """A process that looks through one range while this one looks through another."""

    def __init__(self, path: Path, start: int, end: int, needle: Needle) -> None:
        self.start, self.end = start, end
        self.whole = False
        code = _HELPER.format(path=[place or str(Path.cwd()) for place in sys.path])
        word = needle.word.encode("unicode_escape").decode("ascii")
        arguments = [str(path.resolve()), str(start), str(end), word, str(int(needle.ignore_case))]
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", code, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, ValueError):
            self._process = None

    def hits(self) -> Iterator[int]:
        """What it found; `whole` tells afterwards whether it came to its end."""
        pipe = self._process.stdout if self._process is not None else None
        if pipe is None:
            return
        while len(piece := pipe.read(HIT.size)) == HIT.size:
            (hit,) = HIT.unpack(piece)
            if hit == END:
                self.whole = True
                return
            yield hit

    def close(self) -> None:
        """Leave no process behind."""
        if self._process is not None:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process.wait()
            self._process = None
