"""The text of an OpenCode export, also with text before it, also cut off: every record that is whole (formats 1.8).

`opencode export` into a pipe loses its end at multiples of 64 KiB, and its first line goes to stderr, which a shell may
have merged into the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import cast

from rollout_loaders import jsondecode
from rollout_loaders.counted_diagnostics import MOST, more
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, JsonObject, JsonValue

from . import fields

START = re.compile(rb'\{\s*"(?:info|messages|usage_messages)"\s*:')
BRACE = re.compile(rb'\{\s*["}]')
MESSAGE = re.compile(r'\{\s*"info"\s*:')
WHITE = re.compile(r"\s*")
MOST_IN_VAIN = 20
"""Times the length of a document that its damaged messages may be read in vain, each up to where it breaks."""
WINDOW = 1 << 10
"""Characters that a value is looked for in before more of the text is taken."""
EDGE = 16
"""An error or an end this close to the end of a window may be the window's own doing: a number or an escape cut off."""


@dataclass(slots=True)
class RawMessage:
    """One message of an export."""

    info: JsonObject
    parts: list[JsonObject] = field(default_factory=list[JsonObject])
    damaged: bool = False
    """A part of it was lost."""
    run: list[JsonValue] | None = None
    """Records in a row that are no messages, where there are too many to show each by itself."""


@dataclass(slots=True)
class RawExport:
    """One export document."""

    info: JsonObject = field(default_factory=dict[str, JsonValue])
    messages: list[RawMessage] = field(default_factory=list[RawMessage])
    usage_messages: list[JsonObject] | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    seen: int = 0
    """Records of its list of messages."""
    lost: int = 0
    """Records that are no messages."""
    cut: str | None = None
    """Why messages may be missing; None when the list of messages is closed."""
    extra: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


def scan(raw: bytes) -> RawExport | None:
    """Read an export; None when there is no beginning of one in `raw`."""
    start = START.search(raw) or BRACE.search(raw)
    if start is None:
        return None
    try:
        decoded = jsondecode.decode(raw[start.start() :])
    except jsondecode.BadJson:
        return _Scanner(raw, start.start()).read()
    if not isinstance(decoded.value, Mapping):
        return None
    export = _whole(decoded.value)
    export.diagnostics += [Diagnostic(code, message) for code, message in decoded.problems]
    return export


def _whole(document: JsonObject) -> RawExport:
    export = RawExport(info=fields.mapping(document, "info"))
    for value in fields.array(document, "messages"):
        _add_message(value, export)
    _say_lost(export)
    _take_rest(export, document)
    return export


def _take_rest(export: RawExport, document: JsonObject) -> None:
    if "usage_messages" in document:
        export.usage_messages = list(fields.objects(document, "usage_messages"))
    known = ("info", "messages", "usage_messages")
    export.extra = {key: value for key, value in document.items() if key not in known}


def _add_message(value: JsonValue, export: RawExport) -> None:
    """The next message. One without `info` is kept as it stands; behind a hundred, those in a row together."""
    export.seen += 1
    if isinstance(value, Mapping) and isinstance(value.get("info"), Mapping):
        export.messages.append(_message(value, export.seen, export))
        return
    export.lost += 1
    if export.lost <= MOST:
        text = f"message {export.seen} of the export has no `info`; it is kept as it stands"
        export.diagnostics.append(Diagnostic("record-unreadable", text, f"message {export.seen}"))
        export.messages.append(RawMessage({"raw": value}, damaged=True))
        return
    if not export.messages or export.messages[-1].run is None:
        run: list[JsonValue] = []
        export.messages.append(RawMessage({"records": run}, damaged=True, run=run))
    cast("list[JsonValue]", export.messages[-1].run).append(value)


def _say_lost(export: RawExport) -> None:
    if export.lost > MOST:
        export.diagnostics.append(more("record-unreadable", export.lost - MOST))


def _message(value: JsonObject, number: int, export: RawExport) -> RawMessage:
    message = RawMessage(fields.mapping(value, "info"))
    strays: list[JsonValue] = []
    for part in fields.array(value, "parts"):
        if isinstance(part, Mapping):
            message.parts.append(part)
        else:
            strays.append(part)
    if strays:
        message.damaged = True
        message.parts.append({"type": "unreadable", "records": strays})
        what = f"a part of message {fields.text(message.info, 'id')} is no object: {str(strays[0])[:80]}"
        others = f", and {len(strays) - 1:,} more of it" if len(strays) > 1 else ""
        export.diagnostics.append(Diagnostic("record-unreadable", what + others, f"message {number}"))
    return message


