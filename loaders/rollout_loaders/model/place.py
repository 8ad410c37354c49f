"""Where in a rollout something stands, and a sentence that rests on such a place."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A place in one rollout; every field may be unknown.

    The printed form that the command line accepts again is made by `rollout_loaders.locator`.
    """

    invocation: str | None = None
    turn: int | None = None
    """1-based, as `Turn.number`."""
    item_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence of a `because` list, ready to paste, with what it rests on."""

    text: str
    where: Place | None = None
    rests_on: str | None = None
    """The recorded field or item it was read from, e.g. `failure_reason` or `response.output[3]`."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What went wrong while reading, without ending the reading (`no-final-newline`, `record-unreadable`)."""

    code: str
    message: str
    locator: str | None = None
    """`L17`, a session id, or the path for a diagnostic of a whole file."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Evidence that its producer says is missing (gym-semantics 3.8)."""

    code: str
    invocation_id: str | None = None
    detail: str | None = None
    meaning: str | None = None
    """One sentence; None for a code that the table of 3.8 does not have."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a reviewer should know, with its place. `code` is a key of `evidence.findings`."""

    code: str
    severity: str
    """`error`, `warning` or `info`."""
    message: str
    where: Place | None = None
