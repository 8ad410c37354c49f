"""Errors that end the reading of an artifact. Damage that does not is a `model.Diagnostic`."""

from __future__ import annotations


class RolloutError(Exception):
    """Base of all errors that a user sees as one line."""


class ReadError(RolloutError):
    """An artifact could not be read at all."""

    def __init__(self, path: str, reason: str, hint: str = "") -> None:
        super().__init__(f"{path}: {reason}" + (f"; {hint}" if hint else ""))
        self.path = path
        self.reason = reason
        self.hint = hint


class BeyondError(ReadError):
    """What is read is beyond a bound."""


class UnknownFormatError(ReadError):
    """No reader takes this file; `tried` names those that were asked."""

    def __init__(self, path: str, tried: tuple[str, ...]) -> None:
        super().__init__(
            path,
            f"unknown format (tried {', '.join(tried)})",
            "name one with --reader if you know better",
        )
        self.tried = tried


class LocatorError(RolloutError):
    """A place that names nothing in its artifact."""
