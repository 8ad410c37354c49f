"""A reference to an object or folder behind a URL that readers take for any other path."""

from __future__ import annotations

import fnmatch
import os
import stat
import sys
from collections.abc import Generator, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from rollout_loaders.errors import ReadError

from . import address
from .refusal import NotThereError, RemoteError

if TYPE_CHECKING:
    from .backend import State
    from .session import Session

    _LocalPath = Path
else:
    _LocalPath = type(Path())
_NOWHERE = "/dev/null/remote"
"""What the operating system is told where something goes around the methods here: nothing can be there."""


class Inside(NamedTuple):
    """One name in a folder; `path` is None for a key that is no path."""

    path: RemotePath | None
    name: str
    is_folder: bool


class RemotePath(_LocalPath):
    """A URL as a path. A folder ends in `/`; paths that are made of it share its session.

    What a server says is asked once a session. `stat` raises `OSError` as of any path, `open_binary` and the rest
    `ReadError`.
    """

    def __new__(cls, url: str, session: Session | None = None) -> RemotePath:  # noqa: ARG004 - see `__init__`
        """A path of this URL."""
        return super().__new__(cls, _NOWHERE)

    def __init__(self, url: str, session: Session | None = None) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(_NOWHERE)
        self.url = url
        if session is None:
            from .session import Session  # at the first URL, for most command lines name none

            session = Session(url)
        self.session = session

    @cached_property
    def shown(self) -> str:
        """The URL without its secrets."""
        return address.redacted(self.url)

    @property
    def state(self) -> State:
        """Which state of the object is read in this session. Raises `RemoteError`."""
        return self.session.object(self.url).state

    def open_binary(self) -> BinaryIO:
        """The object as a file. Raises `RemoteError`."""
        self._refuse_folder()
        return self.session.open(self.url)

    def read_range(self, start: int, length: int) -> bytes:
        """Exactly these bytes, as far as the object goes. Raises `RemoteError`."""
        self._refuse_folder()
        return self.session.object(self.url).read(start, length)

    def looked_for(self) -> RemotePath:
        """This path, or where it is a folder and was written without its `/`, the folder.

        Raises: `RemoteError` where neither is there.
        """
        address.checked(self.url)
        if self._is_folder_url:
            if not self.session.children(self.url):
                raise NotThereError(self.shown, "holds no objects", "check the spelling")
            return self
        try:
            self.session.object(self.url)
        except NotThereError:
            if not address.has_folders(self.url) or not self.session.children(self.url):
                raise
            return RemotePath(f"{self.url}/", self.session)
        return self

    def is_there(self) -> bool:
        """Whether the object exists. Raises `ReadError` where that cannot be told, unlike `is_file`."""
        return self.session.is_there(self.url)

    def children(self) -> Iterator[Inside]:
        """What lies here. Raises `ReadError`."""
        for child in self.session.children(self.url):
            if child.name in ("", ".", "..") or "/" in child.name or "\0" in child.name:
                yield Inside(None, child.name, child.is_folder)
                continue
            url = address.below(self.url, child.name) + ("/" if child.is_folder else "")
            yield Inside(RemotePath(url, self.session), child.name, child.is_folder)

    @property
    def _is_folder_url(self) -> bool:
        return address.has_folders(self.url) and (self.url.endswith("/") or not address.bucket_and_key(self.url)[1])

    def _refuse_folder(self) -> None:
        if self._is_folder_url:
            raise RemoteError(self.shown, "is a folder", "name an object in it")

    # What follows is `Path` as far as it is used of a file that is read.

    @property
    def name(self) -> str:
        """Its last component."""
        return address.name_of(self.url)

    @property
    def parent(self) -> RemotePath:
        """The folder above."""
        return RemotePath(address.parent(self.url), self.session)

    @property
    def parents(self) -> tuple[RemotePath, ...]:
        """The folders above, the nearest first."""
        found: list[RemotePath] = []
        above = self.parent
        while above not in found[-1:]:
            found.append(above)
            above = above.parent
        return tuple(found)

    def __truediv__(self, name: Any) -> RemotePath:
        return RemotePath(address.below(self.url, str(name)), self.session)

    def with_name(self, name: str) -> RemotePath:
        """Beside it."""
        return self.parent / name

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002 - there are none
        """A regular file of its size, or a folder. Times are unknown and 0: the version tells states apart."""
        if self._is_folder_url:
            return os.stat_result((stat.S_IFDIR | 0o555, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        try:
            size = self.state.size
        except NotThereError as error:
            raise FileNotFoundError(2, error.reason, self.shown) from error
        except ReadError as error:
            raise OSError(5, error.reason, self.shown) from error
        return os.stat_result((stat.S_IFREG | 0o444, 0, 0, 1, 0, 0, size, 0, 0, 0))

    def exists(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - there are none
        """Whether it is there, as far as can be told."""
        return self.is_dir() or self.is_file()

    def is_file(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - there are none
        """Whether there is such an object; where that cannot be told, no, and the session remembers it."""
        if self._is_folder_url or not self.session.may_look(self.url):
            return False
        try:
            return self.is_there()
        except ReadError as error:
            self.session.note_unseen(self.url, error)
            return False

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - there are none
        """Whether it is a folder: as it is written, or by what lies below it."""
        if not address.has_folders(self.url):
            return False
        if self._is_folder_url:
            return True
        known = self.session.kind_of(self.url)
        if known is not None:
            return known == "folder"
        try:
            return bool(self.session.children(self.url))
        except ReadError as error:
            self.session.note_unseen(self.url, error)
            return False

    def iterdir(self) -> Generator[RemotePath, None, None]:
        """What lies in the folder."""
        try:
            yield from (inside.path for inside in self.children() if inside.path is not None)
        except ReadError as error:
            raise OSError(5, error.reason, self.shown) from error

    def glob(self, pattern: str, **_: Any) -> Generator[RemotePath, None, None]:
        """Names in this folder that match."""
        if not address.has_folders(self.url):
            self.session.may_look(address.below(self.url, pattern))
            return
        yield from (path for path in self.iterdir() if fnmatch.fnmatchcase(path.name, pattern))

    def resolve(self, strict: bool = False) -> RemotePath:  # noqa: ARG002
        """Itself."""
        return self

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"RemotePath({self.shown!r})"

    def __fspath__(self) -> str:
        return _NOWHERE

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemotePath) and other.url == self.url

    def __hash__(self) -> int:
        return hash(self.url)
