"""A summary as a JSON row and back: nothing of it is lost, also of fields that come to be added."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rollout_loaders.model import Harness, RolloutSummary, SourceRef, Task, Usage

_NESTED: dict[str, Any] = {"source": SourceRef, "harness": Harness, "task": Task, "usage": Usage}
_LISTED = frozenset({"artifacts", "findings"})


def row_of(summary: RolloutSummary) -> dict[str, Any]:
    """Everything but the path it was shown with, which the next listing may give otherwise."""
    row = _plain(summary)
    row |= {name: _plain(getattr(summary, name)) for name in _NESTED}
    del row["source"]["path"]
    return row


def summary_of(row: dict[str, Any], shown: str, rollout_id: str) -> RolloutSummary:
    """The summary of a row that `row_of` gave, under a path and an id."""
    given = {name: _tuples(value) for name, value in row.items() if name not in _NESTED}
    nested = {name: _tuples(row[name]) for name in _NESTED}
    nested["source"]["path"] = shown
    given |= {name: kind(**nested[name]) for name, kind in _NESTED.items()}
    return RolloutSummary(**{**given, "id": rollout_id})


def _plain(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value) if each.name not in _NESTED}


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        held: dict[str, Any] = value
        return {name: tuple(one) if name in _LISTED and one is not None else one for name, one in held.items()}
    return tuple(value) if isinstance(value, list) else value
