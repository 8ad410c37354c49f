"""Building rollouts without looking for reference cycles.

A rollout is many objects and no cycles. Looking for some again and again while it grows takes a third of the time of a
long session, and more the longer it is.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar

_Item = TypeVar("_Item")


@contextmanager
def no_cycles() -> Generator[None]:
    """Pause Python's cycle collector; where it was off already, or another thread paused it, leave it to them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def built(items: Iterator[_Item]) -> Iterator[_Item]:
    """`items`, the collector paused while each is made and not while it is used."""
    try:
        while True:
            with no_cycles():
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
