"""The long first line of the file whose format was told last: it was decoded for that, and need not be again.

A file of one rollout of some megabytes was decoded three times: to tell its format, to list it and to read it.
"""

from __future__ import annotations

from typing import Any

LONGEST = 16 * 1024 * 1024
"""Bytes of a line that may be kept until another file is opened."""
_kept: tuple[bytes, Any] = (b"", None)


def keep(raw: bytes, value: Any) -> None:
    """Keep what `orjson.loads` made of a line (`raw`, without its newline)."""
    global _kept  # noqa: PLW0603 - one place, swapped as a whole
    _kept = (raw, value) if len(raw) <= LONGEST else (b"", None)


def known(raw: bytes | memoryview) -> Any:
    """What `orjson.loads` made of the same bytes, None where that is not known. Nobody may change it."""
    kept, value = _kept
    return value if len(kept) == len(raw) and kept == bytes(raw) else None