class _Cut(Exception):
    """The text ends or breaks inside a value that starts at `position`."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class _Scanner:
    """Goes through a damaged document value by value; each whole one is decoded once."""

    def __init__(self, raw: bytes, start: int) -> None:
        self._size = len(raw)
        self._text = raw[start:].decode("utf-8", "surrogateescape")
        self._start = start
        self._at = 0
        self._good = 0
        """End of the last whole record."""
        self._decoder = json.JSONDecoder(strict=False)
        self._export = RawExport()
        self._document: dict[str, JsonValue] = {}
        self._closed = False
        self._spent = 0
        """Characters that were read in vain."""
        self._counted = (0, 0)
        """A position and its byte: the latest that was asked for."""

    def read(self) -> RawExport:
        try:
            for key in self._keys():
                self._member(key)
            self._trailing()
        except (_Cut, RecursionError):
            self._say_cut()
        _say_lost(self._export)
        self._export.info = fields.mapping(self._document, "info")
        _take_rest(self._export, self._document)
        return self._export

    def _byte(self, position: int) -> int:
        at, byte = self._counted if self._counted[0] <= position else (0, 0)
        byte += len(self._text[at:position].encode("utf-8", "surrogateescape"))
        self._counted = (position, byte)
        return self._start + byte

    def _say_cut(self) -> None:
        text = (
            f"the export is cut off or damaged: it ends at byte {self._size} without its closing brackets, and "
            f"its last whole record ends at byte {self._byte(self._good)}"
        )
        self._export.diagnostics.append(Diagnostic("artifact-truncated", text, f"byte {self._size}"))
        if not self._closed:
            self._export.cut = f"the export is cut off at byte {self._size}: later messages may be missing"

    def _trailing(self) -> None:
        rest = self._text[self._at :].strip()
        if rest:
            text = f"{len(rest)} characters follow the document at byte {self._byte(self._at)}: {rest[:60]!r}"
            self._export.diagnostics.append(Diagnostic("trailing-text", text))

    def _skip(self) -> str:
        match = WHITE.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at
        return self._text[self._at : self._at + 1]

    def _expect(self, character: str) -> None:
        if self._skip() != character:
            raise _Cut(self._at)
        self._at += 1

    def _value(self) -> JsonValue:
        self._skip()
        begin = self._at
        try:
            value, self._at = self._decoded(begin)
        except ValueError:
            raise _Cut(begin) from None
        self._good = self._at
        return value

    def _decoded(self, begin: int) -> tuple[JsonValue, int]:
        """The value at `begin` and where it ends. Raises `ValueError`.

        In a window first: an error of the decoder counts the lines of all the text that it was given.
        """
        size = WINDOW
        while True:
            window = self._text[begin : begin + size]
            inside = size - EDGE if begin + size < len(self._text) else size + 1
            try:
                value, end = cast("tuple[JsonValue, int]", self._decoder.raw_decode(window))
                if end < inside:
                    return value, begin + end
            except json.JSONDecodeError as error:
                if inside > size or (error.pos < inside and not error.msg.startswith("Unterminated string")):
                    self._spent += error.pos
                    raise
            size *= 8

    def _keys(self) -> Iterator[str]:
        """Keys of the object at the position; the caller reads each value."""
        self._expect("{")
        if self._skip() == "}":
            self._at += 1
            return
        while True:
            key = self._value()
            if not isinstance(key, str):
                raise _Cut(self._at)
            self._expect(":")
            yield key
            if self._skip() == "}":
                self._at += 1
                return
            self._expect(",")

    def _elements(self) -> Iterator[None]:
        """One step an element of the array at the position; the caller reads each element."""
        self._expect("[")
        if self._skip() == "]":
            self._at += 1
            return
        yield from self._again()

    def _member(self, key: str) -> None:
        if key == "messages" and self._skip() == "[":
            self._messages()
        else:
            self._document[key] = self._value()

    def _messages(self) -> None:
        elements = self._elements()
        while True:
            try:
                if next(elements, self) is self:
                    self._closed = True
                    return
                self._one()
            except _Cut as cut:
                following = MESSAGE.search(self._text, cut.position + 1)
                if following is None or self._spent > MOST_IN_VAIN * len(self._text):
                    raise
                self._damaged(cut.position)
                self._at = following.start()
                elements = self._again()

    def _again(self) -> Iterator[None]:
        """Inside an array with an element at the position: its first, or the one behind a damaged one."""
        while True:
            yield None
            if self._skip() == "]":
                self._at += 1
                return
            self._expect(",")

    def _damaged(self, position: int) -> None:
        offset = self._byte(position)
        text = f"the message record around byte {offset} is damaged; what is whole in it was read"
        self._export.diagnostics.append(Diagnostic("record-unreadable", text, f"byte {offset}"))

    def _one(self) -> None:
        self._skip()
        begin = self._at
        try:
            value = self._value()
        except _Cut:
            self._at = begin
            self._broken()
            raise
        _add_message(value, self._export)

    def _broken(self) -> None:
        """The whole values of a message that is not whole itself."""
        message: RawMessage | None = None
        for key in self._keys():
            if key == "parts" and message is not None and self._skip() == "[":
                for _ in self._elements():
                    part = self._value()
                    if isinstance(part, Mapping):
                        message.parts.append(part)
                continue
            value = self._value()
            if key == "info" and isinstance(value, Mapping):
                message = RawMessage(value, damaged=True)
                self._export.seen += 1
                self._export.messages.append(message)
