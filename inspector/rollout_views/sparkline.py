"""Small plots of one line. Unknown values leave a gap that is marked, never a zero."""

from __future__ import annotations

from collections.abc import Sequence

_LEVELS = "▁▂▃▄▅▆▇█"
UNKNOWN_MARK = "·"


def sparkline(values: Sequence[float | None], width: int = 60) -> str:
    """Return one character a value; more values than `width` share one, the largest standing for them."""
    shown = _grouped(values, width)
    known = [value for value in shown if value is not None]
    if not known:
        return UNKNOWN_MARK * len(shown)
    low, high = min(0.0, *known), max(known)
    span = (high - low) or 1.0
    return "".join(
        UNKNOWN_MARK if value is None else _LEVELS[round((value - low) / span * (len(_LEVELS) - 1))] for value in shown
    )


def histogram(values: Sequence[float], bins: int = 10, low: float = 0.0, high: float = 1.0) -> str:
    """Return the distribution of `values` between `low` and `high` (those beyond count at the ends)."""
    counts = [0] * bins
    span = (high - low) or 1.0
    for value in values:
        counts[min(bins - 1, max(0, int((value - low) / span * bins)))] += 1
    return sparkline(counts, bins)


def bar(start: float, end: float, width: int) -> str:
    """Return a bar from `start` to `end`, both fractions of `width`; at least one cell is drawn."""
    first = min(width - 1, max(0, int(start * width)))
    last = max(first + 1, min(width, round(end * width)))
    return " " * first + "█" * (last - first) + " " * (width - last)


def meter(done: float, width: int) -> str:
    """Return how much of `width` cells is done, `done` from 0 to 1; all of them only at the end."""
    cells = min(int(done * width), width)
    return "█" * cells + "░" * (width - cells)


def _grouped(values: Sequence[float | None], width: int) -> list[float | None]:
    if len(values) <= width:
        return list(values)
    grouped: list[float | None] = []
    for index in range(width):
        chunk = values[index * len(values) // width : (index + 1) * len(values) // width]
        known = [value for value in chunk if value is not None]
        grouped.append(max(known) if known else None)
    return grouped
