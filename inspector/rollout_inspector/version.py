"""The name and the installed version of the program."""

from __future__ import annotations

NAME = "rollout-inspect"


def version_text() -> str:
    """The installed version."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "unknown (not installed)"
