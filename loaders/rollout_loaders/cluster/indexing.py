"""The tables of an index, made by a cluster and given in the order in which one process would make them."""

from __future__ import annotations

import contextlib
import os
import pickle
import secrets
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rollout_loaders import bounds
from rollout_loaders.collection import Collection
from rollout_loaders.collection.rows import Rows
from rollout_loaders.errors import ReadError
from rollout_loaders.index.parquet import tables
from rollout_loaders.index.version import code_digest
from rollout_loaders.model import Diagnostic, RolloutSummary
from rollout_loaders.reader import ReadOptions
from rollout_loaders.summary import summarise

from .dataset import Datasets
from .known_file import KnownFile, known_file, scans_of
from .pieces import Done, Piece, Refused, Run, Scanned
from .plan import Job, Own, Plan, Step
from .session import ClusterError, connected, translated
from .worker import IS_END, PIECE, WORK, packed, unpacked, work

_End = TypeVar("_End", Scanned, Done)
_Results = Iterator[tuple[int, Any]]
"""(place of the piece, table or end)."""


class ClusterIndex:
    """One run of `index` on a cluster."""

    def __init__(
        self, address: str, collection: Collection, options: ReadOptions, findings: bool, target: Path
    ) -> None:
        """`collection` names what is read; `target` is the index to be."""
        self._address, self._collection, self._options = address, collection, options
        self._findings, self._target = findings, target.absolute()
        self._plan = Plan(collection)
        self._said: dict[Diagnostic, None] = {}
        self._key = secrets.token_bytes(16)
        self._datasets: Datasets | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The PATHs as they may be shown."""
        return self._collection.named

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """As of a collection: grows with `tables`, complete after them."""
        return tuple(self._said)

    def tables(self) -> Generator[Any]:
        """Arrow tables for `index.parquet.write_tables`. Raises `ClusterError`, and `ReadError` of what is not seen."""
        with contextlib.ExitStack() as stack:
            for steps in self._plan.rounds():
                jobs = [step for step in steps if isinstance(step, Job)]
                if jobs and self._datasets is None:
                    self._datasets = Datasets(stack.enter_context(connected(self._address)), self._address)
                yield from self._done(steps, jobs)

    def _done(self, steps: Sequence[Step], jobs: Sequence[Job]) -> Iterator[Any]:
        run = self._run(jobs)
        known = self._known(run, jobs)
        with contextlib.closing(self._results(run, [piece for file in known for piece in file.pieces])) as coming:
            place, files = 0, iter(known)
            for step in steps:
                if isinstance(step, Job):
                    file = next(files)
                    yield from self._rows(step, file, coming, place)
                    place += len(file.pieces)
                elif isinstance(step, Own):
                    yield from tables(self._target, self._read_here(step))
                    self._say(self._plan.news())
                else:
                    self._say(step)

    def _rows(self, job: Job, file: KnownFile, coming: _Results, place: int) -> Iterator[Any]:
        """The tables of one job; nothing of its file after a fault that would have ended the reading there."""
        is_whole = True
        for at in range(place, place + len(file.pieces)):
            done = yield from self._piece(coming, at, Done, is_whole)
            self._say(done.diagnostics)
            if isinstance(job.unit, Rows):
                job.unit.claimed.update(done.claimed)
            is_whole = is_whole and done.is_whole
        self._say(file.wrong)

    def _known(self, run: Run, jobs: Sequence[Job]) -> list[KnownFile]:
        scans = [scans_of(job) for job in jobs]
        with contextlib.closing(self._results(run, [scan for each in scans for scan in each])) as coming:
            place, found = 0, list[KnownFile]()
            for job, each in zip(jobs, scans, strict=True):
                ends = [_end(self._piece(coming, at, Scanned)) for at in range(place, place + len(each))]
                found.append(known_file(job, ends))
                place += len(each)
        return found

    def _piece(self, coming: _Results, place: int, end: type[_End], wanted: bool = True) -> Generator[Any, None, _End]:
        """The tables of one piece, if they are wanted, and its end. Raises where anything is missing."""
        for found, what in coming:
            if found != place:
                break
            if isinstance(what, Refused):
                raise ReadError(what.path, what.reason, what.hint)
            if isinstance(what, end):
                return what
            if wanted:
                yield what
        raise ClusterError(self._address, "results are missing or out of order", "please report it")

    def _results(self, run: Run, pieces: Sequence[Piece]) -> Generator[tuple[int, Any]]:
        if not pieces or self._datasets is None:
            return
        with translated(self._address):
            for table in self._datasets.results(work, packed(pieces), pickle.dumps(run)):
                for place, what, is_end in zip(table[PIECE], table[WORK], table[IS_END], strict=True):
                    yield place.as_py(), unpacked(what.as_buffer(), is_end.as_py())

    def _read_here(self, step: Own) -> Iterator[RolloutSummary]:
        read, argument, unit = self._collection, step.argument, step.unit
        if self._findings:
            return map(summarise, read.rollouts_at(argument) if unit is None else read.rollouts_of(argument, unit))
        return read.summaries_at(argument) if unit is None else read.summaries_of(argument, unit)

    def _run(self, jobs: Sequence[Job]) -> Run:
        is_relative = any(not state.path.is_absolute() for job in jobs for state in job.states)
        folder = str(Path.cwd()) if is_relative else None
        variables = tuple((bound.variable, os.environ.get(bound.variable)) for bound in bounds.ALL)
        return Run(self._findings, self._options, self._target, folder, variables, code_digest(), self._key)

    def _say(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._said.update(dict.fromkeys(diagnostics))


def _end(piece: Generator[Any, None, _End]) -> _End:
    """The end of a piece that gives no tables."""
    while True:
        try:
            next(piece)
        except StopIteration as stopped:
            end: _End = stopped.value
            return end
