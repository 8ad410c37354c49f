"""A Parquet index as a PATH: its summaries as they were written, single rollouts from where they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rollout_loaders.errors import LocatorError, ReadError, RolloutError
from rollout_loaders.index.parquet import IndexedRow, files_of, read_index, rows_of
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.remote.path import RemotePath

from .folder import Entry
from .lines import Lines
from .paths import path_of

if TYPE_CHECKING:
    from rollout_loaders.remote.session import Session

STALE = "index-stale"


class OpenedUnit(Protocol):
    """What is asked of the unit of a file."""

    def rollouts(self) -> Iterator[Rollout]:
        """As of any unit."""
        ...

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """As of any unit."""
        ...

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """As of any unit."""
        ...


class IndexedRuns:
    """One index. `open_unit` opens the unit of one of the files that it names, of the format that it says."""

    def __init__(self, entry: Entry, open_unit: Callable[[Entry, str], OpenedUnit]) -> None:
        """Raises `ReadError`."""
        self._entry, self._open_unit = entry, open_unit
        self._files = files_of(entry.path, entry.shown)
        self._units: dict[str, OpenedUnit] = {}
        self._sessions: list[Session] = []
        self._stale: set[str] = set()
        self.shown = [entry.shown, *self._files]
        self.problems: list[Diagnostic] = []

    @property
    def paths(self) -> list[Path]:
        """The index."""
        return [self._entry.path]

    def summaries(self) -> Iterator[RolloutSummary]:
        """As written; a file that has changed since is a diagnostic."""
        for row in self._rows():
            yield row.summary

    def rollouts(self) -> Iterator[Rollout]:
        """The rollouts of the index, read from their files in the order of the index's files."""
        wanted: dict[str, set[tuple[str | None, str]]] = {}
        for row in self._rows():
            source = row.summary.source
            wanted.setdefault(source.path, set()).add((source.locator, row.summary.id))
        for path, names in wanted.items():
            try:
                for rollout in self._unit(path).rollouts():
                    name = (rollout.source.locator, rollout.id)
                    if name in names:
                        names.discard(name)
                        yield rollout
            except RolloutError as error:
                self.problems.append(Diagnostic("unreadable", str(error).removeprefix(f"{path}: "), path))
                continue
            if names:
                self._say(path, f"{len(names):,} of its rollouts are no longer there")

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """The rollout of this id or locator, in the file `shown` or in the only file that has it."""
        if shown is not None and shown != self._entry.shown:
            return self._unit(shown).find(name, shown)
        found = dict.fromkeys(
            row.summary.source.path for row in self._rows() if name in (row.summary.id, row.summary.source.locator)
        )
        if len(found) > 1:
            several = ", ".join(f"{path}#{name}" for path in list(found)[:5])
            raise LocatorError(f"{self._entry.shown}: {len(found)} files of this index have {name}: {several}")
        return next((self._unit(path).find(name, path) for path in found), None)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is stale or gone, and what is wrong with the files that were opened."""
        unseen = (Diagnostic("beside-unseen", why, at) for one in self._sessions for at, why in one.unseen.items())
        return (*self.problems, *unseen, *(one for unit in self._units.values() for one in unit.diagnostics()))

    def _rows(self) -> Iterator[IndexedRow]:
        looked: set[str] = set()
        for row in read_index(self._entry.path, self._entry.shown):
            path = row.summary.source.path
            if path not in looked:
                looked.add(path)
                if row.has_changed():
                    there = Path(path).exists()
                    self._say(path, "has changed since it was indexed" if there else "is no longer there")
            yield row

    def _say(self, path: str, what: str) -> None:
        if path not in self._stale:
            self._stale.add(path)
            self.problems.append(Diagnostic(STALE, f"{what}; make {self._entry.shown} again with index", path))

    def _unit(self, path: str) -> OpenedUnit:
        if path not in self._units:
            if path not in self._files:
                raise ReadError(path, "is no file of this index", "list shows what it has")
            entry = Entry(path_of(path), path)
            unit = self._open_unit(entry, self._files[path])
            if isinstance(entry.path, RemotePath):
                self._sessions.append(entry.path.session)
                self._place(entry.path, unit)
            self._units[path] = unit
        return self._units[path]

    def _place(self, path: RemotePath, unit: OpenedUnit) -> None:
        """Tell the unit where its rows lie. Raises `ReadError` where the object is not the one that was indexed.

        A listing asks no server, so nobody was told yet that a row may be another now.
        """
        rows, version = rows_of(self._entry.path, self._entry.shown, path.url)
        if version != path.state.version:
            raise ReadError(
                path.shown, "has changed since it was indexed", f"make {self._entry.shown} again with index"
            )
        if path.state.sure and isinstance(unit, Lines):
            unit.know({name: row for row in rows for name in (f"L{row.number}", row.id)})
