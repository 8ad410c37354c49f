"""Whether a worker sees the file that the driver saw, and not another one, or an older one, under the same path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rollout_loaders.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FileState:
    """A state of a file or folder. Device numbers are left out: each machine has its own."""

    path: Path
    size: int
    mtime_ns: int
    inode: int


def state_of(path: Path) -> FileState:
    """The state now. Raises `OSError`."""
    state = path.stat()
    return FileState(path, state.st_size, state.st_mtime_ns, state.st_ino)


def is_seen(known: FileState) -> bool:
    """Whether the file here is the one that was seen there, perhaps grown since. Raises `OSError`."""
    now = state_of(known.path)
    if (now.size, now.mtime_ns) == (known.size, known.mtime_ns):
        return True
    return now.inode == known.inode and now.size >= known.size


def trouble(states: Sequence[FileState], where: str) -> tuple[str, str] | None:
    """(path, reason) of the first file that is not seen on the machine `where`; None where all are."""
    for known in states:
        try:
            if not is_seen(known):
                return str(known.path), f"is another file on the worker {where}, or has changed since"
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            return str(known.path), f"cannot be seen by the worker {where} ({reason})"
    return None
