"""Bounded nesting: values nested too deeply become their own JSON text, so that no walk over them can run away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .bounds import NESTING

MAX_DEPTH = NESTING.value
"""Deeper values are folded. Below the 254 levels that orjson writes and far below Python's recursion limit."""

MOST_PEELED = min(24, MAX_DEPTH // 2)
"""Rounds in which two levels are peeled off all at once; what nests deeper than real records do is gone through bracket
by bracket."""
_FEW = MAX_DEPTH - 2 * MOST_PEELED
"""Brackets that are left over: with the levels that were peeled off around them they are not too deep."""
_NOT_STRUCTURE = bytes(code for code in range(256) if code not in b'[]{}"')
_STRING = re.compile(rb'"[^"]*(?:"|\Z)')
_BRACKET = re.compile(rb'(?:[^][{}"]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+([][{}]|\Z)', re.DOTALL)
"""The next bracket, or the end, with all text and strings before it. A string reaches to its end or that of the text:
a torn one that failed to match would be scanned again from each of its quotes, which takes minutes for 100 kB."""


def deep_spans(raw: bytes) -> list[tuple[int, int]]:
    """Where values stand that `raw` nests deeper than `MAX_DEPTH`. Nearly free for few opening brackets."""
    return list(_spans(raw)) if _may_be_deep(raw) else []


def _may_be_deep(raw: bytes) -> bool:
    """False where peeling off brackets shows that nothing is; strings that are torn make it unsure."""
    if len(raw) <= MAX_DEPTH or not _opens_more_than(MAX_DEPTH, raw):
        return False
    brackets = _brackets(raw)
    for _ in range(MOST_PEELED):
        peeled = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(peeled) <= _FEW:
            return False
        if len(peeled) == len(brackets):
            break
        brackets = peeled
    return True


def _opens_more_than(number: int, raw: bytes) -> bool:
    """Whether there are more opening brackets; looking for the next one passes over text faster than counting does."""
    for bracket in b"[{":
        at = raw.find(bracket)
        while at >= 0:
            number -= 1
            if number < 0:
                return True
            at = raw.find(bracket, at + 1)
    return False


def _brackets(raw: bytes) -> bytes:
    """The brackets of `raw` without those in strings, which would seem to close what they do not."""
    quoted = raw.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    return _STRING.sub(b"", quoted) if b'"' in quoted else quoted


def folded(raw: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """`raw` with the value at each of its `deep_spans` replaced by a JSON string that holds its text."""
    pieces: list[bytes] = []
    done = 0
    for start, end in spans:
        pieces.append(raw[done:start])
        text = raw[start:end].replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        pieces.append(b'"' + text + b'"')
        done = end
    pieces.append(raw[done:])
    return b"".join(pieces)


def _spans(raw: bytes) -> Iterator[tuple[int, int]]:
    depth = 0
    start = 0
    for token in _BRACKET.finditer(raw):
        at = token.start(1)
        if at == len(raw):
            break
        if raw[at] in b"[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                start = at
        else:
            if depth == MAX_DEPTH + 1:
                yield start, at + 1
            depth = depth - 1 if depth else 0
    if depth > MAX_DEPTH:
        yield start, len(raw)
