"""What lies in a folder: one listing at a time, in natural order, links and special files judged, nothing opened."""

from __future__ import annotations

import os
import stat
from dataclasses import field
from pathlib import Path

from rollout_loaders import source
from rollout_loaders.bounds import ENTRIES
from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic
from rollout_loaders.natural_order import natural_key
from rollout_loaders.remote.path import RemotePath

from .paths import shown_join

MAX_DEPTH = 64
_NEVER_SEARCHED = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".pytest_cache"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder inside a searched folder."""

    path: Path
    shown: str

    @property
    def name(self) -> str:
        """Its last component."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class Listing:
    """The regular files and the folders of one folder, each in natural order."""

    entry: Entry
    files: tuple[Entry, ...]
    folders: tuple[Entry, ...]


@dataclass(slots=True)
class Search:
    """One folder argument's search: what was seen already, and what could not be searched."""

    root: Entry
    diagnostics: list[Diagnostic] = field(default_factory=lambda: [])
    entries: int = 0
    _seen: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    _real_root: str = ""

    def __post_init__(self) -> None:
        self._real_root = os.path.realpath(self.root.path)

    def listing(self, entry: Entry, depth: int = 0) -> Listing | None:
        """List one folder, once. None when it was listed before, is too deep, or cannot be read.

        Raises: `ReadError` for the root itself.
        """
        files: list[Entry] = []
        folders: list[Entry] = []
        if isinstance(entry.path, RemotePath):
            if not self._list_remote(entry, entry.path, files, folders):
                return None
        elif not self._list_local(entry, files, folders):
            return None
        if depth >= MAX_DEPTH and folders:
            self.diagnostics.append(
                Diagnostic("search-bounded", f"folders below depth {MAX_DEPTH} are not searched", entry.shown)
            )
            folders.clear()
        return Listing(entry, tuple(files), tuple(folders))

    def _list_local(self, entry: Entry, files: list[Entry], folders: list[Entry]) -> bool:
        try:
            state = entry.path.stat()
            if (state.st_dev, state.st_ino) in self._seen:
                return False
            self._seen.add((state.st_dev, state.st_ino))
            with os.scandir(entry.path) as scan:
                found = sorted(scan, key=lambda e: natural_key(e.name))
        except OSError as error:
            refused = source.read_error(entry.shown, error)
            if entry is self.root:
                raise refused from error
            self.diagnostics.append(Diagnostic("folder-unreadable", refused.reason, entry.shown))
            return False
        for item in found:
            self._judge(item, shown_join(entry.shown, item.name), files, folders)
        return True

    def _list_remote(self, entry: Entry, path: RemotePath, files: list[Entry], folders: list[Entry]) -> bool:
        try:
            found = sorted(path.children(), key=lambda child: natural_key(child.name))
        except ReadError as refused:
            if entry is self.root:
                raise
            self.diagnostics.append(Diagnostic("folder-unreadable", refused.reason, entry.shown))
            return False
        for child in found:
            self._count()
            shown = shown_join(entry.shown, child.name)
            if child.path is None:
                self.diagnostics.append(Diagnostic("entry-skipped", "its key is no path, not opened", shown))
            elif not child.is_folder:
                files.append(Entry(child.path, shown))
            elif child.name not in _NEVER_SEARCHED:
                folders.append(Entry(child.path, shown))
        return True

    def _count(self) -> None:
        self.entries += 1
        if self.entries > ENTRIES:
            raise ReadError(self.root.shown, f"holds more than {ENTRIES:,} entries", "name a folder inside it")

    def _judge(self, item: os.DirEntry[str], shown: str, files: list[Entry], folders: list[Entry]) -> None:
        self._count()
        try:
            mode = item.stat().st_mode
        except OSError as error:
            reason = (
                "a symbolic link that leads nowhere" if item.is_symlink() else source.read_error(shown, error).reason
            )
            self.diagnostics.append(Diagnostic("entry-unreadable", reason, shown))
            return
        if item.is_symlink() and self._found_anyway(item):
            return
        if stat.S_ISDIR(mode):
            if item.name not in _NEVER_SEARCHED:
                folders.append(Entry(Path(item.path), shown))
        elif stat.S_ISREG(mode):
            files.append(Entry(Path(item.path), shown))
        else:
            kind = source.special_kind(mode) or "no regular file"
            self.diagnostics.append(Diagnostic("entry-skipped", f"{kind}, not opened", shown))

    def _found_anyway(self, item: os.DirEntry[str]) -> bool:
        """True for a link into the searched tree: its target is found there, a second reading would be a double."""
        target = os.path.realpath(item.path)
        return target == self._real_root or target.startswith(self._real_root + os.sep)
