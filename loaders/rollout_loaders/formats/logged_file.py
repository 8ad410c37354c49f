"""What the readers of logs and trajectories share: the artifact around a builder, and whole documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Protocol

from rollout_loaders import source
from rollout_loaders.convert.times import iso
from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.model import (
    Diagnostic,
    Invocation,
    JsonObject,
    JsonValue,
    Rollout,
    RolloutSummary,
    is_object,
)
from rollout_loaders.reader import ReadOptions

from . import fields
from .json_prefix import closed_prefixes
from .line_records import BOM

_STEM = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
NOT_SPLIT = "no Gym Model Server wrote this: think tags are literal text"


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

    def __call__(self, path: Path, shown: str, options: ReadOptions, left_over: list[Diagnostic]) -> Iterator[Rollout]:
        """`left_over` gets the diagnostics of what gave no rollout."""
        ...


@dataclass(slots=True)
class LoggedFile:
    """An opened file; it is read anew on each pass."""

    file: Path
    path: str
    format: str
    options: ReadOptions
    build: Build
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
        return next((found for found in self.rollouts() if locator in (found.id, found.source.locator)), None)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Of what gave no rollout; complete after a full pass."""
        return tuple(self._left_over)


def first_prompt(root: Invocation, *, kind: str | None = None, synthetic: bool = True) -> str | None:
    """The first text that a user sent, answered or not; of one kind and without synthetic ones where that is asked."""
    inputs = chain((message for turn in root.turns for message in turn.input), root.trailing_input)
    return next(
        (
            message.text
            for message in inputs
            if message.role == "user" and kind in (None, message.kind) and (synthetic or not message.synthetic)
        ),
        None,
    )


def refuse_forced_split(shown: str, options: ReadOptions, whose: str = "its") -> None:
    """Raises `ReadError` where the gate was forced on (CONTRACT 4.2): no Gym Model Server wrote these replies."""
    if options.gym_reasoning is True:
        reason = f"{whose} think tags are literal text, so the think split cannot be forced on"
        raise ReadError(shown, reason, "leave --gym-reasoning out")


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
        if moment.tzinfo is None:
            return value
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):  # no time, or one of the first or last hours that are
        return value
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
