"""Parts that keep what is no record, so that nothing of it is hidden: one each, of very many those in a row as one."""

from __future__ import annotations

from rollout_loaders.counted_diagnostics import MOST, more
from rollout_loaders.model import Diagnostic, JsonValue, StoredPart


class DamagedRecords:
    """Of one conversation or file. A part a record took most of the time of reading and drawing a file of them."""

    def __init__(self) -> None:
        self._number = 0
        self._run: list[JsonValue] | None = None

    @property
    def are_many(self) -> bool:
        """Whether the next one is counted only: what is wrong with it need not be found out."""
        return self._number >= MOST

    def count(self) -> list[Diagnostic]:
        """How many were not said one by one, once all have come."""
        return [more("record-unreadable", self._number - MOST)] if self._number > MOST else []

    def part(self, value: JsonValue, where: str, key: str = "text") -> StoredPart | None:
        """The part that keeps `value` under `key`; None where it joined the part of the record before it."""
        self._number += 1
        if self._number <= MOST:
            return StoredPart(where, where, "unreadable", {key: value}, locator=where)
        if self._run is not None:
            self._run.append(value)
            return None
        self._run = [value]
        return StoredPart(where, where, "unreadable", {"records": self._run}, locator=where)

    def over(self) -> None:
        """A record that is one: the next damaged record does not follow the latest."""
        self._run = None
