"""Reader of NeMo Gym rollouts files, rows old and new (gym-semantics 1.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import orjson

from rollout_loaders import first_line
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.model import Diagnostic, JsonObject, JsonValue, Rollout, SourceRef
from rollout_loaders.reader import Confidence, ReadOptions
from rollout_loaders.source import open_file

from .gym_file import GymFile
from .gym_kind import GymKind

FAILURE_KEYS = frozenset({"_ng_failure_class", "_ng_failure_record"})
"""Either routes a row to the sidecar (gym-semantics 1.3)."""
_EVIDENCE = re.compile(
    r"(materialized_inputs|reward_profiling|aggregate_metrics|agent_metrics|attempts|failures|verdicts|manifest|coverage)"
)
_NAME = re.compile(r"(^|[_.-])rollouts?([_.-][\w-]+)*\.jsonl$", re.IGNORECASE)
_LINES = 20
_LONGEST = 64 * 1024 * 1024


class GymRolloutsReader:
    """The format `gym-rollouts`."""

    name = "gym-rollouts"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By its first records; a file of unreadable lines is taken by its name, so that each line can be named."""
        if not head:
            return Confidence.NO
        best = Confidence.NO
        for row in first_objects(path, head):
            if FAILURE_KEYS & row.keys():
                return Confidence.NO
            if "response" in row:
                beside = {
                    "responses_create_params",
                    "reward",
                    "_ng_task_index",
                    "_ng_rollout_id",
                    "agent_ref",
                } & row.keys()
                best = max(best, Confidence.CERTAIN if beside else Confidence.MAYBE)
        if best is Confidence.NO and _NAME.search(path.name) and not _EVIDENCE.search(path.name):
            return Confidence.MAYBE
        return best

    def open(self, path: Path, shown: str, options: ReadOptions) -> GymFile:
        """Open the file; nothing is read yet."""
        return GymFile(path, shown, KIND, options)


def no_rollout(row: JsonObject) -> str | None:
    """Why an object is no rollout, or None: a row has the response that was scored (gym-semantics 1.2)."""
    if "response" in row:
        return None
    if "reward" in row:
        return "an object with a `reward` but without `response`: a grade without the rollout it is of"
    if "responses_create_params" in row:
        return "an object with `responses_create_params` but without `response`: a task, not a rollout of it"
    return "an object without `response`, so no rollout"


def rollout(row: JsonObject, rollout_id: str, source: SourceRef, diagnostics: Sequence[Diagnostic]) -> Rollout:
    """The rollout of a row."""
    from .gym_rollout import rollout_of  # a list builds no rollouts

    return rollout_of(row, rollout_id, source, diagnostics)


def first_objects(path: Path, head: bytes) -> Iterator[JsonObject]:
    """The JSON objects among the first lines; of a first line longer than `head`, the line itself."""
    *whole, _ = head.split(b"\n")
    if not whole:
        yield from _first_of(path, head)
        return
    seen = 0
    for raw in whole:
        value, _ = _decoded(raw)
        if isinstance(value, dict):
            yield value
            seen += 1
            if seen == _LINES:
                return


def _first_of(path: Path, head: bytes) -> tuple[JsonObject, ...]:
    """Every reader asks, and in a folder of documents of every one of them."""
    value: JsonValue = first_line.under(head)
    if value is None:
        with open_file(path) as file:
            raw = file.readline(_LONGEST).removesuffix(b"\n")
        value, plain = _decoded(raw)
        if plain and isinstance(value, dict):
            first_line.keep(head, raw, value)
    return (value,) if isinstance(value, dict) else ()


def _decoded(raw: bytes) -> tuple[JsonValue, bool]:
    """What a line holds, to be looked at, and whether it is plain JSON.

    Damaged first lines must not hide the rows after them.
    """
    try:
        return cast(JsonValue, orjson.loads(raw)), True
    except orjson.JSONDecodeError:
        pass
    try:
        return decode(raw).value, False
    except BadJson:
        return None, False


KIND = GymKind("gym-rollouts", no_rollout, rollout, scan="gym_scan")
READER = GymRolloutsReader()
