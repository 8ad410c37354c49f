"""What commands write where: documents to stdout as they are read, trouble to stderr, text to a pager."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Protocol

import click

from rollout_loaders import document
from rollout_loaders.collection.opening import LOST
from rollout_loaders.counted_diagnostics import is_count
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, JsonObject
from rollout_views.foreign import visible_line

NOTHING_READABLE = 2
_MOST = 100
_FILES = 20
_FEW = 3
_LINE = re.compile(r"#L(\d+)$")


class Diagnosed(Protocol):
    """What is read, and what is wrong with it: a collection."""

    @property
    def named(self) -> tuple[str, ...]:
        """The PATHs as they may be shown."""
        ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Grows while it is read."""
        ...


@dataclass(slots=True)
class Notices:
    """Prints a collection's diagnostics on stderr, each once, a line each; after a hundred how many of which file."""

    collection: Diagnosed
    _seen: int = 0
    _printed: int = 0
    _left_out: Counter[str] = field(default_factory=Counter[str])

    @property
    def lost(self) -> bool:
        """Whether a server did not give all that it was asked for."""
        return any(diagnostic.code == LOST for diagnostic in self.collection.diagnostics)

    def print_new(self) -> None:
        """Print what came since the last call."""
        known = self.collection.diagnostics
        for diagnostic in known[self._seen :]:
            if self._printed < _MOST or is_count(diagnostic):
                print_error(sentence(diagnostic))
                self._printed += 1
            else:
                self._left_out[_file_of(diagnostic)] += 1
        self._seen = len(known)

    def finish(self) -> None:
        """Print the rest and the count of what was left out."""
        self.print_new()
        ranked = self._left_out.most_common()
        for path, number in ranked[:_FILES]:
            print_error(f"{path}: and {number:,} more {'line' if number == 1 else 'lines'} like these")
        others = ranked[_FILES:]
        if others:
            print_error(f"and {sum(number for _, number in others):,} more of {len(others):,} other files")
        self._left_out.clear()


def _file_of(diagnostic: Diagnostic) -> str:
    return _LINE.sub("", diagnostic.locator or "") or "elsewhere"


def sentence(diagnostic: Diagnostic) -> str:
    """`path:line: what`."""
    locator = diagnostic.locator
    if locator is None:
        return diagnostic.message
    line = _LINE.search(locator)
    where = f"{locator[: line.start()]}:{line[1]}" if line is not None else locator
    return f"{where}: {diagnostic.message.removeprefix(f'{where}: ')}"


def print_error(text: str) -> None:
    """One line on stderr, foreign characters made visible."""
    click.echo(visible_line(text), err=True)


def print_json(document_: JsonObject) -> None:
    """One document, one line, ASCII-safe, written at once."""
    sys.stdout.write(document.encode(document_).decode("ascii") + "\n")
    sys.stdout.flush()


def print_documents(documents: Iterable[JsonObject], collection: Diagnosed) -> int:
    """One document a line as it is read, what is wrong on stderr meanwhile. Returns the exit code."""
    notices, count = Notices(collection), 0
    for one in documents:
        print_json(one)
        notices.print_new()
        count += 1
    return exit_code(count, notices)


def is_terminal() -> bool:
    """True when a person reads stdout."""
    return sys.stdout.isatty()


def print_lines(lines: Iterable[str], *, paged: bool) -> None:
    """Lines that are visible already, through the pager when asked and a person reads."""
    if paged and is_terminal():
        # click gives less its -R and takes the colours out for a pager that would show their codes.
        click.echo_via_pager(_with_newlines(lines))
        return
    for line in lines:
        click.echo(line)


def _with_newlines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"{line}\n"


def exit_code(count: int, notices: Notices, what: str = "rollout") -> int:
    """2 when nothing was readable, with at least one line that says so, and when a server broke off; else 0."""
    notices.finish()
    if notices.lost:
        return NOTHING_READABLE
    if count:
        return 0
    if not notices.collection.diagnostics:
        named = notices.collection.named
        more = f" and {len(named) - _FEW} more" if len(named) > _FEW else ""
        print_error(f"{', '.join(named[:_FEW])}{more}: read to the end, and no {what} in it")
    return NOTHING_READABLE
