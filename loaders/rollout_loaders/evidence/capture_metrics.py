"""`_ng_token_capture` as typed numbers (gym-semantics 8.3); what older files leave out stays None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, JsonValue

READ_KEYS = frozenset(
    {
        "n_calls",
        "terminal_attribution",
        "chains",
        "roots",
        "quarantined_calls",
        "quarantined_fraction",
        "delivered_fraction",
        "generated_tokens_captured",
        "generated_tokens_delivered",
        "parent_link_failures",
        "unresolved_parent_calls",
        "unresolved_retries",
        "empty_generation_calls",
        "capture_incomplete",
        "error",
    }
)


@dataclass(frozen=True, slots=True)
class CaptureMetrics:
    """The build metrics of one rollout. None is not recorded, never 0."""

    calls: int | None = None
    chains: int | None = None
    roots: int | None = None
    quarantined_calls: int | None = None
    delivered_fraction: float | None = None
    generated_captured: int | None = None
    generated_delivered: int | None = None
    unresolved_parents: int | None = None
    unresolved_retries: int | None = None
    """Not among the keys that 8.3 lists; read where a file has it, as a number or as a list of calls."""
    empty_generations: int | None = None
    parent_link_failures: Mapping[str, int] = field(default_factory=lambda: {})
    incomplete: bool = False
    error: str | None = None
    attribution_recorded: bool = False
    """False in older files, which have no `terminal_attribution`."""
    method: str | None = None
    """A witness name; None for `none` and where nothing is recorded."""
    call_id: str | None = None
    reason: str = ""
    chain: str | None = None
    unread: JsonObject = field(default_factory=lambda: {})
    """Keys that this page of the source does not have, as recorded."""


def metrics_of(capture: JsonObject) -> CaptureMetrics:
    """Read the metrics leniently: a value of an unexpected type counts as not recorded."""
    recorded = capture.get("terminal_attribution")
    terminal: JsonObject = recorded if isinstance(recorded, Mapping) else {}
    failures = capture.get("parent_link_failures")
    method = _text(terminal.get("method"))
    return CaptureMetrics(
        calls=_count(capture.get("n_calls")),
        chains=_count(capture.get("chains")),
        roots=_count(capture.get("roots")),
        quarantined_calls=_count(capture.get("quarantined_calls")),
        delivered_fraction=_number(capture.get("delivered_fraction")),
        generated_captured=_count(capture.get("generated_tokens_captured")),
        generated_delivered=_count(capture.get("generated_tokens_delivered")),
        unresolved_parents=_count(capture.get("unresolved_parent_calls")),
        unresolved_retries=_count(capture.get("unresolved_retries")),
        empty_generations=_count(capture.get("empty_generation_calls")),
        parent_link_failures=_counts(failures) if isinstance(failures, Mapping) else {},
        incomplete=capture.get("capture_incomplete") is True,
        error=_text(capture.get("error")),
        attribution_recorded=isinstance(recorded, Mapping),
        method=None if method in (None, "", "none") else method,
        call_id=_text(terminal.get("call_id")),
        reason=_text(terminal.get("reason")) or "",
        chain=_text(terminal.get("chain")),
        unread={key: value for key, value in capture.items() if key not in READ_KEYS},
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _count(value: JsonValue) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return int(value) if abs(value) < 2**63 else None
    return len(value) if isinstance(value, Sequence) and not isinstance(value, str) else None


def _counts(failures: JsonObject) -> dict[str, int]:
    return {reason: number for reason, value in failures.items() if (number := _count(value)) is not None}
