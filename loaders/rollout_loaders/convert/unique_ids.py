"""Ids that a record may use twice, made unique: the document, links and folds point at one thing only."""

from __future__ import annotations


class UniqueIds:
    """Ids in use. Each question takes the same time on the average, however often an id repeats."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def add(self, ident: str) -> None:
        """An id that is used as it is."""
        self._taken.add(ident)

    def take(self, ident: str) -> str:
        """`ident`, with a count behind it where it is in use: `call`, `call.2`, `call.3`."""
        unique = ident
        while unique in self._taken:
            count = self._repeats[ident] = self._repeats.get(ident, 1) + 1
            unique = f"{ident}.{count}"
        self._taken.add(unique)
        return unique
