"""What an index depends on besides the file: the rules that made it. Changed rules make it stale."""

from __future__ import annotations

import marshal
import os
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path

import orjson

INDEX_VERSION = 2
"""Of the layout of an index. Changes of the rules are seen by themselves: `rules_version`."""
_PACKAGE = Path(__file__).parent.parent


@cache
def rules_version() -> str:
    """A name for the code that reads: names, sizes and times of this package's modules, versions of what it rests on.

    Contents are not hashed, which would cost more than a small file's reading; an edit changes a module's time.
    """
    digest = blake2b(digest_size=16)
    known = sorted(modules(_PACKAGE))
    stated = (INDEX_VERSION, sys.version, sys.implementation.cache_tag, marshal.version, orjson.__version__)
    digest.update(repr((*stated, str(_PACKAGE))).encode("utf-8", "surrogatepass"))
    if len({time for _, _, time in known}) < 2:  # a zip, or a build that gives all its files one time
        digest.update(_distribution().encode())
    for module in known:
        digest.update(repr(module).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@cache
def code_digest() -> str:
    """A name for what this package's modules hold: the same wherever the same code is installed."""
    digest = blake2b(digest_size=16)
    for name, size, _ in sorted(modules(_PACKAGE)):
        digest.update(f"{name} {size}\n".encode("utf-8", "surrogatepass"))
        digest.update((_PACKAGE / name).read_bytes())
    return digest.hexdigest()


def modules(folder: Path) -> list[tuple[str, int, int]]:
    """(path in the package, size, time) of every module; none where the package is no folder (a zip)."""
    found: list[tuple[str, int, int]] = []
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.name.endswith(".py"):
                        state = entry.stat()
                        found.append((os.path.relpath(entry.path, folder), state.st_size, state.st_mtime_ns))
                    elif entry.name != "__pycache__" and entry.is_dir():
                        waiting.append(entry.path)
        except OSError:
            continue
    return found


def _distribution() -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes as long as all else here

    try:
        return version("rollout-inspect")
    except PackageNotFoundError:
        return ""
