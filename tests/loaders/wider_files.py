"""What the tests of other harnesses' formats share: write lines, read them back completed, look for every text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rollout_loaders.collection import open_paths
from rollout_loaders.model import JsonValue, Rollout, StoredPart
from rollout_loaders.reader import ReadOptions

Data = dict[str, Any]


def write_lines(path: Path, lines: Sequence[Data | str], end: str = "\n") -> Path:
    """One compact JSON document a line; a string is written as it is. `end` ends the last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + end, encoding="utf-8", newline="\n")
    return path


def write_document(path: Path, value: Data) -> Path:
    """One JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8", newline="\n")
    return path


def read(path: Path, options: ReadOptions = ReadOptions(), reader: str | None = None) -> list[Rollout]:  # noqa: B008
    """All rollouts of a path, completed as a user gets them."""
    return list(open_paths([str(path)], options, reader).rollouts())


def one(path: Path) -> Rollout:
    """The only rollout of a path."""
    found = read(path)
    assert len(found) == 1, [rollout.id for rollout in found]
    return found[0]


def codes(rollout: Rollout) -> list[str]:
    """Codes of its diagnostics."""
    return [diagnostic.code for diagnostic in rollout.diagnostics]


def strings(value: JsonValue) -> Iterator[str]:
    """Every string in a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def stored_strings(rollout: Rollout) -> set[str]:
    """Every string that the stored lens holds."""
    parts: list[StoredPart] = [part for one in rollout.invocations for part in one.parts]
    parts += [part for one in rollout.invocations for branch in one.branches for part in branch.parts]
    found: set[str] = set()
    for part in parts:
        found.update(strings(part.data))
    return found


def lost_texts(rollout: Rollout, written: Sequence[Data]) -> set[str]:
    """Strings with a space in them, which are texts and no ids, that the stored lens does not hold."""
    return {text for value in written for text in strings(value) if " " in text} - stored_strings(rollout)
