"""Attempts of one logical rollout: main rows and sidecar records (gym-semantics 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

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


def by_key(records: Iterable[Rollout], shown: str) -> dict[Key, list[Failed]]:
    """Sidecar records by logical rollout, their conversations left out; those that lack an identity are left out."""
    found: dict[Key, list[Failed]] = {}
    for record in records:
        one, key = failed(record, shown), key_of(record.task)
        if one is not None and key is not None:
            found.setdefault(key, []).append(one)
    return found


def with_history(rollout: Rollout, failures: Sequence[Failed]) -> Rollout:
    """A main row with the failed attempts of the same (task, rollout).

    Newer collectors reserve a number for each attempt and the latest decides, so a record of a later attempt than the
    row's becomes this rollout's failure; with older ones the main row always decides (gym-semantics 1.3).
    """
    if not failures:
        return rollout
    row = Attempt(rollout.task.attempt, "row", rollout.source.locator, rollout.source.path)
    newer = any(failure.record.generation == "newer" for failure in failures)
    latest = max(failures, key=lambda f: f.attempt.attempt or 0)
    failure_decides = newer and (latest.attempt.attempt or 0) > (row.attempt or 0)
    tries = [replace(row, decides=not failure_decides)]
    tries += [replace(f.attempt, decides=failure_decides and f is latest) for f in failures]
    tries.sort(key=lambda a: (a.attempt or 0, a.kind == "row"))
    rollout = _bounded(rollout, tries)
    evidence = rollout.evidence
    if failure_decides:
        evidence = replace(evidence, failures=(latest.record,))
    paths = tuple(dict.fromkeys(f.attempt.path for f in failures if f.attempt.path is not None))
    source = replace(rollout.source, artifacts=tuple(dict.fromkeys((*rollout.source.artifacts, *paths))))
    return replace(rollout, evidence=evidence, source=source)


def without_row(rollout: Rollout, failures: Sequence[Failed]) -> Rollout:
    """A sidecar record that no main row belongs to, with its fellow attempts."""
    if len(failures) < 2:
        own = failures[0].attempt if failures else None
        return rollout if own is None else replace(rollout, attempts=(replace(own, decides=True),))
    latest = max(failures, key=lambda f: f.attempt.attempt or 0)
    near = failures if len(failures) <= MOST else [f for f in failures if f is latest or _is_of(f, rollout)]
    tries = sorted((replace(f.attempt, decides=f is latest) for f in near), key=lambda a: a.attempt or 0)
    return _bounded(rollout, tries, len(failures))


def _is_of(failure: Failed, rollout: Rollout) -> bool:
    return failure.attempt.locator == rollout.source.locator


def _bounded(rollout: Rollout, tries: Sequence[Attempt], count: int | None = None) -> Rollout:
    """The rollout with its attempts; where they are absurdly many, with the latest of them and a word about it."""
    count = len(tries) if count is None else count
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
