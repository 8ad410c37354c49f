"""GitHub workflow commands: `::error file=…,line=…,title=…::message`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .found import Found

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def lines(found: Iterable[Found]) -> Iterator[str]:
    """One annotation a finding."""
    for one in found:
        level = _LEVELS.get(one.severity, "notice")
        yield annotation(level, one.path, one.line, one.code, f"{one.place}: {one.message}")


def annotation(level: str, path: str, line: int | None, title: str, message: str) -> str:
    """One workflow command, its properties and data escaped as the runner expects."""
    where = f",line={line}" if line is not None else ""
    return f"::{level} file={_property(path)}{where},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
