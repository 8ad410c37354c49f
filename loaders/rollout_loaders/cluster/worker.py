"""What a worker does with a piece, and the tables in which Ray Data carries pieces and results."""

from __future__ import annotations

import importlib
import os
import pickle
import socket
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from rollout_loaders.collection import open_paths
from rollout_loaders.collection.paths import Argument
from rollout_loaders.collection.rows import Rows
from rollout_loaders.collection.search import Unit
from rollout_loaders.index.folder import SWITCH
from rollout_loaders.index.parquet import tables
from rollout_loaders.index.version import code_digest
from rollout_loaders.summary import summarise

from .file_state import trouble
from .pieces import Done, End, Orphans, Piece, Read, Refused, Run, Scan, Whole
from .row_ranges import OrphanRows, RangedFile, RangedRows, scan

PIECE, WORK, IS_END = "piece", "work", "is_end"
"""Columns: the place of a piece in its round; what is to be done, or was, in bytes; whether it is the last of it."""


def packed(pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    """Pieces as rows of a dataset."""
    return [{PIECE: place, WORK: pickle.dumps(piece)} for place, piece in enumerate(pieces)]


def work(batch: Any, run: bytes) -> Iterator[Any]:
    """Do the pieces of an Arrow table: for each, tables of an index as Arrow streams, then its pickled end."""
    for place, piece in zip(batch[PIECE].to_pylist(), batch[WORK].to_pylist(), strict=True):
        try:
            for table in _done(_run(run), pickle.loads(piece)):
                yield _result(place, table)
        except Exception as error:
            reason = f"the worker {socket.gethostname()} failed ({error!r})"
            yield _result(place, Refused("--ray", reason, "please report it"))


def unpacked(data: bytes, is_end: bool) -> Any:
    """What a row of results holds: a table or an end."""
    if is_end:
        return pickle.loads(data)
    return importlib.import_module("pyarrow").ipc.open_stream(data).read_all()


def _result(place: int, what: Any) -> Any:
    pyarrow: Any = importlib.import_module("pyarrow")
    is_end = isinstance(what, End)
    if is_end:
        data = pickle.dumps(what)
    else:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, what.schema) as stream:
            stream.write_table(what)
        data = sink.getvalue().to_pybytes()
    columns = [pyarrow.array([place]), pyarrow.array([data], pyarrow.large_binary()), pyarrow.array([is_end])]
    return pyarrow.table(columns, names=[PIECE, WORK, IS_END])


@lru_cache(maxsize=1)
def _run(data: bytes) -> Run:
    return cast(Run, pickle.loads(data))


@lru_cache(maxsize=1)
def _rows(unit: bytes, key: bytes) -> Rows:  # noqa: ARG001 - another run must read again
    """The unit of ranges, kept from one to the next: what lies beside the file is read once."""
    return cast(Rows, pickle.loads(unit))


def _done(run: Run, piece: Piece) -> Iterator[Any]:
    refused = _prepared(run, piece)
    if refused is not None:
        yield refused
        return
    match piece:
        case Whole():
            unit = cast(Unit, pickle.loads(piece.unit))
            yield from _read(run, piece.argument, unit)
        case Orphans():
            yield from _read(run, piece.argument, OrphanRows(_rows(piece.unit, run.key), piece.keys))
        case Scan():
            yield scan(piece, _rows(piece.unit, run.key), run.key)
        case Read():
            rows = _rows(piece.unit, run.key)
            file = RangedFile(rows.paths[0], rows.shown[0], run.options, piece, run.key)
            yield from _read(run, piece.argument, RangedRows(rows, file), file)


def _read(run: Run, argument: Argument, unit: Unit, file: RangedFile | None = None) -> Iterator[Any]:
    collection = open_paths((), run.options)
    before = set(unit.claimed) if isinstance(unit, Rows) else set[Path]()
    rollouts = map(summarise, collection.rollouts_of(argument, unit))
    yield from tables(run.target, rollouts if run.findings else collection.summaries_of(argument, unit))
    if file is not None and file.has_ended and not file.is_as_scanned():
        yield Refused(file.path, "changed while it was indexed", "index it again when nothing writes to it")
        return
    claimed = tuple(unit.claimed - before) if isinstance(unit, Rows) else ()
    yield Done(collection.diagnostics, claimed, file is None or file.has_ended)


def _prepared(run: Run, piece: Piece) -> Refused | None:
    """Make this process read as the driver would; what keeps it from that."""
    here = socket.gethostname()
    if code_digest() != run.code:
        return Refused("--ray", f"the worker {here} has another version of rollout-inspect", "install the same there")
    os.environ[SWITCH] = "off"
    for name, value in run.variables:
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if run.folder is not None:
        try:
            os.chdir(run.folder)
        except OSError:
            return Refused(run.folder, f"cannot be seen by the worker {here}", "name PATHs that every node has")
    found = trouble(piece.states, here)
    return None if found is None else Refused(*found, "every node must have the same files under the same paths")
