"""The long first line of the file whose format was told last: it was decoded for that, and need not be again.

A file of one rollout of some megabytes was decoded three times: to tell its format, to list it and to read it.
"""

from __future__ import annotations

from typing import Any

LONGEST = 4 * 1024 * 1024
"""Bytes of a line that may be kept after its format was told: what was decoded takes many times as much."""
_NOTHING: tuple[bytes, bytes, Any] = (b"", b"", None)
_kept = _NOTHING


def keep(head: bytes, raw: bytes, value: Any) -> None:
    """Keep what `orjson.loads` made of a line (`raw`, without its newline) of the file that begins with `head`."""
    global _kept  # noqa: PLW0603 - one place, swapped as a whole
    _kept = (head, raw, value)


def told() -> None:
    """Let go of a very long line when its format was told."""
    global _kept  # noqa: PLW0603
    if len(_kept[1]) > LONGEST:
        _kept = _NOTHING


def under(head: bytes) -> Any:
    """What the line holds that was kept with this very object; None where none was.

    Another reading of the same file, with a head of its own, may meet another line.
    """
    kept, _, value = _kept
    return value if kept is head else None


def known(raw: bytes | memoryview) -> Any:
    """What `orjson.loads` made of the same bytes, None where that is not known. Nobody may change it."""
    _, kept, value = _kept
    return value if len(kept) == len(raw) and kept == bytes(raw) else None


def taken(raw: bytes) -> Any:
    """As `known`; it is not kept any longer."""
    global _kept  # noqa: PLW0603
    value = known(raw)
    if value is not None:
        _kept = _NOTHING
    return value
