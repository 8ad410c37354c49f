"""Processes that look through parts of one file at the same time, the parts given out in file order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from .needle_scan import Hits, WordScan
from .needle_serving import BEGIN, END, RECORD
from .needle_words import Sought

if TYPE_CHECKING:
    from rollout_loaders.formats.gym_blocks import Readable

ALONE = 32 * 1024 * 1024
"""Bytes that one process looks through in about the time in which another starts."""
PART = 8 * 1024 * 1024
"""Small enough that all helpers end at about the same time."""
_MOST_PARTS = 256
_MOST_HELPERS = 16
_CODE = "import sys; sys.path[:] = {path!r}; from rollout_loaders.index.needle_serving import serve; serve()"


class Helpers:
    """All helpers of one file. Close it. `whole` tells after `hits` that these are all."""

    whole = False

    def __init__(self, path: Path, size: int, sought: Sought, ignore_case: bool, workers: int) -> None:
        """Start them; what none of them does is done by this process in `hits`."""
        self._path, self._size = path, size
        self._scan = WordScan(sought.words, ignore_case, sought.spelled, sought.longest_spelled)
        self._part = max(PART, -(-size // _MOST_PARTS))
        self._parts = -(-size // self._part)
        words = [sought.spelled, str(sought.longest_spelled), *(word.hex() for word in sought.words)]
        arguments = [os.path.realpath(path), str(size), str(self._part), str(int(ignore_case)), *words]
        try:
            numbers, source = os.pipe()
        except OSError:  # too many open files
            self._helpers: list[_Helper] = []
            return
        # All numbers lie in the pipe before a helper starts: each takes the next when it is free.
        with os.fdopen(numbers, "rb"):
            with os.fdopen(source, "wb") as numbering:
                numbering.write(bytes(range(self._parts)))
            count = min(workers, self._parts, _MOST_HELPERS)
            self._helpers = [_Helper(arguments, numbers) for _ in range(count)]

    def hits(self) -> Hits:
        """In file order. Raises `ReadError` and `OSError`."""
        before = 0
        for part in range(self._parts):
            helper = next((one for one in self._helpers if one.has_begun(part)), None)
            last, counted = -1, None
            if helper is not None:
                for last, newlines in helper.hits():
                    yield last, before + newlines
                counted = helper.lines
            if counted is None:
                for hit, newlines in self._alone(part):
                    if hit > last:
                        yield hit, before + newlines
                counted = self._scan.lines
            before += counted
        self.whole = True

    def _alone(self, part: int) -> Hits:
        from rollout_loaders.source import open_file

        low = part * self._part
        with open_file(self._path) as file:
            yield from self._scan.hits(cast("Readable", file), low, min(low + self._part, self._size))

    def close(self) -> None:
        """Leave no process behind."""
        for helper in self._helpers:
            helper.close()


class _Helper:
    """One process. Where it fails, its part is found to have no end, and it begins none."""

    def __init__(self, arguments: list[str], numbers: int) -> None:
        self._begun: int | None = None
        self.lines: int | None = None
        """Newlines of the part whose hits were given; None where it did not come to its end."""
        code = _CODE.format(path=[place or str(Path.cwd()) for place in sys.path])
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", code, *arguments],
                stdin=numbers,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, ValueError):
            self._process = None

    def has_begun(self, part: int) -> bool:
        """Whether this part is the next of which it has hits. Parts are asked for in order, each once."""
        if self._begun is None:
            record = self._record()
            self._begun = record[1] if record is not None and record[0] == BEGIN else None
        return self._begun == part

    def hits(self) -> Hits:
        """Those of the part that it has begun; `lines` tells afterwards whether these are all."""
        self._begun = self.lines = None
        while (record := self._record()) is not None:
            if record[0] == END:
                self.lines = record[1]
                return
            yield record

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process.wait()
            self._process = None

    def _record(self) -> tuple[int, int] | None:
        pipe = self._process.stdout if self._process is not None else None
        piece = b"" if pipe is None else pipe.read(RECORD.size)
        if len(piece) < RECORD.size:
            return None
        first, second = RECORD.unpack(piece)
        return int(first), int(second)
