"""Pieces of work as a Ray dataset of one task each, and its results in order."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

TRIES_AGAIN = 2
"""How often a task is started anew whose worker has died; Ray Data itself never gives up."""
CLIENT = "ray://"
Work = Callable[..., Iterator[Any]]


class Datasets:
    """Makes datasets, one after the other."""

    def __init__(self, ray: Any, address: str) -> None:
        """`address` says whether this process is one of the cluster: a Ray Client is outside, and Ray Data is not."""
        self._ray = ray
        self._driver = ray.remote(num_cpus=0)(Driver).remote() if address.startswith(CLIENT) else None

    def results(self, work: Work, pieces: list[dict[str, Any]], run: bytes) -> Iterator[Any]:
        """Arrow tables of what `work` gives for each of the pieces, in their order."""
        if self._driver is None:
            yield from _results(work, pieces, run)
            return
        self._ray.get(self._driver.begin.remote(work, pieces, run))
        while (table := self._ray.get(self._driver.next.remote())) is not None:
            yield table


class Driver:
    """An actor that holds datasets for a process outside of the cluster."""

    _results: Iterator[Any] = iter(())

    def begin(self, work: Work, pieces: list[dict[str, Any]], run: bytes) -> None:
        """Make the next dataset."""
        self._results = _results(work, pieces, run)

    def next(self) -> Any:
        """Its next table, None at its end."""
        return next(self._results, None)


def _results(work: Work, pieces: list[dict[str, Any]], run: bytes) -> Iterator[Any]:
    data: Any = importlib.import_module("ray.data")
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    given = data.from_items(pieces, override_num_blocks=len(pieces))
    done = given.map_batches(
        work, fn_kwargs={"run": run}, batch_size=None, batch_format="pyarrow", max_retries=TRIES_AGAIN
    )
    yield from done.iter_batches(batch_size=None, batch_format="pyarrow")
