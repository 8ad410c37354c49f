"""JSON in and out: orjson first, and one tolerant standard-library path behind it.

Real files hold NaN, lone surrogates, byte order marks, control characters, integers beyond 64 bits and absurd nesting.
None of that may cost the record: the tolerant path reads it and says what it met. What is no JSON at all is `BadJson`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import cast

import orjson

from rollout_loaders.fast_dataclass import dataclass

from .first_line import taken
from .jsonnesting import deep_spans, folded
from .model.jsontypes import JsonValue

_BOM = b"\xef\xbb\xbf"
_DIGITS_TO_ZERO = bytes(0x30 if 0x30 <= code <= 0x39 else 0x20 for code in range(256))
_NINETEEN_DIGITS = b"0" * 19
_FOUR_DIGITS = b"0" * 4
_LONG_INTEGER = re.compile(rb"(?:^|[\[:,\s-])\d{19,}(?=[\s,\]}]|$)")
_CONTROL_CHARACTER = "Invalid control character"  # all that `strict` forbids, so all that reading without it may mend
_LONG_DIGITS = 4300  # Python refuses to convert more: a guard against quadratic time.
_MOST_NOTES = 10
_SHORT = 400
_TOLERABLE = re.compile(rb"[^ -~]|[NI\\]|[0-9][eE]|[0-9]{19}")
"""What orjson refuses and the tolerant path may read: NaN, escapes, control characters, numbers beyond a double."""
_NOT_PLAIN = re.compile("[^\x00-\x7e]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


class BadJson(ValueError):
    """Not JSON."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason, offset)

    @property
    def reason(self) -> str:
        """What is wrong."""
        return self._said()[0]

    @property
    def offset(self) -> int:
        """The byte at which reading stopped."""
        return self._said()[1]

    def __str__(self) -> str:
        return f"{self.reason} at byte {self.offset}"

    def _said(self) -> tuple[str, int]:
        reason, offset = self.args
        return reason, offset


class _PlainlyBad(BadJson):
    """What is wrong is looked for when somebody asks: of very many damaged lines only a hundred are described."""

    def __init__(self, raw: bytes) -> None:
        ValueError.__init__(self, raw)

    def _said(self) -> tuple[str, int]:
        return _wrong_with(self.args[0])


