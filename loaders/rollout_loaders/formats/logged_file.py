"""What the readers of other harnesses' files share: records of a file by line, and the artifact around a builder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from rollout_loaders import source
from rollout_loaders.convert.times import iso
from rollout_loaders.errors import ReadError
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import iter_lines
from rollout_loaders.model import (
    Diagnostic,
    Invocation,
    JsonObject,
    JsonValue,
    Rollout,
    RolloutSummary,
    StoredPart,
    is_object,
)
from rollout_loaders.reader import ReadOptions

from . import fields
from .json_prefix import closed_prefixes

KEPT_TEXT = 65536
_STEM = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
BOM = b"\xef\xbb\xbf"
NOT_SPLIT = "no Gym Model Server wrote this: think tags are literal text"


@dataclass(frozen=True, slots=True)
class Record:
    """One line. `data` None: damaged, and `part` holds its text."""

    number: int
    data: JsonObject | None
    part: StoredPart | None = None

    @property
    def where(self) -> str:
        """Its locator."""
        return f"L{self.number}"


def records(path: Path, diagnostics: list[Diagnostic], only: int | None = None) -> Iterator[Record]:
    """Every object line of a file; a damaged one costs itself and a diagnostic, and is never passed over silently.

    With `only`, the line of that number alone is decoded.
    """
    for line in iter_lines(path):
        if only is not None and line.number != only:
            if line.number > only:
                return
            continue
        data = line.data.removeprefix(BOM) if line.number == 1 else line.data
        if not data.strip():
            continue
        where = f"L{line.number}"
        try:
            decoded = decode(data)
            reason = "" if is_object(decoded.value) else "no object"
        except BadJson as bad:
            decoded, reason = None, str(bad)
        if decoded is None or not is_object(decoded.value):
            code = "record-unreadable" if line.terminated else "torn-line"
            message = reason if line.terminated else f"the last line is not complete: {reason}"
            diagnostics.append(Diagnostic(code, message, where))
            yield Record(line.number, None, unreadable(data, where))
            continue
        diagnostics.extend(Diagnostic(code, message, where) for code, message in decoded.problems)
        if not line.terminated:
            message = "the last line is complete but has no newline"
            diagnostics.append(Diagnostic("no-final-newline", message, where))
        yield Record(line.number, decoded.value)


def unreadable(data: bytes, where: str) -> StoredPart:
    """The text of a damaged record, so that nothing of it is hidden."""
    text = data[:KEPT_TEXT].decode("utf-8", "replace")
    left_out = len(data) - KEPT_TEXT
    shown = f"{text} … ({left_out:,} more bytes)" if left_out > 0 else text
    return StoredPart(where, where, "unreadable", {"text": shown}, locator=where)


CUT = "artifact-truncated"


def document(path: Path, shown: str, diagnostics: list[Diagnostic]) -> JsonObject:
    """A file that is one JSON object; of one that is cut off, what stands before the cut, with the diagnostic `CUT`.

    Raises `ReadError` for anything else.
    """
    raw = source.read_whole(path).removeprefix(BOM)
    try:
        decoded = decode(raw)
    except BadJson as bad:
        found = _before_the_cut(raw)
        if found is None:
            hint = "its writer may not have finished"
            raise ReadError(shown, f"is no complete JSON document: {bad}", hint) from bad
        value, at = found
        said = f"the document is cut off or damaged at byte {at:,} of {len(raw):,}: what stands before it was read"
        diagnostics.append(Diagnostic(CUT, said))
        return value
    if not is_object(decoded.value):
        raise ReadError(shown, "is no JSON object", "name another file")
    diagnostics.extend(Diagnostic(code, message, None) for code, message in decoded.problems)
    return decoded.value


def _before_the_cut(raw: bytes) -> tuple[JsonObject, int] | None:
    for prefix, at in closed_prefixes(raw):
        try:
            value = decode(prefix).value
        except BadJson:
            continue
        if is_object(value) and value:
            return value, at
    return None


def cut_off(root: Invocation, diagnostics: Sequence[Diagnostic]) -> Invocation:
    """The root with its last turn marked where the document is cut off: turns may be missing behind it."""
    if not root.turns or all(diagnostic.code != CUT for diagnostic in diagnostics):
        return root
    last = replace(root.turns[-1], unfinished="the document is cut off behind the last turn that it holds")
    return replace(root, turns=(*root.turns[:-1], last))


class Build(Protocol):
    """Reads a file into rollouts, in file order."""

    def __call__(
        self, path: Path, shown: str, options: ReadOptions, left_over: list[Diagnostic], only: int | None = None
    ) -> Iterator[Rollout]:
        """`left_over` gets the diagnostics of what gave no rollout; `only` is the one line wanted of a file of rows."""
        ...


@dataclass(slots=True)
class LoggedFile:
    """An opened file; it is read anew on each pass."""

    file: Path
    path: str
    format: str
    options: ReadOptions
    build: Build
    rows: bool = False
    """Every line is a rollout of its own, so that one can be read without the others."""
    _left_over: list[Diagnostic] = field(default_factory=lambda: [])

    def rollouts(self) -> Iterator[Rollout]:
        """Every rollout, in file order."""
        self._left_over = []
        yield from self.build(self.file, self.path, self.options, self._left_over)

    def summaries(self) -> Iterator[RolloutSummary]:
        """The same, as lines of a list."""
        from rollout_loaders.evidence import complete
        from rollout_loaders.summary import summarise

        for rollout in self.rollouts():
            yield summarise(complete(rollout, self.options))

    def find(self, locator: str) -> Rollout | None:
        """By id or locator."""
        if self.rows and locator.startswith("L") and locator[1:].isdigit():
            return next(iter(self.build(self.file, self.path, self.options, [], int(locator[1:]))), None)
        return next((found for found in self.rollouts() if locator in (found.id, found.source.locator)), None)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Of what gave no rollout; complete after a full pass."""
        return tuple(self._left_over)


def refuse_forced_split(shown: str, options: ReadOptions) -> None:
    """Raises `ReadError` where the gate was forced on: these formats hold no replies through a Gym Model Server."""
    if options.gym_reasoning is True:
        raise ReadError(
            shown, "its think tags are literal text, so the think split cannot be forced on", "leave it out"
        )


def utc(value: JsonValue) -> str | None:
    """A time in ISO 8601 UTC from an ISO text or Unix seconds; a text that is no time stays as it is written."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return iso(value * 1000)
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value
    if moment.tzinfo is None:
        return value
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def file_stem(ident: str | None) -> str | None:
    """An id that may name a file beside the one that is read: a word, never a path."""
    return ident if ident is not None and _STEM.fullmatch(ident) else None


def leftover(data: JsonObject, shown: frozenset[str]) -> JsonObject:
    """The fields that are shown nowhere else."""
    return {key: value for key, value in data.items() if key not in shown}


def attachment(block: JsonObject) -> str:
    """One line for an image, audio or file block: its type, and the size of what it carries."""
    inner = fields.mapping(block, "source") or fields.mapping(block, "image_url") or block
    kind = fields.text(block, "type") or "block"
    mime = fields.text(inner, "media_type") or fields.text(inner, "mimeType") or fields.text(inner, "mime_type")
    path = fields.text(inner, "path") or fields.text(inner, "url")
    data = fields.text(inner, "data")
    words = [mime or kind]
    if path is not None and not path.startswith("data:"):
        words.append(path)
    if data is not None:
        words.append(f"{len(data):,} characters of base64")
    return ", ".join(words)
