"""Summaries of whole runs as one Parquet file (extra `scale`): written and read in batches, paths relative to it.

pyarrow is imported when a file is written or read, never before.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.formats.gym_file import KnownRow
from rollout_loaders.formats.gym_index import is_line
from rollout_loaders.model import RolloutSummary
from rollout_loaders.remote.address import is_url
from rollout_loaders.remote.path import RemotePath

from .summary_row import row_of, summary_of
from .version import rules_version

MAGIC = b"PAR1"
LAYOUT = "rollout-inspect-index/1"
_KEY = b"rollout_inspect"
BATCH = 1000
"""Rows that are converted and written at a time."""
_HINT = "pip install 'rollout-inspect[scale]'"
_STRINGS = ("version", "agent", "model", "provider")
_SPAN = ("offset", "length", "file_version")
"""`model.Span`, of rows behind a URL."""


@dataclass(frozen=True, slots=True)
class IndexedRow:
    """One row: a summary under the path of its file, and the state of that file when it was indexed."""

    summary: RolloutSummary
    size: int | None
    mtime_ns: int | None

    def has_changed(self) -> bool:
        """Whether the file is another now, or gone. No server is asked: of a URL it shows when a rollout is read."""
        if is_url(self.summary.source.path):
            return False
        try:
            state = Path(self.summary.source.path).stat()
        except OSError:
            return True
        return (state.st_size, state.st_mtime_ns) != (self.size, self.mtime_ns)


def write_index(target: Path, summaries: Iterable[RolloutSummary]) -> int:
    """Write aside, then move into place; how many rows. Raises `ReadError` without pyarrow, `OSError` without room."""
    return write_tables(target, tables(target, summaries))


def tables(target: Path, summaries: Iterable[RolloutSummary]) -> Iterator[Any]:
    """Summaries as Arrow tables of at most `BATCH` rows, for an index at `target`."""
    pyarrow, _ = _modules(target)
    schema = _schema(pyarrow)
    for batch in _batches(summaries, BATCH):
        yield pyarrow.Table.from_pylist([_columns_of(summary, target) for summary in batch], schema=schema)


def write_tables(target: Path, given: Iterable[Any]) -> int:
    """As `write_index`, of tables that `tables` gave; small ones are written together."""
    pyarrow, parquet = _modules(target)
    schema = _schema(pyarrow).with_metadata({_KEY: LAYOUT.encode(), b"rules": rules_version().encode()})
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    waiting: list[Any] = []
    count = written = 0
    try:
        with parquet.ParquetWriter(str(partial), schema, compression="zstd") as writer:
            for table in given:
                waiting.append(table)
                count += table.num_rows
                if count - written >= BATCH:
                    writer.write_table(pyarrow.concat_tables(waiting))
                    waiting, written = [], count
            if waiting:
                writer.write_table(pyarrow.concat_tables(waiting))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return count


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins so is a Parquet file."""
    return head.startswith(MAGIC)


def read_index(path: Path, shown: str) -> Iterator[IndexedRow]:
    """Every row, in order; a batch is in memory at a time. Raises `ReadError`."""
    folder = os.path.dirname(shown)  # noqa: PTH120 - keeps what the user wrote
    with _opened(path, shown) as file:
        for batch in file.iter_batches(BATCH):
            for row in batch.to_pylist():
                yield _row(row, folder)


def files_of(path: Path, shown: str) -> dict[str, str]:
    """Paths of the indexed files, in order, with the format of each. Raises `ReadError`."""
    folder = os.path.dirname(shown)  # noqa: PTH120 - keeps what the user wrote
    found: dict[str, str] = {}
    with _opened(path, shown) as file:
        for batch in file.iter_batches(BATCH * 10, columns=["path", "format"]):
            found.update(zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True))
        return {_joined(folder, stored): name for stored, name in found.items()}


def rows_of(path: Path, shown: str, url: str) -> tuple[list[KnownRow], str | None]:
    """Places of the rows of one object behind a URL, and the state for which they hold. Raises `ReadError`."""
    found: list[KnownRow] = []
    versions: set[str | None] = set()
    with _opened(path, shown) as file:
        for batch in file.iter_batches(BATCH * 10, columns=["path", "id", "locator", *_SPAN]):
            for stored, name, locator, offset, length, version in zip(*(c.to_pylist() for c in batch), strict=True):
                if stored != url:
                    continue
                versions.add(version)
                if offset is not None and length and is_line(locator or ""):
                    found.append(KnownRow(int(locator[1:]), name, offset, length))
    return found, versions.pop() if len(versions) == 1 else None


@contextlib.contextmanager
def _opened(path: Path, shown: str) -> Generator[Any]:
    """The file, checked; what pyarrow or a damaged row raises meanwhile is a `ReadError`."""
    if isinstance(path, RemotePath):
        raise ReadError(shown, "is a Parquet index behind a URL", "copy it to this machine and name the copy")
    pyarrow, parquet = _modules(path)
    try:
        with parquet.ParquetFile(str(path)) as file:
            _check(file, pyarrow, shown)
            yield file
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise ReadError(shown, f"could not be read as an index ({error})", "make it again") from error


