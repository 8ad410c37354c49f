"""The registry of samples: a name, a title, the rule it shows, the edits made, and what it must be read as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rollout_loaders.fast_dataclass import dataclass

Make = Callable[[Path, Path], dict[str, Any]]
"""(recordings, folder to write into) -> the expectation, without title and why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One fixture of `sample_rollouts/`."""

    name: str
    title: str
    why: str
    changes: tuple[str, ...]
    """Every edit of the recorded artifact beyond trimming, each with the rule it follows."""
    make: Make


SAMPLES: dict[str, Sample] = {}


def sample(name: str, title: str, why: str, *changes: str) -> Callable[[Make], Make]:
    """Register a sample."""

    def register(make: Make) -> Make:
        if name in SAMPLES:
            raise ValueError(f"two samples are named {name}")
        SAMPLES[name] = Sample(name, title, why, changes, make)
        return make

    return register
