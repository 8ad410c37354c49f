"""A rollouts file with its failures sidecar and what lies beside them, as rollouts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.index.needle import Needle
from rollout_loaders.locator import parse_identity
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.reader import Artifact, ReadOptions
from rollout_loaders.summary import summarise

from . import attempts
from .attempts import Fellows, Key
from .contents import Found
from .lines import Lines
from .opening import completed, find_in, guarded, open_artifact
from .row_evidence import RowEvidence


class Rows(Lines):
    """One rollouts file. Each of its rows is a document of its own; nothing merges two rows (CONTRACT 2)."""

    def __init__(
        self,
        found: Found,
        sidecar: Found | None,
        options: ReadOptions,
        evidence: RowEvidence,
        with_orphans: bool = False,
    ) -> None:
        """`with_orphans`: also give the sidecar's records that no row belongs to, as a searched folder does."""
        super().__init__(found, options)
        self._sidecar, self._evidence = sidecar, evidence
        self._with_orphans = with_orphans
        self._failures: dict[Key, Fellows] | None = None
        self._keys_met = set[Key | None]()
        """Of all rows, where sidecar records may have none."""
        self.shown = [found.entry.shown, *([sidecar.entry.shown] if sidecar and with_orphans else [])]

    @property
    def paths(self) -> list[Path]:
        """The rollouts file and its sidecar."""
        return [found.entry.path for found in (self._found, self._sidecar) if found is not None]

    @property
    def may_have_orphans(self) -> bool:
        """Whether `rollouts` gives records of a sidecar too."""
        return self._with_orphans and self._sidecar is not None

    @property
    def claimed(self) -> set[Path]:
        """Native folders that were joined to rows, which a search leaves out."""
        return self._evidence.claimed

    def may_claim(self) -> bool:
        """False when there is no folder here that could be joined to a row."""
        return self._evidence.may_claim()

    def has_failed(self, key: Key | None) -> bool:
        """Whether the sidecar holds an attempt of this (task, rollout)."""
        return key in self._index()

    def rollouts(self) -> Iterator[Rollout]:
        """Rows in file order, then sidecar records without a row."""
        artifact = self._open()
        keys: set[Key | None] = set()
        for row in guarded(self._found, artifact.rollouts, self.problems):
            keys.add(attempts.key_of(row.task))
            yield self._whole(row)
        yield from self.orphans(keys)

    def _listed(self, artifact: Artifact, read: Callable[[], Iterator[RolloutSummary]]) -> Iterator[RolloutSummary]:
        keys: set[Key | None] = set()
        for summary in guarded(self._found, read, self.problems):
            if self._with_orphans:
                keys.add(attempts.key_of(summary.task))
            yield self._with_joined(artifact, summary)
        yield from map(summarise, self.orphans(keys))

    def holding(self, needle: Needle) -> Iterator[Rollout]:
        """As of `Lines`, then sidecar records without a row."""
        yield from super().holding(needle)
        if self._followed() is not None:  # else `rollouts` gave them
            yield from self.orphans(self._keys_met)

    def _joined_lines(self, artifact: Artifact) -> list[int]:
        keys = self._keys_met = set[Key | None]()
        lines: list[int] = []
        failures = self._index()
        if not failures and not (self._with_orphans and self._sidecar) and not self._evidence.may_join():
            return lines
        for summary in guarded(self._found, artifact.summaries, self.problems):
            key = attempts.key_of(summary.task)
            keys.add(key)
            if key in failures or self._evidence.joins(summary.task, summary.id):
                lines.append(int((summary.source.locator or "L0").removeprefix("L")))
        return lines

    def _with_joined(self, artifact: Artifact, summary: RolloutSummary) -> RolloutSummary:
        if attempts.key_of(summary.task) not in self._index() and not self._evidence.touches(summary.task, summary.id):
            return summary
        row = find_in(self._found, artifact, summary.source.locator or summary.id)
        return summary if row is None else summarise(self._whole(row))

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """The row of this locator or id, else the sidecar record of it. Raises `ReadError`."""
        if shown is None or shown == self._found.entry.shown:
            row = find_in(self._found, self._open(), name) or self._of_any_attempt(name)
            if row is not None:
                return self._whole(row)
        if self._sidecar is None or shown == self._found.entry.shown:
            return None
        record = find_in(self._sidecar, open_artifact(self._sidecar, self._options), name)
        return None if record is None else completed(self._as_orphan(record), self._options)

    def _of_any_attempt(self, name: str) -> Rollout | None:
        """The row of task and rollout `3-1` that is named by its attempt; the latest of several."""
        identity = parse_identity(name)
        if identity is None or identity[2] is not None:
            return None
        latest: RolloutSummary | None = None
        for summary in self._open().summaries():
            if attempts.key_of(summary.task) == identity[:2]:
                latest = max(latest or summary, summary, key=lambda s: s.task.attempt or 0)
        return None if latest is None else find_in(self._found, self._open(), latest.source.locator or latest.id)

    def _whole(self, row: Rollout) -> Rollout:
        key = attempts.key_of(row.task)
        row = self._evidence.attach(row)
        if key is not None:
            row = attempts.with_history(row, self._index().get(key))
        return completed(row, self._options)

    def _index(self) -> dict[Key, Fellows]:
        """The sidecar's records by (task, rollout), read once, conversations left out."""
        if self._failures is None:
            self._failures = attempts.by_key(self._records(), self._sidecar.entry.shown if self._sidecar else "")
        return self._failures

    def _records(self) -> Iterator[Rollout]:
        if self._sidecar is None:
            return
        try:
            artifact = open_artifact(self._sidecar, self._options)
        except ReadError as error:
            self.problems.append(Diagnostic("sidecar-unreadable", error.reason, self._sidecar.entry.shown))
            return
        yield from guarded(self._sidecar, artifact.rollouts, self.problems)

    def orphans(self, keys: Collection[Key | None]) -> Iterator[Rollout]:
        """The sidecar's records that belong to none of the rows that have these keys."""
        if not self._with_orphans:
            return
        for record in self._records():
            key = attempts.key_of(record.task)
            if key is None or key not in keys:
                yield completed(self._as_orphan(record), self._options)

    def _as_orphan(self, record: Rollout) -> Rollout:
        key = attempts.key_of(record.task)
        fellows = self._index().get(key) if key is not None else None
        return attempts.without_row(self._evidence.attach(record), fellows)
