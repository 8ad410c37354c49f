"""Session artifacts of one folder, or one named artifact, as rollouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.reader import Artifact, ReadOptions
from rollout_loaders.summary import summarise

from . import joining
from .contents import Found
from .opening import completed, find_in, guarded, open_artifact
from .session_evidence import SessionEvidence


class Sessions:
    """Artifacts that may hold the same sessions. With one artifact nothing is joined but the evidence beside it."""

    def __init__(self, found: Sequence[Found], options: ReadOptions, evidence: SessionEvidence) -> None:
        self._found = sorted(found, key=lambda f: f.rank)  # stable: of equals, the first in folder order
        self._in_order = list(found)
        self._positions = {one.entry.path: index for index, one in enumerate(self._found)}
        self._options = options
        self._evidence = evidence
        self._opened: dict[int, Artifact] = {}
        self._held: list[list[joining.Held]] | None = None
        self._others: dict[tuple[int, str], list[joining.Held]] = {}
        self._owners: dict[tuple[int, str], tuple[int, str]] = {}
        self.problems: list[Diagnostic] = []
        self.shown = [f.entry.shown for f in found]

    @property
    def paths(self) -> list[Path]:
        """What is read, without the evidence beside it."""
        return [found.entry.path for found in self._in_order]

    def rollouts(self) -> Iterator[Rollout]:
        """Every session once, from its richest artifact, completed."""
        for rollout in self._read():
            yield completed(rollout, self._options)

    def joined_only(self) -> Iterator[Rollout]:
        """As `rollouts`, but not completed: for a session that becomes part of a Gym row."""
        return self._read()

    def summaries(self) -> Iterator[RolloutSummary]:
        """Sessions are few and joined evidence decides their outcome, so a summary is taken of the whole."""
        for rollout in self.rollouts():
            yield summarise(rollout)

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """The rollout of this id or locator in the artifact `shown`, or in any. Raises `ReadError`."""
        self._index()
        failures: list[ReadError] = []
        for index, found in enumerate(self._found):
            if shown is not None and found.entry.shown != shown:
                continue
            try:
                rollout = find_in(found, self._open(index), name)
            except ReadError as error:
                failures.append(error)
                continue
            if rollout is not None:
                return completed(self._joined(index, rollout), self._options)
        if failures:
            raise failures[0]
        return None

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the artifacts as a whole; complete after a full pass."""
        found = list(self.problems)
        for index, artifact in self._opened.items():
            shown = self._found[index].entry.shown
            found.extend(replace(d, locator=_within(shown, d.locator)) for d in artifact.diagnostics())
        return tuple(found)

    def _read(self) -> Iterator[Rollout]:
        self._index()
        for found in self._in_order:
            index = self._positions[found.entry.path]
            try:
                artifact = self._open(index)
            except ReadError as error:
                self._refuse(found, error)
                continue
            for rollout in guarded(found, artifact.rollouts, self.problems):
                key = (index, rollout.id)
                if self._owners.get(key, key) == key:
                    yield self._joined(index, rollout)

    def _joined(self, index: int, rollout: Rollout) -> Rollout:
        found = self._found[index]
        others = self._others.get((index, rollout.id), [])
        places = [found, *(f for f in self._found if f.entry.shown in {o.shown for o in others})]
        return self._evidence.attach(joining.joined(rollout, found.entry.shown, others), places)

    def _index(self) -> None:
        """With several artifacts, read each once to learn which sessions they share."""
        if self._held is not None:
            return
        self._held = []
        if len(self._found) == 1:
            return
        for index, found in enumerate(self._found):
            self._held.append(list(self._hold(index, found)))
        self._owners = joining.owners(self._held)
        by_key = {(i, one.session): one for i, listed in enumerate(self._held) for one in listed}
        self._evidence.alone = self._evidence.alone and len(set(self._owners.values())) <= 1
        for key, owner in self._owners.items():
            if key != owner:
                self._others.setdefault(owner, []).append(by_key[key])

    def _hold(self, index: int, found: Found) -> Iterator[joining.Held]:
        try:
            artifact = self._open(index)
        except ReadError as error:
            self._refuse(found, error)
            return
        for rollout in guarded(found, artifact.rollouts, []):
            yield joining.held(rollout, found.entry.shown)

    def _open(self, index: int) -> Artifact:
        if index not in self._opened:
            found = self._found[index]
            self._opened[index] = open_artifact(found, self._evidence.options_for(found, self._options))
        return self._opened[index]

    def _refuse(self, found: Found, error: ReadError) -> None:
        diagnostic = Diagnostic("artifact-unreadable", _reason(error), found.entry.shown)
        if diagnostic not in self.problems:
            self.problems.append(diagnostic)


def _reason(error: ReadError) -> str:
    return f"{error.reason}; {error.hint}" if error.hint else error.reason


def _within(shown: str, locator: str | None) -> str:
    if locator is None or locator == shown:
        return shown
    return f"{shown}#{locator}"
