"""Reader of the failures sidecar, `<stem>_failures.jsonl`, both generations (gym-semantics 1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rollout_loaders.model import (
    Diagnostic,
    FailureRecord,
    FinalAnswer,
    JsonObject,
    JsonValue,
    Reason,
    Rollout,
    Scored,
    SourceRef,
    StoredPart,
)
from rollout_loaders.reader import Confidence, ReadOptions

from .fields import flag, integer, mapping, text
from .gym_file import GymFile
from .gym_kind import GymKind
from .gym_rollout import own_conversation, parts_of, rollout_of
from .gym_rollouts import FAILURE_KEYS, first_objects

REAL_RESPONSE = frozenset({"judge_failed", "judge_invalid"})
"""Classes whose `response` is the real generation, so that it can be judged again (gym-semantics 1.3)."""
_NEWER = frozenset(
    {"_ng_failure_record", "_ng_failure_type", "_ng_failure_message", "_ng_failure_kind", "_ng_failure_http_status"}
)
_READ = frozenset(
    {
        *("_ng_failure_record", "_ng_failure_class", "_ng_failure_type", "_ng_failure_message"),
        *("_ng_failure_http_status", "_ng_failure_kind", "_ng_failure_stage", "_ng_failure_terminal"),
        "_ng_failure_judge_error",
    }
)
_ALSO_KEPT = frozenset(
    {"skipped", "invalid_judge_response", "reuse_cached_deliverable", "error", "error_message", "error_class"}
)
_RESPONSES = ("response", "_ng_failure_response", "_ng_failure_partial_response")


class GymFailuresReader:
    """The format `gym-failures`."""

    name = "gym-failures"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the keys that route a row to the sidecar; by its name for a file of which no line can be read."""
        if not head:
            return Confidence.NO
        if any(FAILURE_KEYS & row.keys() for row in first_objects(path, head)):
            return Confidence.CERTAIN
        return Confidence.MAYBE if path.name.endswith("_failures.jsonl") else Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> GymFile:
        """Open the file; nothing is read yet."""
        return GymFile(path, shown, KIND, options)


def no_failure(row: JsonObject) -> str | None:
    """Why an object is no sidecar record, or None."""
    if FAILURE_KEYS & row.keys() or "_ng_omitted" in row:
        return None
    return "an object without `_ng_failure_class`, so no failure record"


def failure_of(row: JsonObject) -> FailureRecord:
    """The failure that a sidecar row records, of either generation."""
    record = mapping(row, "_ng_failure_record")
    failure = mapping(record, "failure")
    kind = text(failure, "failure_kind") or text(row, "_ng_failure_kind")
    name = text(row, "_ng_failure_class") or kind or ("omitted" if "_ng_omitted" in row else None)
    status = integer(record, "http_status")
    extra: dict[str, JsonValue] = {
        key: value
        for key, value in row.items()
        if (key.startswith("_ng_failure") or key in _ALSO_KEPT or key == "_ng_omitted") and key not in _READ
    }
    if record:
        extra["record"] = {key: value for key, value in record.items() if key != "failure"}
    return FailureRecord(
        failure_class=name,
        failure_kind=kind,
        stage=text(failure, "stage") or text(row, "_ng_failure_stage"),
        message=_first(failure, "failure_reason") or _first(row, "_ng_failure_message", "error_message", "error"),
        terminal=_either(flag(failure, "terminal"), flag(row, "_ng_failure_terminal")),
        http_status=status if status is not None else integer(row, "_ng_failure_http_status"),
        exception_type=text(record, "exception_type") or _first(row, "_ng_failure_type", "error_class"),
        delivery=text(record, "delivery"),
        generation="newer" if _NEWER & row.keys() else "older",
        judge_error=text(row, "_ng_failure_judge_error"),
        has_real_response=name in REAL_RESPONSE and bool(mapping(row, "response")),
        extra=extra,
    )


def failed_rollout(
    row: JsonObject, rollout_id: str, source: SourceRef, diagnostics: Sequence[Diagnostic] = ()
) -> Rollout:
    """A sidecar row. Only a kept real generation is its conversation; a placeholder response is a stored part."""
    failure = failure_of(row)
    if failure.has_real_response:
        rollout = rollout_of(row, rollout_id, source, diagnostics)
        return replace(rollout, evidence=replace(rollout.evidence, failures=(failure,)))
    bare = {key: value for key, value in row.items() if key not in _RESPONSES}
    rollout = rollout_of(bare, rollout_id, source, diagnostics)
    root, *others = rollout.invocations
    root = replace(root, status="failed" if root.status == "unknown" else root.status, parts=_parts(row))
    why = f"the attempt failed ({failure.failure_class or 'no class recorded'}); this record keeps no scored response"
    held = [key for key in _RESPONSES if mapping(row, key)]
    notes = rollout.notes
    if held:
        kept = ", ".join(f"`{key}`" for key in held)
        said = (
            f"What stands under {kept} was never scored: it is a placeholder or partial, kept in the stored lens only."
        )
        notes = (*notes, Reason(said, rests_on=held[0]))
    answer = FinalAnswer(text=rollout.final_answer.text, turn=rollout.final_answer.turn, stands=False, because=why)
    return replace(
        rollout,
        invocations=(root, *others),
        final_answer=replace(answer, item_id=rollout.final_answer.item_id),
        scored=Scored(reading="row"),
        evidence=replace(rollout.evidence, failures=(failure,)),
        notes=notes,
    )


def _parts(row: JsonObject) -> tuple[StoredPart, ...]:
    """The whole row, its placeholder's items too: nothing of a record is out of reach."""
    own = own_conversation(mapping(row, "responses_create_params"), mapping(row, "response"))
    return tuple(replace(part, turn=None) for part in parts_of(row, own))


def _first(fields: JsonObject, *keys: str) -> str | None:
    return next((said for key in keys if (said := text(fields, key))), None)


def _either(first: bool | None, second: bool | None) -> bool | None:
    return first if first is not None else second


KIND = GymKind("gym-failures", no_failure, failed_rollout)
READER = GymFailuresReader()
