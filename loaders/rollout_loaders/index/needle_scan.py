"""Where in a byte range of a file a word may stand, one hit a line. Imports next to nothing: helpers run it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from struct import Struct
from typing import Any

BLOCK = 1 << 20
HIT = Struct("<q")
END = -1
_ESCAPED_WORD = re.compile(rb"\\u00(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])")
"""A letter, digit or `_` that a writer escaped although JSON does not ask for it: any word may hide in such a line."""
_ESCAPED_FOLDS = re.compile(rb"\\u(?:01(?:7[fF]|3[01])|212[aA])")
_FOLDS = (b"\xc4\xb0", b"\xc4\xb1", b"\xc5\xbf", b"\xe2\x84\xaa")
"""İ ı ſ K: what `re` takes for i, s and k when it ignores case."""
_LONGEST_MARK = 8
MOST_LETTERS = 12
"""Of a word beyond ASCII that are looked for: what holds the word holds its beginning."""
_NESTED = 8
"""Backslashes before the `u` of an escape, doubled with each JSON text in a JSON text; a line with more is a hit."""


def forms(word: str) -> str:
    """An expression, in ASCII and for bytes, of the word in every form in which JSON may hold it, its case as given."""
    if word.isascii():
        return f"{word}|{_ESCAPED_WORD.pattern.decode('ascii')}"
    return "".join(map(_letter, word[:MOST_LETTERS])) + rf"|\\{{{_NESTED + 1}}}u"


def _letter(char: str) -> str:
    """As UTF-8 or as an escape, which is two for a character beyond the first plane."""
    raw = "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    units = char.encode("utf-16-be", "surrogatepass").hex()
    escapes = [_escape(units[at : at + 4]) for at in range(0, len(units), 4)]
    return f"(?:{raw}|{''.join(escapes)})"


def _escape(digits: str) -> str:
    either = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
    return rf"\\{{1,{_NESTED}}}u{either}"


class WordScan:
    """Looks for one word: of ASCII letters, digits and `_`, or of letters beyond ASCII, whose case is kept."""

    def __init__(self, word: str, ignore_case: bool) -> None:
        plain = word.isascii()
        self.ignore_case = ignore_case and plain
        self.word = (word.lower() if ignore_case else word).encode("ascii") if plain else None
        self.forms = None if plain else re.compile(forms(word).encode("ascii"))
        self.folds = self.ignore_case and any(letter in word.lower() for letter in "iks")
        longest = len(word) if plain else len(word[:MOST_LETTERS]) * 2 * (_NESTED + 5)
        self.overlap = max(longest, _LONGEST_MARK) - 1

    def hits(self, file: Any, start: int, end: int) -> Iterator[int]:
        """Offsets in `[start, end)`, at most one for each line in it; a line that begins earlier may be met again."""
        file.seek(start)
        buffer = bytearray(BLOCK + self.overlap)
        view = memoryview(buffer)
        at, held, skipping = start, 0, False
        while at < end:
            filled = file.readinto(view[held:])
            if not filled:
                return
            filled += held
            look, limit = 0, min(filled, end - at + self.overlap)
            if skipping:
                newline = buffer.find(b"\n", 0, filled)
                skipping = newline < 0
                look = filled if skipping else newline + 1
            for hit in self._in_block(buffer, look, limit):
                if at + hit < end:
                    yield at + hit
                    skipping = buffer.find(b"\n", hit, filled) < 0
            # The end of a block is looked at again with the next: a word may be cut there.
            held = min(self.overlap, filled)
            if skipping:
                held = 0
            buffer[:held] = buffer[filled - held : filled]
            at += filled - held

    def _in_block(self, buffer: bytearray, look: int, limit: int) -> Iterator[int]:
        """The first hit of each line."""
        text: bytes | bytearray = buffer.lower() if self.ignore_case else buffer
        places = [_Places(text, (self.word if self.forms is None else self.forms,), limit)]
        if self.forms is None and buffer.find(b"\\u00", look, limit) >= 0:
            places.append(_Places(buffer, (_ESCAPED_WORD,), limit))
        if self.folds:
            if not buffer.isascii():
                places.append(_Places(buffer, _FOLDS, limit))
            if buffer.find(b"\\u01", look, limit) >= 0 or buffer.find(b"\\u21", look, limit) >= 0:
                places.append(_Places(buffer, (_ESCAPED_FOLDS,), limit))
        while look < limit:
            found = [hit for place in places if (hit := place.at_or_after(look)) >= 0]
            if not found:
                return
            hit = min(found)
            yield hit
            newline = buffer.find(b"\n", hit, limit)
            if newline < 0:
                return
            look = newline + 1


class _Places:
    """The next place of any of some marks, remembered until it is passed."""

    def __init__(self, text: bytes | bytearray, marks: tuple[Any, ...], limit: int) -> None:
        self.text, self.limit = text, limit
        self.marks = marks
        self.next = [-2] * len(marks)

    def at_or_after(self, look: int) -> int:
        """Its offset, -1 where there is none."""
        for index, mark in enumerate(self.marks):
            known = self.next[index]
            if known != -1 and known < look:
                self.next[index] = self._find(mark, look)
        return min((place for place in self.next if place >= 0), default=-1)

    def _find(self, mark: Any, look: int) -> int:
        if isinstance(mark, bytes):
            return self.text.find(mark, look, self.limit)
        found = mark.search(self.text, look, self.limit)
        return -1 if found is None else int(found.start())


def serve() -> None:
    """A helper process: `path start end word ignore_case` as arguments; hits on standard output, then `END`."""
    path, start, end, escaped, folded = sys.argv[1:6]
    word = escaped.encode("ascii").decode("unicode_escape")
    out = sys.stdout.buffer
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - pathlib costs a tenth of the start-up time
        for hit in WordScan(word, folded == "1").hits(file, int(start), int(end)):
            out.write(HIT.pack(hit))
    out.write(HIT.pack(END))
    out.flush()
