"""Scanned pieces of a rollouts file in file order, by all cores; what helpers find waits in nameless files."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from rollout_loaders import cores
from rollout_loaders.remote.path import RemotePath

from . import gym_scan
from .gym_blocks import Readable

ALONE = 48 * 1024 * 1024
"""Bytes that one process scans in about the time in which another starts."""
HEAD_START = ALONE // 2
"""Bytes that this process scans while a helper starts."""
FIRST = 1024 * 1024
"""Bytes that are scanned before anything else: somebody waits for the first rows."""
_HELPER = "import sys; sys.path[:] = {path!r}; from rollout_loaders.formats.gym_scan import serve; serve()"
Piece = tuple[int, bytes]
"""(number of lines, marshalled rows of `gym_scan.scan`)."""


def pieces(path: Path, file: BinaryIO, start: int, end: int, scan: str, workers: int | None = None) -> Iterator[Piece]:
    """Pieces of the lines that begin in `[start, end)`. `workers` processes in all; None takes all usable cores.

    `scan` is the module of the format's `plain_fields`.

    A helper that fails for whatever reason costs nothing but time: its range is scanned here.
    """
    (own_start, own_end), *others = _ranges(start, end, workers or cores_for(path))
    begun, plain = min(own_start + FIRST, own_end), gym_scan.plain_of(scan)
    yield from gym_scan.packed(cast(Readable, file), own_start, begun, plain)
    helpers = [_Helper(path, low, high, scan) for low, high in others]
    try:
        yield from gym_scan.packed(cast(Readable, file), begun, own_end, plain)
        for helper in helpers:
            if helper.is_whole():
                yield from helper.pieces()
            else:
                yield from gym_scan.packed(cast(Readable, file), helper.start, helper.end, plain)
            helper.close()
    finally:
        for helper in helpers:
            helper.close()


def cores_for(path: Path) -> int:
    """Processes that may read a file: of a URL one, for helpers share neither its state nor its blocks."""
    return 1 if isinstance(path, RemotePath) else cores.usable_cores()


def _ranges(start: int, end: int, workers: int) -> list[tuple[int, int]]:
    """Byte ranges, the first for this process."""
    size = end - start
    workers = max(1, min(workers, size // ALONE))
    own = (size + (workers - 1) * HEAD_START) // workers
    share = -(-(size - own) // max(1, workers - 1))
    cuts = [start, *(start + own + share * place for place in range(workers - 1)), end]
    return [(low, min(high, end)) for low, high in itertools.pairwise(cuts) if low < high or low == start]


class _Helper:
    """A process that scans one range into a temporary file."""

    def __init__(self, path: Path, start: int, end: int, scan: str) -> None:
        self.start, self.end = start, end
        self._process: subprocess.Popen[bytes] | None = None
        self._out: Any = None
        code = _HELPER.format(path=[place or str(Path.cwd()) for place in sys.path])
        try:
            self._out = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - closed by `close`
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", code, str(path.resolve()), str(start), str(end), scan],
                stdin=subprocess.DEVNULL,
                stdout=self._out,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, ValueError):
            self.close()

    def is_whole(self) -> bool:
        """Wait for it, and tell whether it came to its end."""
        return self._process is not None and self._process.wait() == 0 and self._ends_well()

    def pieces(self) -> Iterator[Piece]:
        """What it found."""
        self._out.seek(0)
        while True:
            count, length = gym_scan.HEADER.unpack(self._out.read(gym_scan.HEADER.size))
            if length == 0:
                return
            yield count, self._out.read(length)

    def close(self) -> None:
        """Leave no process and no file behind."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._out is not None:
            self._out.close()
            self._out = None

    def _ends_well(self) -> bool:
        """Whether the headers lead to the mark of the end."""
        end = self._out.seek(0, 2)
        at = 0
        while at + gym_scan.HEADER.size <= end:
            self._out.seek(at)
            _, length = gym_scan.HEADER.unpack(self._out.read(gym_scan.HEADER.size))
            at += gym_scan.HEADER.size + length
            if length == 0:
                return bool(at == end)
        return False
