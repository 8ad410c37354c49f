"""OpenCode's SQLite database, with its WAL (formats 1.1 to 1.3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rollout_loaders import source
from rollout_loaders.convert.stored import PartOrder
from rollout_loaders.errors import ReadError
from rollout_loaders.reader import Confidence, ReadOptions

from .opencode_database import Database
from .opencode_store import SessionSource, StoreArtifact
from .opencode_tables import Tables

MAGIC = b"SQLite format 3\x00"
NAMES = frozenset({"opencode.db", "observations.db"})
OWN_TABLES = frozenset({"session", "message", "part"})


@contextmanager
def opened(path: Path, shown: str) -> Generator[SessionSource]:
    """The database as a session source, read from a private copy of it and its `-wal`. Raises `ReadError`."""
    with source.private_copy(path) as copy:
        tables = Tables.of(copy)
        try:
            try:
                names = tables.names()
            except sqlite3.DatabaseError as error:
                raise ReadError(
                    shown, f"is no readable SQLite database ({error})", "check that it was copied whole"
                ) from error
            if names and not OWN_TABLES & set(names):
                raise ReadError(shown, "is a SQLite database without OpenCode's tables", "name opencode.db")
            yield Database(tables, names, path, shown)
        finally:
            tables.connection.close()


class OpencodeSqlite:
    """Reader of `opencode.db` and of Gym's `observations.db`, from 1.2.27 on."""

    name: str = "opencode-sqlite"
    """For `--reader`."""

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """Any SQLite file may be one: its tables can all lie in the `-wal`."""
        if not head.startswith(MAGIC):
            return Confidence.NO
        known = path.name in NAMES or all(f"`{table}`".encode() in head for table in OWN_TABLES)
        return Confidence.CERTAIN if known else Confidence.LIKELY

    def open(self, path: Path, shown: str, options: ReadOptions) -> StoreArtifact:
        """The database as an artifact; it is copied and looked into when it is read. Raises `ReadError`."""
        if not source.head(path, len(MAGIC)).startswith(MAGIC):
            raise ReadError(shown, "is no SQLite database", "check that it was copied whole")
        return StoreArtifact(shown, self.name, partial(opened, path, shown), PartOrder.ROW_TIME, options)


READER = OpencodeSqlite()
__all__: Sequence[str] = ("READER", "OpencodeSqlite", "opened")
