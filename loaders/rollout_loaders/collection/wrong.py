"""What is wrong with what was read, each once, and what of it is forgotten when files are read again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from rollout_loaders.model import Diagnostic

from .contents import EVIDENCE_FILE, UNKNOWN_FILE

UNREADABLE = "unreadable"
OF_A_SEARCH = frozenset(
    {UNREADABLE, UNKNOWN_FILE, EVIDENCE_FILE, "entry-skipped", "entry-unreadable", "file-unreadable"}
)
"""Codes of what a search says of its argument as a whole, and of what it met."""


class Wrong:
    """Diagnostics of a collection, in the order in which they were met."""

    def __init__(self) -> None:
        self.noted: list[Diagnostic] = []
        """What searches say as they go, before it is told from what is known."""
        self._all: list[Diagnostic] = []
        self._seen: set[Diagnostic] = set()

    def all(self) -> tuple[Diagnostic, ...]:
        """So far."""
        self._flush()
        return tuple(self._all)

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Take up those that are new."""
        for diagnostic in diagnostics:
            if diagnostic not in self._seen:
                self._seen.add(diagnostic)
                self._all.append(diagnostic)

    def forget(self, paths: Collection[str], lines: Collection[str] = ()) -> None:
        """Forget what was said of files that are read again, and of lines (`path#L17`) that are."""
        self._forget(lambda at, _: at in paths or at in lines or at.rpartition("#")[0] in paths)

    def forget_searches(self, kept: Collection[str]) -> None:
        """Forget what searches said, which are made again, of all but the files that are kept."""
        self._forget(lambda at, code: code in OF_A_SEARCH and at not in kept)

    def _forget(self, which: Callable[[str, str], bool]) -> None:
        self._flush()
        self._all = [one for one in self._all if not which(one.locator or "", one.code)]
        self._seen = set(self._all)

    def _flush(self) -> None:
        noted = list(self.noted)
        self.noted.clear()
        self.add(noted)
