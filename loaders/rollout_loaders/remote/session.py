"""What servers were asked in one pass over a PATH: each object in one state, each folder once."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import BinaryIO, Literal, TypeVar, cast

from rollout_loaders.bounds import ENTRIES
from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass

from . import address
from .backend import Child, State, asked, backend_of
from .blocks import BLOCK, BLOCKS
from .refusal import NotThereError, RemoteError

_Answer = TypeVar("_Answer")
_MOST_PAGES = 20_000
"""A server may give pages without end and nothing on them."""


@dataclass(frozen=True, slots=True)
class RemoteObject:
    """One object in the state in which its reading began; every byte is of that state."""

    url: str
    state: State

    def read(self, start: int, length: int) -> bytes:
        """Exactly this range as far as the object goes, in requests of at most a block. Raises `RemoteError`."""
        end = min(start + length, self.state.size)
        if end <= len(self.state.first):
            return self.state.first[start:end]
        return b"".join(self._piece(at, min(at + BLOCK, end)) for at in range(start, end, BLOCK))

    def block(self, number: int) -> bytes:
        """Block `number`, kept for a while."""
        start = number * BLOCK
        end = min(start + BLOCK, self.state.size)
        return BLOCKS.get(self._key(number), lambda: self._piece(start, end))

    def _piece(self, start: int, end: int) -> bytes:
        held = BLOCKS.held(self._key(start // BLOCK))
        if held is not None and start // BLOCK == (end - 1) // BLOCK:
            return held[start % BLOCK : start % BLOCK + end - start]
        known = self.state.first[start:end]
        if len(known) == end - start:
            return known
        start += len(known)
        fetched = asked(self.url, lambda: backend_of(self.url).get(self.url, start, end, self.state))
        return known + bytes(fetched)

    def _key(self, number: int) -> tuple[str, str, int]:
        return self.url, self.state.version, number


class RemoteFile(io.RawIOBase):
    """An object as a file that can be read and sought in."""

    def __init__(self, found: RemoteObject) -> None:
        self._found, self._at = found, 0
        self.size = found.state.size

    def readable(self) -> bool:
        """As of any file."""
        return True

    def seekable(self) -> bool:
        """As of any file."""
        return True

    def tell(self) -> int:
        """As of any file."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """As of any file."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # narrower than typeshed's buffer
        """What is left of the block in which the place lies."""
        if self._at >= self.size:
            return 0
        number, within = divmod(self._at, BLOCK)
        piece = memoryview(self._found.block(number))[within : within + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


@dataclass(slots=True)
class Session:
    """States and listings that were asked for; `unseen` says of which folders it could not be seen what lies there."""

    named: str
    """The URL that the user gave."""
    unseen: dict[str, str] = field(default_factory=dict[str, str])
    """Folder as shown, and why."""
    _objects: dict[str, RemoteObject | RemoteError] = field(default_factory=lambda: {})
    _folders: dict[str, tuple[Child, ...] | RemoteError] = field(default_factory=lambda: {})

    def object(self, url: str) -> RemoteObject:
        """The object. Raises `RemoteError`, the same one each time."""
        return _once(self._objects, url, _found)

    def open(self, url: str) -> BinaryIO:
        """The object as a buffered file."""
        return cast(BinaryIO, io.BufferedReader(RemoteFile(self.object(url)), 65536))

    def children(self, url: str) -> tuple[Child, ...]:
        """What lies in a folder; empty where there is no such folder. Raises `ReadError`."""
        return _once(self._folders, f"{url.rstrip('/')}/", _listed)

    def kind_of(self, url: str) -> Literal["file", "folder"] | None:
        """What is known of a URL without asking."""
        if isinstance(self._objects.get(url), RemoteObject):
            return "file"
        known = self._folders.get(address.parent(url))
        name = address.name_of(url)
        if isinstance(known, tuple):
            for child in known:
                if child.name == name:
                    return "folder" if child.is_folder else "file"
        return None

    def is_there(self, url: str) -> bool:
        """Whether there is such an object. Raises `ReadError` where that cannot be told."""
        folder = address.parent(url)
        known = self._folders.get(folder)
        if isinstance(known, tuple):
            return any(not child.is_folder and child.name == address.name_of(url) for child in known)
        try:
            self.object(url)
        except NotThereError:
            return False
        return True

    def may_look(self, url: str) -> bool:
        """Whether to look for what a user did not name; of the web it is only said that nobody looked."""
        if address.has_folders(url) or url == self.named:
            return True
        self.note_unseen(url, "what lies beside a file on the web is not looked for; name it too")
        return False

    def note_unseen(self, url: str, why: str | ReadError) -> None:
        """Remember that it could not be seen what lies beside."""
        said = why if isinstance(why, str) else f"{why.reason}: what lies there is not joined"
        self.unseen.setdefault(address.redacted(address.parent(url)), said)


def _once(known: dict[str, _Answer | RemoteError], url: str, ask: Callable[[str], _Answer]) -> _Answer:
    """What a server says of a URL, asked once; that it refused is remembered too. Raises `RemoteError`."""
    if url not in known:
        try:
            address.checked(url)
            known[url] = ask(url)
        except RemoteError as error:
            known[url] = error
    found = known[url]
    if isinstance(found, RemoteError):
        raise found
    return found


def _found(url: str) -> RemoteObject:
    state: State = asked(url, partial(backend_of(url).state, url))
    return RemoteObject(url, state)


def _listed(url: str) -> tuple[Child, ...]:
    found: list[Child] = []
    token: str | None = None
    for _ in range(_MOST_PAGES):
        page, token = asked(url, partial(backend_of(url).page, url, token))
        found += page
        if len(found) > ENTRIES:
            break
        if token is None:
            return tuple(found)
    raise RemoteError(address.redacted(url), f"holds more than {ENTRIES:,} entries", "name a folder inside it")
