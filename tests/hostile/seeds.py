"""Small artifacts to begin a mutation with: the samples, and the recordings where they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rollout_loaders.fast_dataclass import dataclass
from tests.paths import GYM_ROLLOUTS, RECORDINGS, SAMPLES

LARGEST = 60_000
"""Bytes of a seed; what is larger teaches a mutation nothing and takes its time."""


NO_ARTIFACT = ("status", "script", "opencode", "models", "settings", "result", "metadata", "session-list", "run")


@dataclass(frozen=True, slots=True)
class Seed:
    """One artifact. `files` are its names and contents relative to its folder; a database is a path."""

    kind: str
    """`lines`, `document`, `store` or `database`."""
    name: str
    files: tuple[tuple[str, bytes], ...]
    path: Path


def _of_file(path: Path) -> Seed | None:
    if path.name == "opencode.db":
        return Seed("database", path.name, (), path) if path.stat().st_size < 4 * LARGEST else None
    if path.stat().st_size > LARGEST or path.name == "expect.json":
        return None
    if path.suffix == ".jsonl":
        kept = [other for other in sorted(path.parent.iterdir()) if other != path and _goes_with(other)]
        return Seed("lines", path.name, tuple((p.name, p.read_bytes()) for p in [path, *kept[:2]]), path)
    if path.suffix == ".json" and not path.name.startswith(NO_ARTIFACT):
        return Seed("document", path.name, ((path.name, path.read_bytes()),), path)
    return None


def _goes_with(other: Path) -> bool:
    """Whether a file may be evidence beside another."""
    no_evidence = other.name.startswith(("status", "script", "opencode", "expect"))
    return other.suffix in (".jsonl", ".json") and not no_evidence and other.stat().st_size < LARGEST


@cache
def seeds() -> tuple[Seed, ...]:
    """Every seed of this checkout, in a fixed order."""
    found: list[Seed] = []
    for root in (SAMPLES, RECORDINGS, GYM_ROLLOUTS):
        for path in sorted(root.rglob("*")) if root.is_dir() else ():
            if path.is_dir() and path.name == "storage" and (path / "message").is_dir():
                files = tuple((p.relative_to(path).as_posix(), p.read_bytes()) for p in sorted(path.rglob("*.json")))
                found.append(Seed("store", path.name, files, path))
            elif path.is_file() and "storage" not in path.parts:
                seed = _of_file(path)
                if seed is not None:
                    found.append(seed)
    return tuple(found)


def of_samples(kind: str | None = None) -> tuple[Seed, ...]:
    """Those that every checkout has."""
    return tuple(s for s in seeds() if s.path.is_relative_to(SAMPLES) and kind in (None, s.kind))


@cache
def other_lines() -> tuple[bytes, ...]:
    """Lines of every format, to mix in."""
    lines = [line for s in of_samples("lines") for _, data in s.files for line in data.split(b"\n")[:6] if line]
    return tuple(line for line in lines if len(line) < 8000)
