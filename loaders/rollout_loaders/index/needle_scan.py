"""Where in a byte range of a file a word may stand, one hit a line. Imports next to nothing: helpers run it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .needle_literal import Literal

TYPE_CHECKING = False  # typing's own costs a helper a third of its start-up time
if TYPE_CHECKING:
    from rollout_loaders.formats.gym_blocks import Readable

BLOCK = 1 << 18
"""As much as stays in a core's own cache while it is looked through several times."""
ESCAPED_WORD = r"\\u00(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[cCfF])"
r"""A letter, digit, `_` or backslash that a writer escaped although JSON does not ask for it.

Any word may hide in such a line, in JSON within JSON too (`\u005cu0065`).
"""
_ESCAPED = re.compile(ESCAPED_WORD.encode())
_ESCAPED_FOLDS = re.compile(rb"\\u(?:01(?:7[fF]|3[01])|212[aA])")
_FOLDS = {"i": (b"\xc4\xb0", b"\xc4\xb1"), "s": (b"\xc5\xbf",), "k": (b"\xe2\x84\xaa",)}
"""İ and ı, ſ, K: what `re` takes for i, s and k when it ignores case."""
_LONGEST_MARK = 8
_FEW_LINES = 64
Hits = Iterator[tuple[int, int]]
"""Offsets, and newlines before them."""
_Find = Callable[[bytes | bytearray, int, int], int]


class WordScan:
    """Looks for one of several words of letters, digits and `_`, as `needle_words.Sought` has them."""

    def __init__(
        self, words: tuple[bytes, ...], ignore_case: bool, spelled: str = "", longest_spelled: int = 0
    ) -> None:
        """`spelled`: an expression for words that are not ASCII; `words` holds those only where case matters."""
        self.ignore_case = ignore_case
        self._words = [Literal(word.lower() if ignore_case else word) for word in words]
        letters = {letter for word in words for letter in word.decode("latin-1").lower()} if ignore_case else set[str]()
        self._folds = [Literal(mark) for letter, marks in _FOLDS.items() if letter in letters for mark in marks]
        self._spelled = re.compile(spelled.encode()) if spelled else None
        self._escapes = Literal(b"\\u", re.compile(rb"\\u"))
        self.overlap = max(*map(len, words), longest_spelled, _LONGEST_MARK) - 1
        self.lines = 0
        """Newlines in the range that `hits` came to the end of."""

    def hits(self, file: Readable, start: int, end: int) -> Hits:
        """Offsets in `[start, end)`, and newlines between `start` and there; at most one for each line in the range."""
        file.seek(start)
        buffer = bytearray(BLOCK + self.overlap)
        view = memoryview(buffer)
        at, held, look, counted, skipping, self.lines = start, 0, 0, 0, False, 0
        while at < end:
            filled = file.readinto(view[held:])
            if not filled:
                self.lines += count_newlines(buffer, counted, min(held, end - at))
                return
            filled += held
            if skipping:
                newline = buffer.find(b"\n", 0, filled)
                skipping = newline < 0
                look = filled if skipping else newline + 1
            for hit in self._in_block(buffer, look, min(filled, end - at + self.overlap)):
                if at + hit < end:
                    self.lines += count_newlines(buffer, counted, hit)
                    counted = hit
                    yield at + hit, self.lines
                    newline = buffer.find(b"\n", hit, filled)
                    skipping = newline < 0
                    look = filled if skipping else newline + 1
            # The end of a block is looked at again with the next: a word may be cut there.
            held = 0 if skipping else min(self.overlap, filled)
            passed = filled - held
            if counted < min(passed, end - at):
                self.lines += count_newlines(buffer, counted, min(passed, end - at))
                counted = passed
            buffer[:held] = buffer[passed:filled]
            at, look, counted = at + passed, max(0, look - passed), max(0, counted - passed)

    def _in_block(self, buffer: bytearray, look: int, limit: int) -> Iterator[int]:
        """The first hit of each line."""
        places = self._places(buffer, look, limit)
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

    def _places(self, buffer: bytearray, look: int, limit: int) -> list[_Places]:
        text = buffer.lower() if self.ignore_case and self._words else buffer
        found: list[tuple[bytearray, _Find]] = [(text, word.find) for word in self._words]
        for literal in (*self._words, *self._folds, self._escapes):
            literal.learn(text, limit)
        has_escapes = self._escapes.find(buffer, look, limit) >= 0
        is_ascii = not self.ignore_case or buffer.isascii()
        if has_escapes:
            found.append((buffer, _finder(_ESCAPED)))
        if self._folds and has_escapes:
            found.append((buffer, _finder(_ESCAPED_FOLDS)))
        if not is_ascii:
            found += [(buffer, fold.find) for fold in self._folds]
        if self._spelled is not None and (has_escapes or not is_ascii):
            found.append((buffer, _finder(self._spelled)))
        return [_Places(text, find, limit) for text, find in found]


class _Places:
    """The next place of a mark, remembered until it is passed."""

    def __init__(self, text: bytearray, find: _Find, limit: int) -> None:
        self._text, self._find, self._limit = text, find, limit
        self._next = -2

    def at_or_after(self, look: int) -> int:
        """Its offset, -1 where there is none."""
        if self._next != -1 and self._next < look:
            self._next = self._find(self._text, look, self._limit)
        return self._next


def _finder(mark: re.Pattern[bytes]) -> _Find:
    def find(text: bytes | bytearray, look: int, limit: int) -> int:
        found = mark.search(text, look, limit)
        return -1 if found is None else found.start()

    return find


def count_newlines(text: bytes | bytearray, low: int, high: int) -> int:
    """How many there are in `[low, high)`; by `find`, which is faster than `count` where lines are long."""
    at = low - 1
    for count in range(_FEW_LINES):
        at = text.find(b"\n", at + 1, high)
        if at < 0:
            return count
    return _FEW_LINES + text.count(b"\n", at + 1, high)
