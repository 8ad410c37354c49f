"""A file of rollouts, one a line, as rollouts: listed while it is read, searched and followed by lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from rollout_loaders.index.needle import Needle
from rollout_loaders.model import Rollout, RolloutSummary
from rollout_loaders.reader import Artifact, ReadOptions

from .contents import Found
from .one_file import OneFile
from .opening import completed, find_in, guarded

if TYPE_CHECKING:
    from rollout_loaders.formats.gym_file import KnownRow
    from rollout_loaders.index.gym_rows import IndexedGymFile


class Lines(OneFile):
    """One such file, with nothing beside it that would change a row."""

    def __init__(self, found: Found, options: ReadOptions) -> None:
        super().__init__(found, options)
        self._holding: tuple[tuple[Needle, int, int], frozenset[str]] | None = None

    def rollouts(self) -> Iterator[Rollout]:
        """Rows in file order, completed."""
        for row in guarded(self._found, self._open().rollouts, self.problems):
            yield self._whole(row)

    def summaries(self) -> Iterator[RolloutSummary]:
        """The reader's fast summaries."""
        artifact = self._open()
        yield from self._listed(artifact, artifact.summaries)

    def early(self) -> Iterator[RolloutSummary]:
        """The same, the first of them before all names are known: see `renamed`."""
        artifact = self._open()
        indexed = self._followed()
        yield from self._listed(artifact, artifact.summaries if indexed is None else indexed.early)

    @property
    def renamed(self) -> bool:
        """Whether a row that `early` gave is called otherwise now."""
        indexed = self._followed()
        return indexed is not None and indexed.renamed

    @property
    def progress(self) -> float | None:
        """How much of the file a listing has reached, from 0 to 1; None where that is not known."""
        indexed = self._followed()
        try:
            size = self._found.entry.path.stat().st_size
        except OSError:
            return None
        return None if indexed is None or not size else min(indexed.reached / size, 1.0)

    def holding(self, needle: Needle) -> Iterator[Rollout]:
        """Rows whose line may hold the needle, and those that other files add something to, in file order."""
        artifact = self._followed()
        if artifact is None:
            yield from self.rollouts()
            return
        joined = self._joined_lines(artifact)
        for line, row in guarded(self._found, lambda: artifact.holding(needle), self.problems):
            yield from self._at_lines(artifact, joined, line - 1)
            if joined[:1] == [line]:
                joined.pop(0)
            yield self._whole(row)
        yield from self._at_lines(artifact, joined, None)

    def lines_holding(self, needle: Needle) -> frozenset[str] | None:
        """Locators of the rows that `holding` gives; None where that is not known of lines. Raises `ReadError`."""
        artifact = self._followed()
        if artifact is None:
            return None
        state = self._found.entry.path.stat()
        key = (needle, state.st_size, state.st_mtime_ns)
        if self._holding is None or self._holding[0] != key:
            numbers = [line.number for line in needle.lines(self._found.entry.path)]
            self._holding = (key, frozenset(f"L{number}" for number in (*numbers, *self._joined_lines(artifact))))
        return self._holding[1]

    def know(self, rows: Mapping[str, KnownRow]) -> None:
        """Where rows lie, by id and locator: they are then found without reading others. Raises `ReadError`."""
        artifact = self._followed()
        if artifact is not None:
            artifact.known = rows

    def watch(self) -> None:
        """Note where the file stands, so that `more` gives what comes after. Raises `ReadError`."""
        artifact = self._followed()
        if artifact is not None:
            artifact.watch()

    def more(self) -> list[RolloutSummary] | None:
        """Summaries of lines that were added since the last pass or call; None where the file must be read again.

        Raises `ReadError`.
        """
        artifact = self._followed()
        found = None if artifact is None else artifact.more()
        return None if artifact is None or found is None else [self._with_joined(artifact, one) for one in found]

    def has_rollouts(self) -> bool:
        """Whether there is any row. Raises `ReadError`."""
        artifact = self._followed()
        return artifact is not None and artifact.has_rollouts()

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """The row of this locator or id. Raises `ReadError`."""
        row = find_in(self._found, self._open(), name) if shown in (None, self._found.entry.shown) else None
        return None if row is None else self._whole(row)

    def _listed(self, artifact: Artifact, read: Callable[[], Iterator[RolloutSummary]]) -> Iterator[RolloutSummary]:
        for summary in guarded(self._found, read, self.problems):
            yield self._with_joined(artifact, summary)

    def _whole(self, row: Rollout) -> Rollout:
        """With everything that is its own, completed."""
        return completed(row, self._options)

    def _with_joined(self, artifact: Artifact, summary: RolloutSummary) -> RolloutSummary:  # noqa: ARG002
        """The summary with what other files add to it."""
        return summary

    def _joined_lines(self, artifact: Artifact) -> list[int]:  # noqa: ARG002
        """Lines of rows that other files add text to."""
        return []

    def _at_lines(self, artifact: Artifact, lines: list[int], last: int | None) -> Iterator[Rollout]:
        while lines and (last is None or lines[0] <= last):
            row = find_in(self._found, artifact, f"L{lines.pop(0)}")
            if row is not None:
                yield self._whole(row)

    def _followed(self) -> IndexedGymFile | None:
        """The file, where it is one that can be searched and followed by lines."""
        from rollout_loaders.index.gym_rows import IndexedGymFile

        artifact = self._open()
        return artifact if isinstance(artifact, IndexedGymFile) else None
