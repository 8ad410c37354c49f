"""Blocks of objects that were read lately: one store for all, so that memory does not follow an object's size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

BLOCK = 2 * 1024 * 1024
"""Bytes of one request where an object is read in order."""
MOST = 32
"""Blocks that are kept: what fits is transferred once, however often it is read."""
FIRST = 65536
"""Bytes by which a format is told."""
Key = tuple[str, str, int]
"""(URL, version, number of the block)."""


class Blocks:
    """The last blocks, whoever read them."""

    def __init__(self) -> None:
        self._held: OrderedDict[Key, bytes] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: Key, fetch: Callable[[], bytes]) -> bytes:
        """The block, fetched where it is not held; two threads may fetch the same one."""
        held = self.held(key)
        if held is not None:
            return held
        data = fetch()
        with self._turn:
            self._held[key] = data
            while len(self._held) > MOST:
                self._held.popitem(last=False)
        return data

    def held(self, key: Key) -> bytes | None:
        """The block where it is held."""
        with self._turn:
            data = self._held.get(key)
            if data is not None:
                self._held.move_to_end(key)
            return data


BLOCKS = Blocks()
