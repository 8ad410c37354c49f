"""Following one rollouts file: the rows of lines that were added, without reading the others again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any, BinaryIO, cast

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.formats import gym_scan
from rollout_loaders.formats.gym_blocks import Readable
from rollout_loaders.source import open_file

from .building import end_of_lines
from .identity import FileIdentity, has_only_grown, identity_of
from .needle_scan import count_newlines

_BLOCK = 1 << 20


@dataclass(slots=True)
class Growth:
    """How far a file was read."""

    path: Path
    scan: str
    """Module of the format's `plain_fields`."""
    identity: FileIdentity
    end: int
    """Where its last complete line ends; what comes after is not read before it is complete."""
    lines: int
    names: set[str] = field(default_factory=set[str])

    def rows(self) -> list[tuple[Any, ...]] | None:
        """Scanned rows of new complete lines, their numbers counted from 1; None where the file is another than before.

        Raises `ReadError` and `OSError`.
        """
        with open_file(self.path) as file:
            now = identity_of(self.path, file)
            if now == self.identity:
                return []
            if not has_only_grown(self.identity, now, file):
                return None
            end = end_of_lines(file, now.size, self.end)
            rows = list(self._scanned(cast(Readable, file), end))
            self.identity, self.end = now, end
            return rows

    def _scanned(self, file: Readable, end: int) -> Iterator[tuple[Any, ...]]:
        plain = gym_scan.plain_of(self.scan)
        for low in range(self.end, end, gym_scan.STEP):
            count, rows = gym_scan.scan(file, low, min(low + gym_scan.STEP, end), plain)
            for number, *rest in rows:
                yield (self.lines + number, *rest)
            self.lines += count


def growth_of(path: Path, scan: str) -> Growth:
    """Where a file stands now. Raises `ReadError` and `OSError`."""
    with open_file(path) as file:
        identity = identity_of(path, file)
        end = end_of_lines(file, identity.size, 0)
        return Growth(path, scan, identity, end, _newlines(file, end))


def _newlines(file: BinaryIO, end: int) -> int:
    file.seek(0)
    count, at = 0, 0
    while at < end and (block := file.read(min(_BLOCK, end - at))):
        count += count_newlines(block, 0, len(block))
        at += len(block)
    return count
