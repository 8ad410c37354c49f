"""One text in blocks of bytes, found by its rarest byte: a single byte is looked for many times faster than a text."""

from __future__ import annotations

import re

_SAMPLE = 1 << 16
_RARE = 512
"""Bytes that have to lie between two occurrences of a byte, so that stopping at each costs less than a plain search."""
_LESSONS = 64
"""Blocks between two looks at how rare the bytes are."""
_STOPS = 1024


class Literal:
    """Looks for one text in blocks that are like each other."""

    def __init__(self, text: bytes, otherwise: re.Pattern[bytes] | None = None) -> None:
        """`otherwise` finds the same where no byte is rare; without it, bytes' own search does."""
        self.text = text
        self._otherwise = otherwise
        self._place: int | None = None
        """Of the rarest byte in the text; None where that is not rare."""
        self._blocks = 0

    def learn(self, block: bytes | bytearray, limit: int) -> None:
        """Take notice of a block of which `limit` bytes are filled, before it is searched."""
        if len(self.text) > 1 and self._blocks % _LESSONS == 0:
            size = min(limit, _SAMPLE)
            counts = [block.count(byte, 0, size) for byte in self.text]
            least = min(counts)
            self._place = counts.index(least) if least * _RARE <= size else None
        self._blocks += 1

    def find(self, block: bytes | bytearray, look: int, limit: int) -> int:
        """The first offset from `look` on at which the text stands whole before `limit`; -1 where there is none."""
        place = self._place
        if place is None:
            return self._plainly(block, look, limit)
        text, find = self.text, block.find
        byte, high = text[place : place + 1], limit - (len(text) - 1 - place)
        beside = 1 if place == 0 else -1
        other = text[place + beside]
        at = find(byte, look + place, high)
        for _ in range(_STOPS):
            if at < 0:
                return -1
            if block[at + beside] == other and block.startswith(text, at - place):
                return at - place
            at = find(byte, at + 1, high)
        return -1 if at < 0 else self._plainly(block, at - place, limit)

    def _plainly(self, block: bytes | bytearray, look: int, limit: int) -> int:
        if self._otherwise is None:
            return block.find(self.text, look, limit)
        found = self._otherwise.search(block, look, limit)
        return -1 if found is None else found.start()
