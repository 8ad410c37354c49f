"""GitHub workflow commands: `::error file=…,line=…,title=…::message`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .found import Found

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def lines(found: Iterable[Found]) -> Iterator[str]:
    """One annotation a finding."""
    for one in found:
        level = _LEVELS.get(one.severity, "notice")
        line = f",line={one.line}" if one.line is not None else ""
        yield (
            f"::{level} file={_property(one.path)}{line},title={_property(one.code)}"
            f"::{_data(f'{one.place}: {one.message}')}"
        )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
