"""Files of Gym records for tests: written as given, read through the readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rollout_loaders.formats import gym_failures, gym_rollouts
from rollout_loaders.formats.gym_file import GymFile
from rollout_loaders.model import Rollout
from rollout_loaders.reader import ReadOptions

Json = dict[str, Any]


def write(path: Path, *lines: Json | str | bytes, end: bytes = b"\n") -> Path:
    """Objects as JSON, text and bytes as they are, one a line; `end` closes the last line."""
    raws = [
        line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else dumped(line) for line in lines
    ]
    path.write_bytes(b"\n".join(raws) + end)
    return path


def dumped(row: Json) -> bytes:
    """A row as Gym writes it: JSON text in UTF-8."""
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")


def opened(path: Path, reader: str = "rollouts") -> GymFile:
    """The file through the reader of rollouts or of failures."""
    chosen = gym_rollouts.READER if reader == "rollouts" else gym_failures.READER
    return chosen.open(path, path.name, ReadOptions())


def one(tmp_path: Path, row: Json, reader: str = "rollouts") -> Rollout:
    """The rollout of a file with this one row."""
    (rollout,) = opened(write(tmp_path / "rollouts.jsonl", row), reader).rollouts()
    return rollout


def codes(rollout: Rollout) -> list[str]:
    """Codes of a rollout's diagnostics."""
    return [diagnostic.code for diagnostic in rollout.diagnostics]
