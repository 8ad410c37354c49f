"""Which reader takes a file: the built-in ones in a fixed order, then those of other distributions."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rollout_loaders.fast_dataclass import dataclass

from . import first_line, source
from .errors import ReadError, UnknownFormatError
from .model import Diagnostic
from .reader import ENTRY_POINT_GROUP, Confidence, Reader

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BUILT_IN = (
    "opencode_sqlite",
    "opencode_storage",
    "opencode_export",
    "opencode_stdout",
    "pi_events",
    "openclaw",
    "pi_session",
    "gym_rollouts",
    "gym_failures",
    "verifiers_results",
    "atif",
    "claude_code",
    "codex_exec",
    "mini_swe",
)
"""Modules of `rollout_loaders.formats`, in the order in which they are asked; the first of the surest takes a file."""
_LARGEST = ("gym_rollouts", "verifiers_results")
"""Readers of the largest files (`.jsonl`), asked first of such a file, so that a list of them imports no other."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The reader that takes a file, or None, and what went wrong while asking."""

    reader: Reader | None
    confidence: Confidence = Confidence.NO
    diagnostics: tuple[Diagnostic, ...] = ()


def each(first: tuple[str, ...] = ()) -> Iterator[Reader]:
    """All readers in asking order: built-in ones, `first` before the others, then those of `ENTRY_POINT_GROUP` by name.

    A built-in one is imported when its turn comes, and a sure one early in the order ends the asking.
    """
    yield from map(_built_in, (*first, *(name for name in BUILT_IN if name not in first)))
    yield from _installed()[0]


@cache
def readers() -> tuple[Reader, ...]:
    """The same, all of them."""
    return tuple(each())


def problems() -> tuple[Diagnostic, ...]:
    """Readers of other distributions that could not be loaded, where a file was met that these were asked about.

    Looking for them goes through every distribution that is installed, which takes longer than listing a file.
    """
    return _installed()[1] if _installed.cache_info().currsize else ()


@cache
def _built_in(name: str) -> Reader:
    return cast(Reader, importlib.import_module(f"rollout_loaders.formats.{name}").READER)


@cache
def _installed() -> tuple[tuple[Reader, ...], tuple[Diagnostic, ...]]:
    from importlib.metadata import entry_points  # looks through every distribution that is installed

    found: list[Reader] = []
    wrong: list[Diagnostic] = []
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda p: p.name):
        try:
            found.append(_from_entry_point(point))
        except Exception as error:  # another distribution's code: its fault must not cost the built-in readers
            wrong.append(
                Diagnostic("reader-unusable", f"reader {point.name} ({point.value}) could not be loaded: {error!r}")
            )
    return tuple(found), tuple(wrong)


def _from_entry_point(point: EntryPoint) -> Reader:
    loaded: object = point.load()
    reader = loaded() if isinstance(loaded, type) else loaded
    if not isinstance(getattr(reader, "name", None), str):
        raise TypeError("it has no name")
    for method in ("sniff", "open"):
        if not callable(getattr(reader, method, None)):
            raise TypeError(f"it has no {method}()")
    return cast(Reader, reader)


def names() -> tuple[str, ...]:
    """Names for `--reader`, in asking order."""
    return tuple(reader.name for reader in readers())


def named(name: str) -> Reader:
    """The reader that `--reader NAME` forces; `_` and `-` are the same. Raises `ReadError`."""
    wanted = name.strip().lower().replace("_", "-")
    for reader in each():
        if reader.name.lower().replace("_", "-") == wanted:
            return reader
    raise ReadError(f"--reader {name}", "no such reader", f"one of: {', '.join(names())}")


def sniff(path: Path, head: bytes) -> Choice:
    """Ask every reader; the surest takes the file, the first asked of equals. `head` is empty for a folder."""
    return sniff_with(each(_LARGEST if path.name.endswith(".jsonl") else ()), path, head)


def sniff_with(asked: Iterable[Reader], path: Path, head: bytes) -> Choice:
    """Ask these readers only."""
    best: Reader | None = None
    confidence = Confidence.NO
    wrong: list[Diagnostic] = []
    for reader in asked:
        try:
            judged = Confidence(reader.sniff(path, head))
        except Exception as error:  # a reader that fails on a foreign file has only lost its say
            said = f"reader {reader.name} failed while sniffing: {error!r}"
            wrong.append(Diagnostic("reader-failed", said, str(path)))
            continue
        if judged > confidence:
            best, confidence = reader, judged
        if confidence is Confidence.CERTAIN:
            break
    first_line.told()
    return Choice(best, confidence, tuple(wrong))


def choose(path: Path, shown: str, forced: str | None = None) -> Choice:
    """The reader for one named file or folder. Raises `ReadError`, and `UnknownFormatError` with what was tried."""
    if forced is not None:
        return Choice(named(forced), Confidence.CERTAIN)
    choice = sniff(path, b"" if path.is_dir() else source.head(path))
    if choice.reader is None:
        raise UnknownFormatError(shown, names())
    return choice
