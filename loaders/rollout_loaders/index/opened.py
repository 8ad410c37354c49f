"""Which opened files are worth an index."""

from __future__ import annotations

from pathlib import Path

from rollout_loaders.reader import Artifact, ReadOptions
from rollout_loaders.remote.path import RemotePath

PAYS = 4 * 1024 * 1024
"""Bytes above which reading an index beats scanning the file."""
ONE_A_LINE = frozenset({"gym-rollouts", "verifiers-results"})
"""Formats whose files hold a rollout a line, which are listed by a scan."""
NOTHING_FORCED = ReadOptions()


def indexed(artifact: Artifact, path: Path, options: ReadOptions) -> Artifact:
    """The artifact; with an index where that pays. Forced options are none of what an index knows."""
    if artifact.format not in ONE_A_LINE:
        return artifact
    # Late: other formats must not wait for the modules of these.
    from rollout_loaders.formats.gym_file import GymFile

    from .gym_rows import IndexedGymFile

    if type(artifact) is not GymFile:
        return artifact
    made = IndexedGymFile(path, artifact.path, artifact.kind, options)
    made.builds = _is_large(path)
    made.keeps = made.builds and options == NOTHING_FORCED and _may_be_named(path)
    return made


def _may_be_named(path: Path) -> bool:
    """A URL with secrets in it leaves nothing in the cache folder, nor does an object whose states look alike."""
    return not isinstance(path, RemotePath) or (path.shown == path.url and path.state.sure)


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size >= PAYS
    except OSError:
        return False
