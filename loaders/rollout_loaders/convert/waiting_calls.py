"""Tool calls that wait for their result.

Call ids repeat in real runs (formats 05f), so a result belongs to the latest turn that still waits for one under its
id, and there to the first call in call order.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

_Call = TypeVar("_Call")


class WaitingCalls(Generic[_Call]):
    """Waiting calls by id. Each question takes the same time, however many calls share an id."""

    def __init__(self) -> None:
        self._by_id: dict[str | None, list[tuple[int, deque[_Call]]]] = {}

    def add(self, call_id: str | None, turn: int, call: _Call) -> None:
        """A call of the turn with this number; turns come in order. No id (None) is an id of its own."""
        queues = self._by_id.setdefault(call_id, [])
        if not queues or queues[-1][0] != turn:
            queues.append((turn, deque()))
        queues[-1][1].append(call)

    def first(self, call_id: str | None) -> _Call | None:
        """The call that the next result with this id belongs to; None when none waits for one."""
        queues = self._by_id.get(call_id)
        return queues[-1][1][0] if queues else None

    def take(self, call_id: str | None) -> tuple[int, _Call] | None:
        """That call and its turn; it waits no longer."""
        queues = self._by_id.get(call_id)
        if not queues:
            return None
        turn, waiting = queues[-1]
        call = waiting.popleft()
        if not waiting:
            queues.pop()
        return turn, call
