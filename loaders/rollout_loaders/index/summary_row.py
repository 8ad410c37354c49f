"""A summary as a JSON row and back: nothing of it is lost, also of fields that come to be added."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rollout_loaders.model import Harness, RolloutSummary, SourceRef, Task, Usage

_NESTED = frozenset({"source", "harness", "task", "usage"})
_LISTED = ("artifacts", "findings")


def row_of(summary: RolloutSummary) -> dict[str, Any]:
    """Everything but the path it was shown with, and where in it, which the next listing may give otherwise."""
    row = _plain(summary)
    row |= {name: _plain(getattr(summary, name)) for name in _NESTED}
    del row["source"]["path"], row["source"]["span"]
    return row


def summary_of(
    row: dict[str, Any], shown: str, rollout_id: str, artifacts: tuple[str, ...] | None = None
) -> RolloutSummary:
    """The summary of a row that `row_of` gave, under a path and an id; `artifacts` as they are shown now, if given."""
    source = row["source"] if artifacts is None else {**row["source"], "artifacts": artifacts}
    given: dict[str, Any] = {
        **_listed(row),
        "id": rollout_id,
        "source": SourceRef(path=shown, **_listed(source)),
        "harness": Harness(**row["harness"]),
        "task": Task(**row["task"]),
        "usage": Usage(**row["usage"]),
    }
    return RolloutSummary(**given)


def _plain(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value) if each.name not in _NESTED}


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    """Lists of JSON as the tuples that they were."""
    return {**row, **{name: tuple(row[name]) for name in _LISTED if row.get(name) is not None}}
