"""Attempts of one logical rollout: main rows and sidecar records (gym-semantics 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Attempt, Diagnostic, FailureRecord, Rollout, Task

MOST = 200
"""Attempts that one rollout lists: each is a rollout of its own, so that nothing is lost, and all in all stay few."""
Key: TypeAlias = tuple[int, int]
"""(task index, rollout index)."""


@dataclass(frozen=True, slots=True)
class Failed:
    """One sidecar record, without its conversation."""

    attempt: Attempt
    record: FailureRecord


class Fellows:
    """The sidecar records of one logical rollout, in file order: what is asked of them for each of its rollouts."""

    def __init__(self) -> None:
        self._all: list[Failed] = []
        self._by_locator: dict[str | None, list[Failed]] = {}

    def add(self, failure: Failed) -> None:
        """Take in the next record of the file; before anything is asked."""
        self._all.append(failure)
        self._by_locator.setdefault(failure.attempt.locator, []).append(failure)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def latest(self) -> Failed:
        """The one of the highest attempt."""
        return max(self._all, key=_number)

    @cached_property
    def newer(self) -> bool:
        """Whether a newer collector wrote any of them."""
        return any(failure.record.generation == "newer" for failure in self._all)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files that hold them."""
        return tuple(dict.fromkeys(f.attempt.path for f in self._all if f.attempt.path is not None))

    @cached_property
    def last(self) -> list[Failed]:
        """As many as a rollout lists at most, those of the highest attempts."""
        return sorted(self._all, key=_number)[-MOST:]

    def near(self, rollout: Rollout) -> list[Failed]:
        """All of them; of very many the latest, and what is this very rollout."""
        if len(self._all) <= MOST:
            return self._all
        own = self._by_locator.get(rollout.source.locator, [])
        return [self.latest, *(failure for failure in own if failure is not self.latest)]


def _number(failure: Failed) -> int:
    return failure.attempt.attempt or 0


def key_of(task: Task) -> Key | None:
    """Identity of the logical rollout, or None where the record lacks it: then nothing is joined."""
    if task.task_index is None or task.rollout_index is None:
        return None
    return task.task_index, task.rollout_index


def failed(rollout: Rollout, shown: str) -> Failed | None:
    """The sidecar record of a rollout that the sidecar's reader gave."""
    if not rollout.evidence.failures:
        return None
    record = rollout.evidence.failures[0]
    return Failed(
        Attempt(
            attempt=rollout.task.attempt,
            kind="failure",
            locator=rollout.source.locator,
            path=shown,
            failure_class=record.failure_class,
            failure_kind=record.failure_kind,
            stage=record.stage,
            message=record.message,
            terminal=record.terminal,
            http_status=record.http_status,
        ),
        record,
    )


def by_key(records: Iterable[Rollout], shown: str) -> dict[Key, Fellows]:
    """Sidecar records by logical rollout, their conversations left out; those that lack an identity are left out."""
    found: dict[Key, Fellows] = {}
    for record in records:
        one, key = failed(record, shown), key_of(record.task)
        if one is not None and key is not None:
            found.setdefault(key, Fellows()).add(one)
    return found


def with_history(rollout: Rollout, failures: Fellows | None) -> Rollout:
    """A main row with the failed attempts of the same (task, rollout).

    Newer collectors reserve a number for each attempt and the latest decides, so a record of a later attempt than the
    row's becomes this rollout's failure; with older ones the main row always decides (gym-semantics 1.3).
    """
    if not failures:
        return rollout
    row = Attempt(rollout.task.attempt, "row", rollout.source.locator, rollout.source.path)
    latest = failures.latest
    failure_decides = failures.newer and _number(latest) > (row.attempt or 0)
    listed = [*(() if any(f is latest for f in failures.last) else (latest,)), *failures.last]
    tries = [replace(row, decides=not failure_decides)]
    tries += [replace(f.attempt, decides=failure_decides and f is latest) for f in listed]
    tries.sort(key=lambda a: (a.attempt or 0, a.kind == "row"))
    rollout = _bounded(rollout, tries, len(failures) + 1)
    evidence = rollout.evidence
    if failure_decides:
        evidence = replace(evidence, failures=(latest.record,))
    artifacts = tuple(dict.fromkeys((*rollout.source.artifacts, *failures.paths)))
    source = replace(rollout.source, artifacts=artifacts)
    return replace(rollout, evidence=evidence, source=source)


def without_row(rollout: Rollout, failures: Fellows | None) -> Rollout:
    """A sidecar record that no main row belongs to, with its fellow attempts."""
    if failures is None:
        return rollout
    latest = failures.latest
    if len(failures) == 1:
        return replace(rollout, attempts=(replace(latest.attempt, decides=True),))
    near = failures.near(rollout)
    tries = sorted((replace(f.attempt, decides=f is latest) for f in near), key=lambda a: a.attempt or 0)
    return _bounded(rollout, tries, len(failures))


def _bounded(rollout: Rollout, tries: Sequence[Attempt], count: int) -> Rollout:
    """The rollout with its attempts; where their `count` is absurd, with the latest of them and a word about it."""
    if count <= MOST:
        return replace(rollout, attempts=tuple(tries))
    kept = [a for a in tries if a.decides or a.kind == "row"][:MOST]
    kept = [a for a in tries[-MOST:] if a not in kept] + kept if len(tries) > MOST else list(tries)
    kept.sort(key=lambda a: (a.attempt or 0, a.kind == "row"))
    said = (
        f"{count:,} records share this task and rollout; {len(kept):,} of them stand here; to see every one, name the "
        "failures file itself: each record of it is then a rollout of its own"
    )
    diagnostic = Diagnostic("attempts-bounded", said, rollout.source.locator)
    return replace(rollout, attempts=tuple(kept), diagnostics=(*rollout.diagnostics, diagnostic))
