"""Which lines of a rollouts or sidecar file are records: numbers, offsets, names, and what is wrong with the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

import orjson

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import BadJson, decode_refused
from rollout_loaders.jsonlines import Line, iter_lines
from rollout_loaders.model import Diagnostic, JsonObject, JsonValue

from .row_kind import Refused, RowKind

IsRecord = Callable[[JsonObject], "str | None"]
"""None for a record, else in words why the object is none."""


class Entry(NamedTuple):
    """One record's place. `name` is what its identity gives, None where it has none."""

    number: int
    offset: int
    name: str | None


@dataclass(slots=True)
class Index:
    """Records in file order, and the diagnostics of lines that are none."""

    entries: list[Entry] = field(default_factory=lambda: [])
    diagnostics: list[Diagnostic] = field(default_factory=lambda: [])
    _repeated: frozenset[str] | None = None
    _by_number: dict[int, Entry] = field(default_factory=lambda: {})
    _sharers: dict[str, list[int]] = field(default_factory=lambda: {})

    @property
    def repeated(self) -> frozenset[str]:
        """Names that several records have: each of them is then called by its line (CONTRACT 2)."""
        if self._repeated is None:
            counted = Counter(entry.name for entry in self.entries if entry.name is not None)
            self._repeated = frozenset(name for name, count in counted.items() if count > 1)
        return self._repeated

    def _sharing(self, name: str) -> list[int]:
        """Lines of this name."""
        if not self._sharers:
            for entry in self.entries:
                if entry.name is not None:
                    self._sharers.setdefault(entry.name, []).append(entry.number)
        return self._sharers.get(name, [])

    def id_of(self, entry: Entry) -> str:
        """The rollout's id: its name, or `L<line>` where that is missing or repeated."""
        return entry.name if entry.name is not None and entry.name not in self.repeated else f"L{entry.number}"

    @property
    def by_number(self) -> dict[int, Entry]:
        """Entries by line number."""
        if not self._by_number:
            self._by_number = {entry.number: entry for entry in self.entries}
        return self._by_number

    def find(self, locator: str) -> Entry | None:
        """The entry of `L17`, or of a name that exactly one record has."""
        if is_line(locator):
            found = self.by_number.get(int(locator[1:]))
            if found is not None:
                return found
        return next((entry for entry in self.entries if entry.name == locator and self.id_of(entry) == locator), None)

    def identity_problem(self, entry: Entry) -> Diagnostic | None:
        """Why the record is called by its line."""
        if entry.name is None:
            what = "the row has no task and rollout index and no rollout id"
            return Diagnostic("identity-missing", what, f"L{entry.number}")
        if entry.name not in self.repeated:
            return None
        others = [number for number in self._sharing(entry.name)[:7] if number != entry.number]
        shown = ", ".join(f"L{number}" for number in others[:5]) + (", …" if len(others) > 5 else "")
        return Diagnostic("identity-repeated", f"{entry.name} is also the identity of {shown}", f"L{entry.number}")


def is_line(locator: str) -> bool:
    """Whether a locator is `L17`."""
    return locator[:1] == "L" and locator[1:].isascii() and locator[1:].isdigit() and len(locator) < 20


def build_index(path: Path, shown: str, kind: RowKind) -> Index:
    """One pass over the file. Raises `ReadError`."""
    index = Index()
    for line in iter_lines(path, blank=False):
        read = kind.record(line, shown)
        if isinstance(read, Refused):
            index.diagnostics += read.diagnostics
            continue
        index.entries.append(Entry(line.number, line.offset, kind.name_of(read)))
    return index


def read_record(line: Line, shown: str, is_record: IsRecord) -> JsonObject | Diagnostic:
    """The record of a line, by the fast path where that is enough to know what it is; else why it is none."""
    try:
        value: JsonValue = orjson.loads(line.data)
    except orjson.JSONDecodeError:
        try:
            value = decode_refused(line.data).value
        except BadJson as bad:
            return not_json(line, shown, bad)
    return checked(value, line, shown, is_record)


def checked(value: JsonValue, line: Line, shown: str, is_record: IsRecord) -> JsonObject | Diagnostic:
    """`value` as a record, else the diagnostic of its line."""
    why: str | None = f"a JSON {_kind(value)}, no object"
    if isinstance(value, dict):
        why = is_record(value)
        if why is None:
            return value
    return Diagnostic("record-unreadable", f"{shown}:{line.number}: {why}", f"L{line.number}")


def not_json(line: Line, shown: str, bad: BadJson) -> Diagnostic:
    """A line that is no JSON; a last one without its newline is torn (CONTRACT 2)."""
    where = f"{shown}:{line.number}"
    if not line.terminated:
        return Diagnostic("torn-line", f"{where}: the last line breaks off ({bad}); not read", f"L{line.number}")
    return Diagnostic("record-unreadable", f"{where}: no JSON ({bad})", f"L{line.number}")


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    return {"bool": "boolean", "int": "number", "float": "number", "str": "string"}.get(type(value).__name__, "array")
