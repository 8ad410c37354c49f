"""Which fixtures changed on disk since the last look, and whether the code did (in a checkout only)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import rollout_loaders
import rollout_views

Stamp = tuple[tuple[str, int, int], ...]


def stamp(folder: Path, pattern: str = "*") -> Stamp:
    """Names, sizes and times of the files in a folder; what vanishes meanwhile is left out."""
    found: list[tuple[str, int, int]] = []
    for path in sorted(folder.rglob(pattern)):
        try:
            state = path.stat()
        except OSError:
            continue
        found.append((str(path), state.st_size, state.st_mtime_ns))
    return tuple(found)


def code_folders() -> tuple[Path, ...]:
    """The packages' folders when they lie in a checkout; an installed wheel does not change."""
    folders = [Path(module.__file__).parent for module in (rollout_loaders, rollout_views) if module.__file__]
    return tuple(folder for folder in folders if (folder.parent.parent / "pyproject.toml").is_file())


class Watch:
    """Compares with the last look. Cheap enough for once a second: it reads no content."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self._stamps = [stamp(folder) for folder in self.folders]
        self._code = self._code_stamp()

    def changed(self) -> Iterator[int]:
        """Indices of the folders whose files changed."""
        for index, folder in enumerate(self.folders):
            now = stamp(folder)
            if now != self._stamps[index]:
                self._stamps[index] = now
                yield index

    def code_changed(self) -> bool:
        """Whether a module of the readers or views changed."""
        now = self._code_stamp()
        changed = now != self._code
        self._code = now
        return changed

    def _code_stamp(self) -> tuple[Stamp, ...]:
        return tuple(stamp(folder, "*.py") for folder in code_folders())
