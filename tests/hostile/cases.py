"""One hostile input a seed number: the same number gives the same files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.hostile.file_mutation import LARGEST, mutate_bytes, mutate_lines
from tests.hostile.json_mutation import Texts, mutate
from tests.hostile.seeds import Seed, other_lines
from tests.hostile.sql_mutation import mutated_database


@cache
def _others() -> tuple[Any, ...]:
    found: list[Any] = []
    for line in other_lines()[:60]:
        try:
            if line[:1] in b"[{":
                found.append(json.loads(line))
        except ValueError:
            continue
    return tuple(found)


def write_case(rng: Random, choices: Sequence[Seed], folder: Path) -> Path:
    """Write one mutated artifact into `folder` and return the path to read: a file, a store or the folder."""
    seed = rng.choice(choices)
    texts = Texts(rng.random() < 0.5)
    if seed.kind == "database":
        target = folder / seed.name
        mutated_database(rng, seed.path, target, texts)
        if rng.random() < 0.3:
            _damage_database(rng, target)
        return target
    if seed.kind == "store":
        return _store(rng, seed, folder, texts)
    name, data = seed.files[0]
    target = folder / name
    for other, beside in seed.files[1:]:
        (folder / other).write_bytes(mutate_bytes(rng, beside, 1) if rng.random() < 0.2 else beside)
    if rng.random() < 0.25:
        target.write_bytes(mutate_bytes(rng, data, rng.randint(1, 4)))
    elif seed.kind == "lines":
        target.write_bytes(_lines(rng, data, texts))
    else:
        target.write_bytes(_document(rng, data, texts))
    return folder if len(seed.files) > 1 or rng.random() < 0.2 else target


def _lines(rng: Random, data: bytes, texts: Texts) -> bytes:
    lines = data.rstrip(b"\n").split(b"\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        try:
            value = json.loads(lines[at])
        except (ValueError, RecursionError):
            continue
        lines[at] = texts.dump(mutate(rng, value, texts, rng.randint(1, 5), _others()))
    if rng.random() < 0.4:
        return mutate_lines(rng, lines, list(other_lines()), rng.randint(1, 4))
    return b"\n".join(lines) + b"\n"


def _document(rng: Random, data: bytes, texts: Texts) -> bytes:
    start = max(data.find(b"{"), 0)
    try:
        value = json.loads(data[start:])
    except (ValueError, RecursionError):
        return mutate_bytes(rng, data, 2)
    changed = (data[:start] + texts.dump(mutate(rng, value, texts, rng.randint(1, 6), _others())))[:LARGEST]
    return mutate_bytes(rng, changed, 1) if rng.random() < 0.2 else changed


def _store(rng: Random, seed: Seed, folder: Path, texts: Texts) -> Path:
    files = dict(seed.files)
    for _ in range(rng.randint(1, 4)):
        name = rng.choice(list(files))
        kind = rng.randrange(6)
        if kind == 0 and len(files) > 1:
            del files[name]
        elif kind == 1:
            files[name] = mutate_bytes(rng, files[name], 1)
        elif kind == 2:
            other = rng.choice(list(files))
            files[name] = files[other]
        else:
            files[name] = _document(rng, files[name], texts)
    for name, data in files.items():
        target = folder / "storage" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder / "storage"


def _damage_database(rng: Random, path: Path) -> None:
    wal = Path(f"{path}-wal")
    target = wal if wal.exists() and wal.stat().st_size and rng.random() < 0.4 else path
    target.write_bytes(mutate_bytes(rng, target.read_bytes(), rng.randint(1, 3)))
