"""`REVISION:PATH`: a folder or file as a git revision holds it, in a private folder while it is compared."""

from __future__ import annotations

import contextlib
import subprocess
import tarfile
import tempfile
from collections.abc import Generator
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.remote.address import is_url


@contextlib.contextmanager
def checked_out(place: str) -> Generator[str]:
    """Yield a path for `place`: itself when it exists, else what `git archive` gives of it.

    A locator after `#` stays on it. Nothing of the checkout is touched. Raises `ReadError` when git knows no such
    revision or path.
    """
    revision, colon, rest = place.partition(":")
    path, mark, locator = rest.partition("#")
    if (
        not colon
        or is_url(place)
        or not revision
        or len(revision) == 1
        or Path(place).exists()
        or Path(place.partition("#")[0]).exists()
    ):
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="rollout-inspect-") as folder:
        archive = Path(folder) / "archive.tar"
        _archive(place, revision, path or ".", archive)
        with tarfile.open(archive) as tar:
            # The data filter refuses names that lead out of the folder; Python before 3.11.4 has none, so that links
            # and devices, the only way out of a folder that git archives, are left out there.
            safe = getattr(tarfile, "data_filter", None)
            if safe is None:
                tar.extractall(folder, members=[one for one in tar if one.isfile() or one.isdir()])
            else:
                tar.extractall(folder, filter=safe)
        archive.unlink()
        yield f"{Path(folder) / path}{mark}{locator}"


def _archive(place: str, revision: str, path: str, target: Path) -> None:
    if revision.startswith("-"):
        raise ReadError(place, "no revision of git starts with '-'")
    _git(place, "archive", "--format=tar", f"--output={target}", revision, "--", path)


def _git(place: str, *arguments: str) -> str:
    try:
        done = subprocess.run(("git", *arguments), capture_output=True, text=True, check=False, errors="replace")
    except OSError as error:
        raise ReadError(place, "does not exist, and git is not there to look for a revision") from error
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise ReadError(place, f"does not exist, and git says: {said[-1] if said else 'nothing'}")
    return done.stdout
