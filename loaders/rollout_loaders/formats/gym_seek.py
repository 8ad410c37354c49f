"""Finding one record of a large file without parsing the others: by its line number, or by the bytes of its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from rollout_loaders.jsonlines import Line
from rollout_loaders.source import open_file, read_error

from .gym_blocks import Readable, lines

WINDOW = 2048
"""Collectors stamp a row's identity at its end, some at its start: so much of either is looked at first."""
_TO_THE_END = 1 << 62
_TASK, _OWN = b'"_ng_task_index"', b'"_ng_rollout_id"'
_DIGITS = re.compile(rb"\s*:\s*(\d+)")


def line_at(path: Path, number: int) -> Line | None:
    """Line `number` (from 1), None where the file has fewer. Raises `ReadError`."""
    for line, data, offset, terminated in _numbered(path):
        if line == number:
            return Line(line, offset, bytes(data), terminated)
    return None


def lines_with_name(path: Path, name: str) -> Iterator[Line]:
    """Lines that may hold the identity `name`, likely ones first; the caller reads them to know. Raises `ReadError`."""
    wanted = _Name(name)
    seen: set[int] = set()
    for number, data, offset, terminated in _numbered(path):
        if wanted.is_near_an_end_of(data):
            seen.add(number)
            yield Line(number, offset, bytes(data), terminated)
    for number, data, offset, terminated in _numbered(path):
        if number not in seen:
            whole = bytes(data)
            if wanted.is_in(whole):
                yield Line(number, offset, whole, terminated)


class _Name:
    """The bytes by which a line with this identity can be told from most others."""

    def __init__(self, name: str) -> None:
        texts = dict.fromkeys((name, re.sub(r"-a\d+$", "", name)))
        self._quoted = [f'"{text}"'.encode("utf-8", "surrogatepass") for text in texts]
        indexed = re.fullmatch(r"(\d+)-\d+(?:-a\d+)?", name)
        self._task = None if indexed is None else indexed[1].encode()

    def is_near_an_end_of(self, data: memoryview) -> bool:
        """Looks at the end of the line, and at its start only where the end says nothing about identity.

        What it overlooks is found by `is_in` of the whole line.
        """
        if self._task is not None:
            end = bytes(data[-WINDOW:])
            at = end.rfind(_TASK)  # from behind, where it stands as a rule
            if at >= 0:
                return self._is_task(end, at)
        for window in (bytes(data[-WINDOW:]), bytes(data[:WINDOW])):
            if _TASK in window or _OWN in window:
                return self.is_in(window)
        return False

    def _is_task(self, text: bytes, at: int) -> bool:
        digits = _DIGITS.match(text, at + len(_TASK))
        return digits is not None and digits[1] == self._task

    def is_in(self, text: bytes) -> bool:
        """Whether a task index or a rollout id in `text` is the wanted one."""
        if self._task is not None:
            at = text.rfind(_TASK)
            while at >= 0:
                if self._is_task(text, at):
                    return True
                at = text.rfind(_TASK, 0, at)
        return _OWN in text and any(mark in text for mark in self._quoted)


def _numbered(path: Path) -> Iterator[tuple[int, memoryview, int, bool]]:
    with open_file(path) as file:
        try:
            readable = cast(Readable, file)
            for number, (offset, data, terminated) in enumerate(lines(readable, 0, _TO_THE_END), 1):
                yield number, data, offset, terminated
        except OSError as error:
            raise read_error(path, error) from error
