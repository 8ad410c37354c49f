"""How much is read of one thing at most, and the environment variable that raises it (issue 7, Trust).

A bound is never silent: what lies beyond it is a `ReadError` that names the variable, or is kept as text.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from .errors import BeyondError


class Bound(NamedTuple):
    """One bound. The environment is asked each time, so that a test or a notebook can change it."""

    variable: str
    default: int
    unit: str
    most: int | None = None
    """What the variable cannot raise it above."""
    least: int = 1
    """What it cannot lower it below."""

    @property
    def value(self) -> int:
        """The bound that holds: the variable where it is a positive integer, else the default."""
        given = os.environ.get(self.variable, "").strip().replace("_", "")
        number = int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0
        value = number or self.default
        return max(value if self.most is None else min(value, self.most), self.least)

    def beyond(self, shown: str, what: str) -> BeyondError:
        """The error of what goes beyond: `what` says what it is, e.g. `line 17`."""
        return BeyondError(shown, f"{what} is beyond {self.value:,} {self.unit}", f"set {self.variable} to read it all")


FILE = Bound("ROLLOUT_INSPECT_MAX_FILE", 4 * 1024**3, "bytes")
"""A file that is one document, a private copy of a database, and what comes through standard input."""
LINE = Bound("ROLLOUT_INSPECT_MAX_LINE", 1024**3, "bytes")
"""One line of a JSON Lines file."""
PARTS = Bound("ROLLOUT_INSPECT_MAX_PARTS", 5_000_000, "records")
"""Records of one session: rows of a database's table, events of a log."""
NESTING = Bound("ROLLOUT_INSPECT_MAX_NESTING", 200, "levels", most=240, least=16)
"""Nesting of a JSON value, never less than a plain row has; deeper values are kept as their own JSON text.

orjson writes 254 levels."""
TIMEOUT = Bound("ROLLOUT_INSPECT_REMOTE_TIMEOUT", 60, "seconds")
"""How long one request to a server may take, of the few megabytes that a request asks for."""
ENTRIES = 2_000_000
"""What one search of a folder, or one listing of a server, looks at; no variable raises it."""
ALL = (FILE, LINE, PARTS, NESTING, TIMEOUT)
"""Every bound, for the documentation and its test."""
