"""What stands before the break of a JSON document that was cut off: its complete values, the open ones closed there.

A trajectory is written anew after each step; a writer that is killed, or a pipe, leaves half of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
"""A string, also one that the cut left open: nothing in it is a bracket."""
_CLOSERS = {ord("{"): b"}", ord("["): b"]"}
_MOST_TRIES = 64


def closed_prefixes(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Candidates, longest first: `data` up to a place between two values with the open brackets closed, and that place.

    The caller decodes them; the first that can be decoded holds the most.
    """
    places: list[tuple[int, bytes]] = []
    stack: list[bytes] = []
    for token in _TOKEN.finditer(data):
        first = data[token.start()]
        if first in _CLOSERS:
            stack.append(_CLOSERS[first])
        elif first in b"]}" and stack:
            stack.pop()
            if stack:
                places.append((token.end(), b"".join(reversed(stack))))
        elif first == ord(",") and stack:
            places.append((token.start(), b"".join(reversed(stack))))
        if len(places) > 4 * _MOST_TRIES:
            del places[: -2 * _MOST_TRIES]
    for at, closers in reversed(places[-_MOST_TRIES:]):
        yield data[:at] + closers, at
