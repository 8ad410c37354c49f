"""PATH arguments to files and folders: globs, stdin, locators (CONTRACT 2)."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass
from pathlib import Path

from rollout_loaders import locator, source
from rollout_loaders.errors import ReadError
from rollout_loaders.model import Place
from rollout_loaders.natural_order import natural_key

_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Argument:
    """One thing that exists: what a PATH named, or one match of its glob."""

    path: Path
    shown: str
    """As given."""
    rollout: str | None = None
    place: Place | None = None

    @property
    def is_stdin(self) -> bool:
        """True for `-`."""
        return self.shown == locator.STDIN


def expand(text: str) -> list[Argument]:
    """What one PATH names. Raises `ReadError` when nothing is there."""
    place = locator.parse(text, exists=_names_something)
    if place.path == locator.STDIN:
        return [Argument(Path(locator.STDIN), locator.STDIN, place.rollout, place.place)]
    if _exists(place.path):
        return [Argument(Path(place.path), place.path, place.rollout, place.place)]
    if _GLOB.search(place.path):
        matches = _matches(place.path)
        if not matches:
            raise ReadError(text, "the pattern matches nothing", "check it with ls")
        return [Argument(Path(match), match, place.rollout, place.place) for match in matches]
    try:  # for the reason: missing, or a folder above it that may not be entered
        os.lstat(place.path)
    except OSError as error:
        raise source.read_error(place.path, error) from error
    except ValueError as error:
        raise ReadError(repr(text), "is no path", str(error)) from error
    raise ReadError(text, "is a symbolic link to nothing", "check where it points")


def _names_something(text: str) -> bool:
    return _exists(text) or bool(_GLOB.search(text) and _matches(text))


def _exists(text: str) -> bool:
    try:
        return os.path.lexists(text) and bool(text)
    except ValueError:
        return False


def _matches(pattern: str) -> list[str]:
    try:
        return sorted(glob.iglob(pattern, recursive=True), key=natural_key)  # noqa: PTH207  the pattern may be absolute
    except (OSError, ValueError, re.error):
        return []


def shown_join(parent: str, name: str) -> str:
    """`parent` as given, joined with a name inside it."""
    return os.path.join(parent, name)  # noqa: PTH118  keeps `./` and doubled slashes as the user wrote them
