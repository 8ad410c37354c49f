"""Words that every match of an expression holds, and every way in which JSON may spell them.

A word of ASCII letters, digits and `_` stands in JSON as it is, or with escapes that `needle_scan` looks for. Letters
of other scripts stand as UTF-8 or as `\\uXXXX`, one by one: an expression says so.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rollout_loaders.fast_dataclass import dataclass

from .needle_scan import ESCAPED_WORD

_MOST_WORDS = 8
"""Alternatives that are looked for at once: each is one more look through the file."""
_LONGEST = 32
_NESTED = 8
"""Backslashes before the `u` of an escape, doubled with each JSON text in a JSON text; a line with more is a hit."""
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_ASCII = re.compile(r"[A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Sought:
    """What `needle_scan.WordScan` looks for."""

    words: tuple[bytes, ...]
    spelled: str
    """An expression for those that are not ASCII."""
    longest_spelled: int


def words_of(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Words of which every match of the pattern holds one, the most telling ones; empty where none are certain."""
    parser: Any = importlib.import_module("re._parser")
    try:
        best = _best(parser.parse(pattern.pattern, pattern.flags))
    except (re.error, RecursionError, OverflowError):
        return ()
    return () if best is None else best


def sought(words: tuple[str, ...], ignore_case: bool) -> Sought:
    """The words as they stand in bytes."""
    plain = [word for word in words if word.isascii() or not ignore_case]
    if ignore_case:  # K and ſ are k and s then
        plain += [twin for word in words if not word.isascii() and (twin := _in_ascii(word)) is not None]
    others = [word for word in words if not word.isascii()]
    spelled = "|".join(["".join(_letter(char, ignore_case) for char in word) for word in others])
    longest = max(map(len, others), default=0) * 2 * (_NESTED + len("uXXXX"))
    if spelled:
        spelled += rf"|\\{{{_NESTED + 1}}}u"
    return Sought(tuple(word.encode() for word in plain), spelled, longest)


def expression(words: tuple[str, ...], ignore_case: bool) -> str | None:
    """All of it as one expression, in ASCII and for bytes.

    None for alternatives and for letters that have a case which is ignored: expressions are the slower means then.
    """
    word, *others = words
    if others or (ignore_case and (word.isascii() or any(len(_same(char, ignore_case)) > 1 for char in word))):
        return None
    return f"{sought(words, ignore_case).spelled or word}|{ESCAPED_WORD}"


def _best(parsed: Any) -> tuple[str, ...] | None:
    """The alternatives of one place that are the easiest to tell apart."""
    return max(_alternatives(parsed), key=lambda words: (min(map(_weight, words)), -len(words)), default=None)


def _weight(word: str) -> int:
    return len(word.encode())


def _alternatives(parsed: Any) -> Iterator[tuple[str, ...]]:
    """Words of which every match of a parsed expression holds one, for each place of it."""
    run: list[str] = []
    for op, argument in parsed:
        name = str(op)
        if name == "LITERAL":
            run.append(chr(argument))
            continue
        yield from _words("".join(run))
        run = []
        if name == "SUBPATTERN" and not argument[1] and not argument[2]:  # no flags of its own
            yield from _alternatives(argument[3])
        elif name in _REPEATS and argument[0] >= 1:
            yield from _alternatives(argument[2])
        elif name == "ATOMIC_GROUP":
            yield from _alternatives(argument)
        elif name == "BRANCH":
            branches = [_best(branch) for branch in argument[1]]
            words = tuple(dict.fromkeys(word for branch in branches for word in branch or ()))
            if None not in branches and len(words) <= _MOST_WORDS:
                yield words
    yield from _words("".join(run))


def _words(run: str) -> Iterator[tuple[str]]:
    for whole in "".join(char if _is_sure(char) else " " for char in run).split():
        for word in (whole, *_ASCII.findall(whole)):
            if _is_told_apart(word[:_LONGEST]):
                yield (word[:_LONGEST],)


def _is_sure(char: str) -> bool:
    """Of signs between scripts this program writes some itself; a surrogate may stand for a byte that is no UTF-8."""
    if char.isascii():
        return char.isalnum() or char == "_"
    if char > "\uffff":
        return char.lower() == char == char.upper()
    return char.isalpha() or (char >= "\u3000" and not "\ud800" <= char <= "\udfff")


def _is_told_apart(word: str) -> bool:
    """Numbers are written in several ways (`1.50`, `1e3`), so digits alone may stand in a record in another form."""
    return sum(not char.isdigit() for char in word) >= 2 or not word.isascii()


def _letter(char: str, ignore_case: bool) -> str:
    """An expression for what one character of a word may be. ASCII that is escaped is looked for by itself."""
    ways = [one if one.isascii() else f"{_raw(one)}|{_escaped(one)}" for one in _same(char, ignore_case)]
    return f"(?:{'|'.join(ways)})"


def _raw(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode())


def _escaped(char: str) -> str:
    """Two escapes for a character beyond the first plane."""
    units = char.encode("utf-16-be").hex()
    return "".join(_escape(units[at : at + 4]) for at in range(0, len(units), 4))


def _escape(digits: str) -> str:
    either = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
    return rf"\\{{1,{_NESTED}}}u{either}"


def _in_ascii(word: str) -> str | None:
    """A form of a word beyond ASCII that is ASCII; None where case alone does not make it one."""
    found = [next((one for one in _same(char, ignore_case=True) if one.isascii()), None) for char in word]
    return None if None in found else "".join(one for one in found if one)


@lru_cache(maxsize=256)
def _same(char: str, ignore_case: bool) -> tuple[str, ...]:
    """The characters that `re` takes for this one."""
    if not ignore_case:
        return (char,)
    return tuple(re.findall(re.escape(char), _all(), re.IGNORECASE))


@lru_cache(maxsize=1)
def _all() -> str:
    return "".join(chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000)
