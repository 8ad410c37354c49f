"""Rows of an OpenCode database, by column name, also from one with damaged pages (formats 1.2)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Row = Mapping[str, object]
CHUNK = 400
"""Ids in one `IN (…)`."""
SKIP_ONE_BY_ONE = 2048
"""Row ids that are skipped singly behind a damaged page before the steps grow."""
DATA = "data"


def connect(path: Path) -> sqlite3.Connection:
    """Open a private copy. Text that is no UTF-8 is read with replacement characters, `data` columns as bytes."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.text_factory = _lenient
    return connection


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


@dataclass(slots=True)
class Tables:
    """The tables of one database. A table with damaged pages is read row by row around them, once."""

    connection: sqlite3.Connection
    damaged: dict[str, str] = field(default_factory=dict[str, str])
    """Table name to what SQLite said about it."""
    _salvaged: dict[str, list[dict[str, object]]] = field(default_factory=dict[str, list[dict[str, object]]])
    _columns: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def names(self) -> tuple[str, ...]:
        """Names of all tables. Raises `sqlite3.DatabaseError` when this is no database."""
        try:
            rows = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        except UnicodeDecodeError as error:  # sqlite3 cannot even word its complaint about a damaged schema
            raise sqlite3.DatabaseError("its schema is damaged") from error
        return tuple(str(name) for (name,) in rows)

    def columns(self, table: str) -> tuple[str, ...]:
        """Column names in the table's own order, which differs in upgraded databases (formats 1.10)."""
        if table not in self._columns:
            found = self.connection.execute(f"PRAGMA table_info({_quoted(table)})").fetchall()
            self._columns[table] = tuple(str(row[1]) for row in found)
        return self._columns[table]

    def count(self, table: str) -> int | None:
        """Number of rows; None when it cannot be counted."""
        try:
            return int(self.connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0])
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
        select = self._select(table, wanted)
        if where is None:
            found = self.connection.execute(select).fetchall()
        else:
            found = list[tuple[object, ...]]()
            for start in range(0, len(among), CHUNK):
                ids = among[start : start + CHUNK]
                marks = ",".join("?" * len(ids))
                found += self.connection.execute(f"{select} WHERE {_quoted(where)} IN ({marks})", tuple(ids)).fetchall()
        names = self._names(table, wanted)
        return iter([dict(zip(names, row, strict=True)) for row in found])

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
        select = f"{self._select(table, None, 'rowid, ')} NOT INDEXED WHERE rowid > ? ORDER BY rowid"
        skipped, step = 0, 1
        while last <= highest:
            try:
                for row in self.connection.execute(select, (last,)):
                    last, skipped, step = int(row[0]), 0, 1
                    yield dict(zip(names, row[1:], strict=True))
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
                row = self.connection.execute(query).fetchone()
                found.append(int(row[0]) if row else 0)
            except sqlite3.DatabaseError:
                found.append(0 if ending == "ASC" else 1 << 24)
        return found[0] - 1, found[1]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