@lru_cache(maxsize=64)
def _wrong_with(raw: bytes) -> tuple[str, int]:
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        return error.msg, error.pos
    raise AssertionError(raw)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded value, and what had to be tolerated: `(code, message)`, each code once."""

    value: JsonValue
    problems: tuple[tuple[str, str], ...] = ()


def decode(raw: bytes) -> Decoded:
    """Decode one JSON document.

    Returns: the value; non-finite numbers stay floats (`encode` writes them as null), integers stay exact, values
    nested deeper than `jsonnesting.MAX_DEPTH` become their own JSON text as a string.
    Problem codes: `bom`, `non-finite-number`, `big-integer`, `lone-surrogate`, `invalid-utf8`, `control-character`,
    `deep-nesting`.
    Raises: `BadJson`.
    """
    deep = deep_spans(raw)
    if not deep and not has_long_integer(raw):
        value = taken(raw)
        try:
            return Decoded(cast(JsonValue, orjson.loads(raw) if value is None else value))
        except orjson.JSONDecodeError:
            return _refused(raw, deep)
    return _Tolerant(raw, deep).decode()


def decode_refused(raw: bytes) -> Decoded:
    """As `decode`, of what orjson has refused already."""
    return _refused(raw, deep_spans(raw))


def _refused(raw: bytes, deep: Sequence[tuple[int, int]]) -> Decoded:
    if len(raw) < _SHORT and _TOLERABLE.search(raw) is None:
        raise _PlainlyBad(raw)
    return _Tolerant(raw, deep).decode()


def has_long_integer(raw: bytes) -> bool:
    """Whether an integer token of 19 digits or more may be in `raw`: orjson makes floats of those beyond 64 bits."""
    # Of nineteen digits in a row four stand where every fourth byte does: a quarter of the bytes tells most lines.
    if len(raw) < len(_NINETEEN_DIGITS) or _FOUR_DIGITS not in raw[::4].translate(_DIGITS_TO_ZERO):
        return False
    if _NINETEEN_DIGITS not in raw.translate(_DIGITS_TO_ZERO):
        return False
    return _LONG_INTEGER.search(raw) is not None


class _Tolerant:
    """One reading by the standard library, collecting what it had to tolerate."""

    def __init__(self, raw: bytes, deep: Sequence[tuple[int, int]]) -> None:
        self._raw, self._deep = raw, deep
        self._problems: dict[str, list[str]] = {}
        self._errors = "surrogateescape"
        """How bytes that are no UTF-8 became text, and become bytes again to be counted."""

    def decode(self) -> Decoded:
        raw = self._raw
        start = 0
        if self._deep:
            raw = folded(raw, self._deep)
        if raw.startswith(_BOM):
            self._note("bom", "starts with a byte order mark")
            start = len(_BOM)
            raw = raw[start:]
        if self._deep:
            self._note("deep-nesting", "values nested too deeply are kept as their JSON text")
        text = self._text(raw)
        value = self._load(text, start)
        if "\\u" in text or "lone-surrogate" in self._problems:
            self._look_for_surrogates(value)
        said = [(code, message) for code, messages in self._problems.items() for message in messages]
        return Decoded(value, tuple(said))

    def _text(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as bad:
            offset = bad.start
        try:
            text = raw.decode("utf-8", "surrogatepass")
            self._note("lone-surrogate", f"a surrogate is encoded as UTF-8 at byte {offset}")
            self._errors = "surrogatepass"
            return text
        except UnicodeDecodeError as bad:
            self._note(
                "invalid-utf8", f"byte 0x{raw[bad.start]:02x} at {bad.start} is no UTF-8; shown as U+DC80 to U+DCFF"
            )
            return raw.decode("utf-8", "surrogateescape")

    def _load(self, text: str, start: int) -> JsonValue:
        try:
            return self._loads(text, strict=True)
        except json.JSONDecodeError as strict_error:
            if not strict_error.msg.startswith(_CONTROL_CHARACTER):
                raise BadJson(strict_error.msg, self._offset(text, start, strict_error.pos)) from None
            try:
                value = self._loads(text, strict=False)
            except json.JSONDecodeError as error:
                raise BadJson(error.msg, self._offset(text, start, error.pos)) from None
            except RecursionError:
                raise BadJson("nested too deeply", start) from None
            self._note("control-character", strict_error.msg)
            return value
        except RecursionError:
            raise BadJson("nested too deeply", start) from None

    def _offset(self, text: str, start: int, position: int) -> int:
        """The byte of a position; folded text is longer than what stands in the file."""
        return min(start + len(text[:position].encode("utf-8", self._errors)), len(self._raw))

    def _loads(self, text: str, strict: bool) -> JsonValue:
        loaded = json.loads(
            text, strict=strict, parse_constant=self._constant, parse_int=self._integer, parse_float=self._float
        )
        return cast(JsonValue, loaded)

    def _constant(self, literal: str) -> float:
        self._note("non-finite-number", f"{literal} is no JSON number")
        return float(literal)

    def _float(self, literal: str) -> float:
        number = float(literal)
        if math.isinf(number):
            self._note("non-finite-number", f"{_short(literal)} is beyond a double")
        return number

    def _integer(self, literal: str) -> int | str:
        if len(literal) > _LONG_DIGITS:
            self._note("big-integer", f"an integer of {len(literal)} digits is kept as text")
            return literal
        number = int(literal)
        if not -(2**63) <= number < 2**64:
            self._note("big-integer", f"{_short(literal)} does not fit 64 bits; kept exactly")
        return number

    def _look_for_surrogates(self, value: JsonValue) -> None:
        for text in _strings(value):
            found = _SURROGATE.search(text)
            if found is not None:
                if "lone-surrogate" not in self._problems:
                    self._note("lone-surrogate", f"a lone surrogate U+{ord(found[0]):04X} in a string")
                return

    def _note(self, code: str, message: str) -> None:
        """Each literal once (CONTRACT 3), so that a damaged record cannot make a page of them."""
        noted = self._problems.setdefault(code, [])
        if len(noted) < _MOST_NOTES and message not in noted:
            noted.append(message)
            if len(noted) == _MOST_NOTES:
                noted[-1] = "and more of this kind"


def encode(value: object) -> bytes:
    r"""Encode as ASCII-safe JSON (CONTRACT 3): all but U+0000 to U+007E escaped as `\uXXXX`, non-finite numbers null.

    Raises: TypeError for what JSON has no shape for.
    """
    try:
        raw = orjson.dumps(value, default=_mapping)
    except (orjson.JSONEncodeError, RecursionError):
        text = json.dumps(_plain(value, 0), separators=(",", ":"))
        return text.replace("\x7f", "\\u007f").encode("ascii")
    if raw.isascii() and b"\x7f" not in raw:
        return raw
    return _NOT_PLAIN.sub(_escape, raw.decode("utf-8")).encode("ascii")


def _escape(run: re.Match[str]) -> str:
    return encode_basestring_ascii(run[0])[1:-1].replace("\x7f", "\\u007f")


def _mapping(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast(Mapping[str, object], value))
    raise TypeError(f"{type(value).__name__} has no JSON form")


_ENCODE_DEPTH = 400


def _plain(value: object, depth: int) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if depth > _ENCODE_DEPTH:
        return f"(nested deeper than {_ENCODE_DEPTH} levels)"
    if isinstance(value, Mapping):
        items = cast(Mapping[object, object], value).items()
        return {str(key): _plain(item, depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in cast(Sequence[object], value)]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _strings(value: JsonValue) -> Iterator[str]:
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            yield from item
            stack.extend(item.values())
        elif isinstance(item, Sequence):
            stack.extend(item)


def _short(literal: str) -> str:
    return literal if len(literal) <= 40 else f"{literal[:40]}… ({len(literal)} characters)"
