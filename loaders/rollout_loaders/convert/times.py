"""Times as the document writes them: ISO 8601 UTC, durations in milliseconds (CONTRACT 3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(milliseconds: int | float | None) -> str | None:
    """Unix milliseconds as `2026-11-30T15:23:36.794Z`; None for None and for a time that no calendar has."""
    if milliseconds is None:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=milliseconds)
    except (OverflowError, ValueError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def duration(started_ms: int | None, ended_ms: int | None) -> int | None:
    """Milliseconds between two times; None when one is missing or they contradict each other."""
    if started_ms is None or ended_ms is None or ended_ms < started_ms:
        return None
    return ended_ms - started_ms
