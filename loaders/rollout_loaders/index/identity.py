"""Which state of which file an index describes: its place, its times, its size, and a hash of samples of its bytes."""

from __future__ import annotations

import os
import time
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.remote.path import RemotePath
from rollout_loaders.source import open_file

SAMPLES = 64
SAMPLE = 4096
READ_AGAIN = 256 * 1024 * 1024
"""Bytes up to which a file that grew since it was listed is read from its start."""
_REMOTE = -1
"""The device of an object behind a URL, whose server tells its states apart."""
FRESH_NS = 50_000_000
"""A file written within the last tick of a clock may be written again without another time stamp."""


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """A state of a file."""

    path: str
    """Resolved."""
    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    """No program can set it, so a change that restores the modification time still shows."""
    samples: str
    """Hash of the first and last bytes up to `size` and of blocks between them."""


def place_of(path: Path) -> str:
    """By which an index is named: where a file lies, links resolved, or its URL."""
    return path.shown if isinstance(path, RemotePath) else os.path.realpath(path)


def identity_of(path: Path, file: BinaryIO) -> FileIdentity:
    """The state of an opened file. Raises `OSError`; of a URL, `ReadError`."""
    if isinstance(path, RemotePath):
        return FileIdentity(place_of(path), _REMOTE, 0, path.state.size, 0, 0, path.state.version)
    state = os.fstat(file.fileno())
    return FileIdentity(
        path=place_of(path),
        device=state.st_dev,
        inode=state.st_ino,
        size=state.st_size,
        mtime_ns=state.st_mtime_ns,
        ctime_ns=state.st_ctime_ns,
        samples=sampled(file, state.st_size),
    )


def sampled(file: BinaryIO, size: int) -> str:
    """The hash of samples of the first `size` bytes: both ends, and blocks evenly between."""
    digest = blake2b(digest_size=16)
    last = max(0, size - SAMPLE)
    places = sorted({last * step // SAMPLES for step in range(SAMPLES + 1)})
    for place in places:
        file.seek(place)
        digest.update(file.read(min(SAMPLE, size - place)))
    return digest.hexdigest()


def has_only_grown(kept: FileIdentity, now: FileIdentity, file: BinaryIO) -> bool:
    """Whether `now` is `kept` with more bytes after it, as far as the samples tell. Raises `OSError`."""
    if now.device == _REMOTE:  # looking at samples would transfer more than it saves
        return False
    same_file = (kept.path, kept.device, kept.inode) == (now.path, now.device, now.inode)
    return same_file and now.size > kept.size and sampled(file, kept.size) == kept.samples


def may_be_extended(kept: FileIdentity, now: FileIdentity, file: BinaryIO) -> bool:
    """Whether an index of `kept` may be taken over. Raises `OSError`.

    Samples cannot tell that a reward was rewritten in its place before the file grew. So what is read again in a moment
    is read again; of a larger file the samples have to be believed.
    """
    return now.size > READ_AGAIN and has_only_grown(kept, now, file)


def still_holds(kept: FileIdentity, path: Path) -> bool:
    """Whether what was at a place of that state still is: the file is the same, or has only grown. Raises `OSError`."""
    if isinstance(path, RemotePath):  # each range is checked
        return True
    with open_file(path) as file:
        now = identity_of(path, file)
        return now == kept or has_only_grown(kept, now, file)


def may_change_unseen(identity: FileIdentity) -> bool:
    """Whether the file was written so recently that another write might leave its times as they are."""
    return time.time_ns() - max(identity.mtime_ns, identity.ctime_ns) < FRESH_NS
