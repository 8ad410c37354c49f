"""Rows of an OpenCode database, by column name, also from one with damaged pages (formats 1.2)."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from rollout_loaders.bounds import PARTS
from rollout_loaders.fast_dataclass import dataclass

Row = Mapping[str, object]
CHUNK = 400
"""Ids in one `IN (…)`."""
SKIP_ONE_BY_ONE = 2048
"""Row ids that are skipped singly behind a damaged page before the steps grow."""
DATA = "data"
CHECKED_UP_TO = 1 << 28
"""Bytes of a database that is checked for damage before it is read."""
STEPS = 10_000
"""Instructions of SQLite's machine between two looks at how far a query has gone."""
LEAST_STEPS = 2_000_000
ENDLESS = "its pages lead back to themselves"


class Endless(sqlite3.DatabaseError):
    """A damaged tree gives more than the file holds."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a private copy. Text that is no UTF-8 is read with replacement characters, `data` columns as bytes.

    What a schema may call is limited to what does nothing but compute.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    connection.text_factory = _lenient
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _size(row: Sequence[object]) -> int:
    return sum(len(cell) for cell in row if isinstance(cell, str | bytes))


@dataclass(slots=True)
class Tables:
    """The tables of one database. A table with damaged pages is read row by row around them, once.

    No query gives more bytes, or takes more steps, than a file of this `size` can hold rows for: pages that lead back
    to themselves would never end.
    """

    connection: sqlite3.Connection
    size: int = CHECKED_UP_TO
    """Bytes of the database and its `-wal`."""
    views: tuple[str, ...] = ()
    """Views under any name: a view is a query of the file's own, so it is named and never run."""
    bad_index: str | None = None
    """What SQLite said about an index; the tables are then read without any."""
    damaged: dict[str, str] = field(default_factory=dict[str, str])
    """Table name to what SQLite said about it."""
    _salvaged: dict[str, list[dict[str, object]]] = field(default_factory=dict[str, list[dict[str, object]]])
    _columns: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _looked_in: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """(table, column) to how often rows were looked for by that column."""

    @classmethod
    def of(cls, path: Path) -> Tables:
        """The tables of a private copy."""
        files = (path, Path(f"{path}-wal"))
        return cls(connect(path), sum(file.stat().st_size for file in files if file.is_file()))

    def names(self) -> tuple[str, ...]:
        """Names of all tables. Raises `sqlite3.DatabaseError` when this is no database."""
        rows = self._fetch("SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view')")
        self.views = tuple(str(name) for kind, name in rows if kind == "view")
        if self.size <= CHECKED_UP_TO:
            self._check()
        return tuple(str(name) for kind, name in rows if kind == "table")

    def _check(self) -> None:
        """An index that lost entries would hide rows without a word, so no index is used where anything is wrong."""
        try:
            said = [str(row[0]) for row in self._fetch("PRAGMA integrity_check(1)")]
        except sqlite3.DatabaseError as error:
            said = [str(error)]
        if said != ["ok"]:
            self.bad_index = said[0] if said else "no answer"

    def _fetch(self, query: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return list(self._run(query, values))

    def _run(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[object, ...]]:
        """Rows of one query. Raises `Endless` or SQLite's own error."""
        left = [(LEAST_STEPS + 4 * self.size) // STEPS]

        def over() -> bool:
            left[0] -= 1
            return left[0] < 0

        given, count, most = 0, 0, PARTS.value
        self.connection.set_progress_handler(over, STEPS)
        try:
            for row in self.connection.execute(query, tuple(values)):
                given, count = given + _size(row), count + 1
                if count > most:
                    raise PARTS.beyond("", "the number of rows")
                if given > 2 * self.size + LEAST_STEPS:
                    raise Endless(ENDLESS)
                yield row
        except UnicodeDecodeError as error:  # sqlite3 cannot even word its complaint about a damaged schema
            raise sqlite3.DatabaseError("its schema is damaged") from error
        except sqlite3.OperationalError as error:
            raise (Endless(ENDLESS) if left[0] < 0 else error) from error
        finally:
            self.connection.set_progress_handler(None, 0)

    def columns(self, table: str) -> tuple[str, ...]:
        """Column names in the table's own order, which differs in upgraded databases (formats 1.10)."""
        if table not in self._columns:
            found = self._fetch(f"PRAGMA table_info({_quoted(table)})")
            self._columns[table] = tuple(str(row[1]) for row in found)
        return self._columns[table]

    def count(self, table: str) -> int | None:
        """Number of rows; None when it cannot be counted.

        `count(*)` walks the tree in one step, which nothing can stop where pages lead back to themselves.
        """
        try:
            counted = self._fetch(f"SELECT coalesce(sum(1), 0) FROM {_quoted(table)}{self._unindexed}")[0][0]
            return counted if isinstance(counted, int) else None
        except sqlite3.DatabaseError as error:
            self.damaged.setdefault(table, str(error))
            return None

    def rows(
        self, table: str, wanted: Sequence[str] | None = None, where: str | None = None, among: Sequence[str] = ()
    ) -> Iterator[Row]:
        """Rows as dicts of the columns that exist; `where` IN `among` limits them. Order is the table's."""
        if table not in self._salvaged:
            try:
                yield from self._read(table, wanted, where, among)
                return
            except sqlite3.DatabaseError as error:
                self.damaged[table] = str(error)
                self._salvaged[table] = list(self._salvage(table))
        allowed = set(among)
        for row in self._salvaged[table]:
            if where is None or row.get(where) in allowed:
                yield row

    def _read(self, table: str, wanted: Sequence[str] | None, where: str | None, among: Sequence[str]) -> Iterator[Row]:
        """All rows first, so that a damaged page met halfway gives nothing twice."""
        select = self._select(table, wanted) + self._unindexed
        if where is None:
            found = self._fetch(select)
        else:
            self._index(table, where)
            found = list[tuple[object, ...]]()
            for start in range(0, len(among), CHUNK):
                ids = among[start : start + CHUNK]
                marks = ",".join("?" * len(ids))
                found += self._fetch(f"{select} WHERE {_quoted(where)} IN ({marks})", ids)
        names = self._names(table, wanted)
        return iter([dict(zip(names, row, strict=True)) for row in found])

    def _index(self, table: str, column: str) -> None:
        """Give our copy the index that its file lacks: thousands of sessions would take the square of their number.

        Not for one look, which is no slower than making an index; not where none is trusted.
        """
        asked = self._looked_in[table, column] = self._looked_in.get((table, column), 0) + 1
        if asked != 2 or self.bad_index is not None or self._is_indexed(table, column):
            return
        with contextlib.suppress(sqlite3.DatabaseError):  # reading goes on without it, and says what is wrong
            self.connection.execute("PRAGMA query_only = OFF")
            self._fetch(f"CREATE INDEX {_quoted(f'rollout_inspect_{table}')} ON {_quoted(table)} ({_quoted(column)})")
        self.connection.execute("PRAGMA query_only = ON")

    def _is_indexed(self, table: str, column: str) -> bool:
        for _, name, _, _, partial in self._fetch(f"PRAGMA index_list({_quoted(table)})"):
            first = self._fetch(f"PRAGMA index_info({_quoted(str(name))})")[:1]
            if not partial and first and first[0][2] == column:
                return True
        return False

    @property
    def _unindexed(self) -> str:
        return "" if self.bad_index is None else " NOT INDEXED"

    def _names(self, table: str, wanted: Sequence[str] | None) -> tuple[str, ...]:
        there = self.columns(table)
        return there if wanted is None else tuple(name for name in wanted if name in there)

    def _select(self, table: str, wanted: Sequence[str] | None, first: str = "") -> str:
        names = self._names(table, wanted)
        columns = ", ".join(f"CAST({_quoted(n)} AS BLOB)" if n == DATA else _quoted(n) for n in names)
        return f"SELECT {first}{columns} FROM {_quoted(table)}"

    def _salvage(self, table: str) -> Iterator[dict[str, object]]:
        """Every row that can still be reached by its row id."""
        names = self._names(table, None)
        last, highest = self._bounds(table)
        seen = set[object]()
        select = f"{self._select(table, None, 'rowid, ')} NOT INDEXED WHERE rowid > ? ORDER BY rowid"
        skipped, step = 0, 1
        while last <= highest:
            try:
                for row in self._run(select, (last,)):
                    if isinstance(row[0], int) and row[0] > last:
                        last, skipped, step = row[0], 0, 1
                    if row[0] not in seen:  # damaged pages may come round again
                        seen.add(row[0])
                        yield dict(zip(names, row[1:], strict=True))
                return
            except Endless:
                return
            except sqlite3.DatabaseError:
                skipped += 1
                step = step if skipped < SKIP_ONE_BY_ONE else step * 2
                last += step

    def _bounds(self, table: str) -> tuple[int, int]:
        found: list[int] = []
        for ending in ("ASC", "DESC"):
            try:
                query = f"SELECT rowid FROM {_quoted(table)} NOT INDEXED ORDER BY rowid {ending} LIMIT 1"
                rows = self._fetch(query)
                found.append(rows[0][0] if rows and isinstance(rows[0][0], int) else 0)
            except sqlite3.DatabaseError:
                found.append(0 if ending == "ASC" else 1 << 24)
        return found[0] - 1, found[1]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
