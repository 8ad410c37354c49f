"""PATH arguments to files and folders: globs, stdin, locators (CONTRACT 2)."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from rollout_loaders import locator, source
from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Place
from rollout_loaders.natural_order import natural_key
from rollout_loaders.remote.address import has_folders, is_url
from rollout_loaders.remote.path import RemotePath

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
    if is_url(text):
        return [_remote(text)]
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


def path_of(text: str) -> Path:
    """A path without a locator: of this machine, or of a URL."""
    return RemotePath(text) if is_url(text) else Path(text)


def _remote(text: str) -> Argument:
    """What a URL names. Raises `ReadError` when it is not there, or it cannot be told."""
    from rollout_loaders.remote.session import Session

    session = Session(text)

    def is_there(url: str) -> bool:
        # A key may hold any character. Where nothing in it can be a mark there is nothing to ask.
        return ("#" not in url and "@" not in url) or RemotePath(url, session).exists()

    named = locator.parse(text, exists=is_there if has_folders(text) else lambda _: False)
    session.named = named.path
    path = RemotePath(named.path, session).looked_for()
    if path.url.endswith("/") and not named.path.endswith("/"):
        return Argument(path, f"{named.path}/", named.rollout, named.place)
    return Argument(path, path.shown, named.rollout, named.place)


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


def shown_parent(shown: str) -> str:
    """The folder of a file as shown, without a trailing `/`; empty for a name alone."""
    parent = shown.rstrip("/").rpartition("/")[0]
    return parent or ("/" if shown.startswith("/") else "")


def shown_join(parent: str, name: str) -> str:
    """`parent` as given, joined with a name inside it."""
    return os.path.join(parent, name)  # noqa: PTH118  keeps `./` and doubled slashes as the user wrote them
