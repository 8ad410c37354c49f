"""One artifact that is opened when it is first read, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from rollout_loaders.model import Diagnostic
from rollout_loaders.reader import Artifact, ReadOptions

from .contents import Found
from .opening import open_artifact


class OneFile:
    """What the units of one artifact share."""

    def __init__(self, found: Found, options: ReadOptions) -> None:
        self._found, self._options = found, options
        self._artifact: Artifact | None = None
        self.problems: list[Diagnostic] = []
        self.shown = [found.entry.shown]

    @property
    def paths(self) -> list[Path]:
        """What is read, without the evidence beside it."""
        return [self._found.entry.path]

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Of the file, the path before their locator; complete after a full pass."""
        if self._artifact is None:
            return tuple(self.problems)
        shown = self._found.entry.shown
        own = (
            Diagnostic(d.code, d.message, shown if d.locator in (None, shown) else f"{shown}#{d.locator}")
            for d in self._artifact.diagnostics()
        )
        return (*self.problems, *own)

    def _open(self) -> Artifact:
        """Raises `ReadError`."""
        if self._artifact is None:
            self._artifact = open_artifact(self._found, self._options)
        return self._artifact
