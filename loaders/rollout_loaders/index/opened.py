"""Which opened files are worth an index."""

from __future__ import annotations

from pathlib import Path

from rollout_loaders.formats import gym_rollouts
from rollout_loaders.formats.gym_file import GymFile
from rollout_loaders.formats.gym_rollout import rollout_of
from rollout_loaders.reader import Artifact, ReadOptions

PAYS = 4 * 1024 * 1024
"""Bytes above which reading an index beats scanning the file."""
NOTHING_FORCED = ReadOptions()


def indexed(artifact: Artifact, path: Path, options: ReadOptions) -> Artifact:
    """The artifact, with an index where that pays. None with forced options: an index knows none."""
    if type(artifact) is not GymFile or artifact.format != gym_rollouts.READER.name or options != NOTHING_FORCED:
        return artifact
    try:
        if path.stat().st_size < PAYS:
            return artifact
    except OSError:
        return artifact
    from .gym_rows import IndexedGymFile

    return IndexedGymFile(path, artifact.path, artifact.format, gym_rollouts.no_rollout, rollout_of, options, fast=True)
