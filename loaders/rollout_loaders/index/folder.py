"""The cache folder: `$XDG_CACHE_HOME/rollout-inspect`, private, of bounded size, with a switch."""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import blake2b
from pathlib import Path

SWITCH = "ROLLOUT_INSPECT_CACHE"
"""`off` (or `0`, `no`, `false`) switches the cache off; an absolute path is the folder to use."""
SIZE_SWITCH = "ROLLOUT_INSPECT_CACHE_BYTES"
MOST_BYTES = 2 * 1024**3
SUFFIX = ".index"
PARTIAL = ".partial"
_ABANDONED_SECONDS = 86_400
_OFF = frozenset({"off", "0", "no", "false", "none"})


def cache_folder() -> Path | None:
    """The folder, made if need be; None where it is switched off or cannot be made or trusted."""
    stated = os.environ.get(SWITCH, "").strip()
    if stated.lower() in _OFF and stated:
        return None
    try:
        folder = _place(stated)
        if folder is None:
            return None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_ours(folder) else None
    except (OSError, RuntimeError, ValueError):
        return None


def file_name(resolved: str, version: str) -> str:
    """The name of a file's index."""
    key = f"{version}\0{resolved}".encode("utf-8", "surrogateescape")
    return blake2b(key, digest_size=20).hexdigest() + SUFFIX


def evict(folder: Path, keep: Path) -> None:
    """Remove the least recently used indexes until the folder holds at most `MOST_BYTES`; `keep` stays."""
    with contextlib.suppress(OSError, ValueError):
        bound = int(os.environ.get(SIZE_SWITCH) or MOST_BYTES)
        held = [(entry, entry.stat()) for entry in folder.iterdir() if entry.suffix in (SUFFIX, PARTIAL)]
        newest = max((state.st_mtime for _, state in held), default=0.0)
        total = sum(state.st_size for _, state in held)
        for entry, state in sorted(held, key=lambda one: one[1].st_mtime):
            abandoned = entry.suffix == PARTIAL and newest - state.st_mtime > _ABANDONED_SECONDS
            if abandoned or (total > bound and entry.suffix == SUFFIX and entry != keep):
                entry.unlink(missing_ok=True)
                total -= state.st_size


def _place(stated: str) -> Path | None:
    if stated and Path(stated).is_absolute():
        return Path(stated)
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of these folders: a relative path is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "rollout-inspect"


def _is_ours(folder: Path) -> bool:
    """What is kept there is decoded as trustingly as a `__pycache__`, so nobody else may write in it."""
    if not hasattr(os, "getuid"):
        return True
    state = folder.stat()
    return state.st_uid == os.getuid() and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
