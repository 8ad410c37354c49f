"""Lines of a byte range of a file, seen through one buffer. Imports next to nothing: helper processes run it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from rollout_loaders.bounds import LINE

BLOCK = 1 << 20


class Readable(Protocol):
    """What is needed of a binary file."""

    def seek(self, offset: int, /) -> int:
        """As of any file."""
        ...

    def readinto(self, buffer: memoryview, /) -> int | None:
        """As of any unbuffered or buffered binary reader."""
        ...


def lines(file: Readable, start: int, end: int) -> Iterator[tuple[int, memoryview, bool]]:
    """Lines that begin in `[start, end)` as `(offset, bytes without the newline, whether it had one)`.

    A view is of one reused buffer: it holds until the next line is asked for. Nothing is copied but the piece of a line
    that a block cuts off.
    """
    position = _first_line(file, start)
    file.seek(position)
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    held = 0  # bytes of an unfinished line at the front
    while position < end:
        if held == len(buffer):
            if held > LINE.value:
                raise LINE.beyond("", f"the line at byte {position:,}")
            buffer = buffer + bytearray(len(buffer))
            view = memoryview(buffer)
        filled = file.readinto(view[held:])
        if not filled:
            if held:
                yield position, view[:held], False
            return
        filled += held
        at = 0
        look = held
        while position < end:
            stop = buffer.find(b"\n", look, filled)
            if stop < 0:
                break
            yield position, view[at:stop], True
            position += stop - at + 1
            at = look = stop + 1
        held = filled - at
        buffer[:held] = buffer[at:filled]


def _first_line(file: Readable, start: int) -> int:
    """Offset of the first line that begins at or after `start`.

    Not by `readline`: of an unbuffered file that is a system call a byte.
    """
    if start == 0:
        return 0
    at = file.seek(start - 1)
    buffer = bytearray(BLOCK >> 4)
    while filled := file.readinto(memoryview(buffer)):
        found = buffer.find(b"\n", 0, filled)
        if found >= 0:
            return at + found + 1
        at += filled
    return at
