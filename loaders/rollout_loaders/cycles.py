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
_MANY = 20_000
"""New objects from which on looking through them takes noticeable time; fewer are left to the collector."""


class Kept:
    """Whether objects were taken out of the collector's sight, from where ageing the new ones would bring them back."""

    ever = False


_KEPT = Kept()


@contextmanager
def no_cycles() -> Generator[None]:
    """Pause Python's cycle collector while one large thing is built; where it was off already, leave that as it is.

    A large thing counts as old at once: to look through the new objects of a long rollout would take 0.1 s.
    """
    with _paused() as was_on:
        yield
        if was_on and gc.get_count()[0] > _MANY and not _KEPT.ever and gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()


@contextmanager
def _paused() -> Generator[bool]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield enabled
    finally:
        if enabled:
            gc.enable()


def keep() -> None:
    """Take everything that there is out of the collector's sight: it stays until the process ends."""
    _KEPT.ever = True
    gc.freeze()


def built(items: Iterator[_Item]) -> Iterator[_Item]:
    """`items`, the collector paused while each is made and not while it is used. None grows old here: it is let go."""
    try:
        while True:
            with _paused():
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
