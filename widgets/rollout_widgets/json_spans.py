"""Members of JSON objects by where they stand in the text, so that some are cut out and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """One key of an object, or one element of an array (its key is ''), as offsets into the text."""

    key: str
    start: int
    value: int
    end: int


class Cut(NamedTuple):
    """A stretch of the text to leave out."""

    start: int
    end: int


class JsonTextError(ValueError):
    """The text is no JSON of the expected shape."""


def members(text: str, start: int) -> list[Member]:
    """Return the members of the object or array that begins at `start`. Raises `JsonTextError`."""
    opening = text[start : start + 1]
    if opening not in ("{", "["):
        raise JsonTextError(f"an object or array was expected at offset {start}")
    closing = "}" if opening == "{" else "]"
    found: list[Member] = []
    position = after_space(text, start + 1)
    while text[position : position + 1] != closing:
        if found:
            position = _past(text, position, ",")
        key, begin = "", position
        if opening == "{":
            key, position = _key(text, position)
        end = _decoded(text, position)[1]
        found.append(Member(key, begin, position, end))
        position = after_space(text, end)
    return found


def cuts(text: str, start: int, unwanted: Callable[[str], bool]) -> list[Cut]:
    """Return what to leave out of the object at `start` to be rid of its unwanted keys, commas included."""
    found = members(text, start)
    kept = next((index for index, member in enumerate(found) if not unwanted(member.key)), None)
    if not found or kept == len(found):
        return []
    if kept is None:
        return [Cut(found[0].start, found[-1].end)]
    made = [Cut(found[0].start, found[kept].start)] if kept else []
    made += [
        Cut(found[index - 1].end, member.end)
        for index, member in enumerate(found)
        if index > kept and unwanted(member.key)
    ]
    return made


def without(text: str, left_out: Iterable[Cut]) -> str:
    """Return the text without the given stretches, which do not overlap."""
    pieces: list[str] = []
    position = 0
    for cut in sorted(left_out):
        pieces.append(text[position : cut.start])
        position = cut.end
    return "".join([*pieces, text[position:]])


def after_space(text: str, position: int) -> int:
    """Return where the next token begins."""
    match = _SPACE.match(text, position)
    return match.end() if match is not None else position


def _key(text: str, position: int) -> tuple[str, int]:
    key, end = _decoded(text, position)
    if not isinstance(key, str):
        raise JsonTextError(f"a key was expected at offset {position}")
    return key, _past(text, after_space(text, end), ":")


def _past(text: str, position: int, mark: str) -> int:
    if text[position : position + 1] != mark:
        raise JsonTextError(f"{mark!r} was expected at offset {position}")
    return after_space(text, position + 1)


def _decoded(text: str, position: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError) as error:
        raise JsonTextError(f"no JSON value at offset {position}: {error}") from error