def _modules(path: Path) -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ReadError(str(path), "is a Parquet index, which needs pyarrow", _HINT) from error


def _check(file: Any, pyarrow: Any, shown: str) -> None:
    metadata: dict[bytes, bytes] = file.schema_arrow.metadata or {}
    if metadata.get(_KEY) != LAYOUT.encode() or not file.schema_arrow.equals(_schema(pyarrow)):
        raise ReadError(shown, f"is a Parquet file, but no index of this layout ({LAYOUT})", "make it with index")


def _schema(pyarrow: Any) -> Any:
    text, whole, real, flag = pyarrow.string(), pyarrow.int64(), pyarrow.float64(), pyarrow.bool_()
    texts = pyarrow.list_(text)
    columns = {
        "id": text,
        "path": text,
        "format": text,
        "locator": text,
        "artifacts": texts,
        "harness": text,
        **dict.fromkeys(_STRINGS, text),
        **dict.fromkeys(("task_index", "rollout_index", "attempt"), whole),
        "task_id": text,
        "prompt": text,
        "state": text,
        "reward": real,
        "status": text,
        **dict.fromkeys(("failure_kind", "failure_stage"), text),
        **dict.fromkeys(("turns", "tool_calls", "answer_chars"), whole),
        "answer_stands": flag,
        "findings": texts,
        **dict.fromkeys(("input", "output", "reasoning", "cached"), whole),
        "cost": real,
        "counted_by": text,
        "duration_ms": whole,
        "started_at": text,
        "file_size": whole,
        "file_mtime_ns": whole,
        **dict(zip(_SPAN, (whole, whole, text), strict=True)),
    }
    return pyarrow.schema(list(columns.items()))


def _columns_of(summary: RolloutSummary, target: Path) -> dict[str, Any]:
    row = row_of(summary)
    source, harness, task, usage = row.pop("source"), row.pop("harness"), row.pop("task"), row.pop("usage")
    harness["harness"] = harness.pop("name")
    size: int | None = None
    mtime: int | None = None
    with contextlib.suppress(OSError):  # of a URL the version says it
        state = Path(summary.source.path).stat()
        size, mtime = state.st_size, state.st_mtime_ns
    stored = {**row, **source, **harness, **task, **usage}
    stored["path"] = _relative(summary.source.path, target)
    stored["artifacts"] = [_relative(path, target) for path in source["artifacts"]]
    span = summary.source.span
    place = (None, None, None) if span is None else (span.offset, span.length, span.version)
    stored |= {"file_size": size, "file_mtime_ns": mtime, **dict(zip(_SPAN, place, strict=True))}
    return {name: _storable(value) for name, value in stored.items()}


def _storable(value: Any) -> Any:
    """Parquet's texts are UTF-8: a lone surrogate, which JSON can hold, is stored as the escape that JSON writes."""
    if isinstance(value, str) and not value.isascii():
        return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in value)
    return value


def _row(row: dict[str, Any], folder: str) -> IndexedRow:
    path = _joined(folder, row["path"])
    artifacts = [_joined(folder, one) for one in row["artifacts"] or ()]
    nested = {
        "source": {"format": row["format"], "locator": row["locator"], "artifacts": artifacts},
        "harness": {"name": row["harness"], **{name: row[name] for name in _STRINGS}},
        "task": {name: row[name] for name in ("task_index", "rollout_index", "attempt", "task_id", "prompt")},
        "usage": {name: row[name] for name in ("input", "output", "reasoning", "cached", "cost", "counted_by")},
    }
    plain = {name: row[name] for name in _PLAIN}
    return IndexedRow(summary_of({**plain, **nested}, path, row["id"]), row["file_size"], row["file_mtime_ns"])


_PLAIN = (
    *("state", "reward", "status", "failure_kind", "failure_stage", "turns", "tool_calls"),
    *("answer_chars", "answer_stands", "findings", "duration_ms", "started_at"),
)


def _relative(path: str, target: Path) -> str:
    """Relative to the index's folder, so that both can be moved together; a URL stays as it is."""
    if is_url(path):
        return path
    try:
        return os.path.relpath(os.path.abspath(path), target.absolute().parent)  # noqa: PTH100 - links stay links
    except ValueError:  # another drive
        return os.path.abspath(path)  # noqa: PTH100


def _joined(folder: str, stored: str) -> str:
    if is_url(stored):
        return stored
    return os.path.normpath(os.path.join(folder, stored))  # noqa: PTH118 - keeps what the user wrote


def _batches(summaries: Iterable[RolloutSummary], size: int) -> Iterator[list[RolloutSummary]]:
    batch: list[RolloutSummary] = []
    for summary in summaries:
        batch.append(summary)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
