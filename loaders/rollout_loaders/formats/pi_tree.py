"""The tree of a Pi session file: entries by parent, the leaf path, and the branches that were left (formats 2.5)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the tree. `parent` is an index into the file order, always a lower one; -1 for a root."""

    id: str
    type: str
    line: int
    parent: int
    data: JsonObject


@dataclass(frozen=True, slots=True)
class Fork:
    """An abandoned branch: what it has beyond the part that an earlier listed path already holds."""

    at: int
    """Index of the last shared entry; -1 where it starts at the root."""
    entries: tuple[int, ...]

    @property
    def leaf(self) -> int:
        """Its last entry."""
        return self.entries[-1]


class EntryTree:
    """Entries in file order. The current leaf is the last one, whatever it is."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._latest: dict[str, int] = {}

    def add(self, entry_id: str, kind: str, line: int, parent_id: str | None, data: JsonObject) -> str | None:
        """Append an entry; `parent_id` None makes it a root. Returns what is wrong with its parent, else None.

        A parent that no earlier line has (its line was lost) is replaced by the entry before: no entry may vanish, and
        since a parent always lies before its child there is no cycle.
        """
        problem: str | None = None
        parent = -1
        if parent_id is not None:
            found = self._latest.get(parent_id)
            if found is None:
                parent = len(self.entries) - 1
                problem = f"the parent {parent_id} of entry {entry_id} is on no earlier line; it follows the one before"
            else:
                parent = found
        self._latest[entry_id] = len(self.entries)
        self.entries.append(Entry(entry_id, kind, line, parent, data))
        return problem

    def index_of(self, entry_id: str | None) -> int | None:
        """Index of the latest entry with this id."""
        return None if entry_id is None else self._latest.get(entry_id)

    def leaf_path(self) -> tuple[int, ...]:
        """From a root to the last line."""
        return self._up_to(len(self.entries) - 1, set())

    def forks(self, path: Sequence[int]) -> tuple[Fork, ...]:
        """Every other leaf in file order, each with the entries that no path before it holds: linear in all."""
        covered = set(path)
        has_child = {entry.parent for entry in self.entries}
        found: list[Fork] = []
        for index in range(len(self.entries)):
            if index in has_child or index in covered:
                continue
            own = self._up_to(index, covered)
            covered.update(own)
            found.append(Fork(self.entries[own[0]].parent, own))
        return tuple(found)

    def _up_to(self, leaf: int, stop: set[int]) -> tuple[int, ...]:
        path: list[int] = []
        while leaf >= 0 and leaf not in stop:
            path.append(leaf)
            leaf = self.entries[leaf].parent
        path.reverse()
        return tuple(path)
