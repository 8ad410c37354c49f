"""Aligning the turns of two runs on what they did.

Turns that stand alone on both sides are anchors (patience alignment), what lies between anchors is aligned by edit
distance while it is small. So 10,000 turns against 10,000 stay near linear, and inserted, dropped and moved-along turns
do not shift everything after them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Turn

from .behaviour import Behaviour, behaviours

ANCHOR_RULE = (
    "turns are aligned on behaviour (tools, arguments, how the calls ended, answer), not on reasoning; "
    "turns that occur once on both sides anchor the rest"
)
SMALL_GAP = 4096
"""Largest product of two gap lengths that is aligned by edit distance: about 2 ms."""

Kind = Literal["equal", "changed", "dropped", "added"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the spine. Indices are 0-based into the two turn sequences; None on the side that has no turn."""

    kind: Kind
    left: int | None
    right: int | None
    reasoning_differs: bool = False


def align(left: Sequence[Turn], right: Sequence[Turn]) -> tuple[Step, ...]:
    """Align two conversations; every turn of both sides stands in exactly one step, in order."""
    kinds: dict[Behaviour, int] = {}
    # Numbers compare and hash at once; a behaviour of a long turn does not.
    one, two = ([kinds.setdefault(did, len(kinds)) for did in behaviours(turns)] for turns in (left, right))
    steps: list[Step] = []
    for i, j in _spine(one, two, tuple(kinds)):
        if i is None:
            steps.append(Step("added", None, j))
        elif j is None:
            steps.append(Step("dropped", i, None))
        else:
            kind: Kind = "equal" if one[i] == two[j] else "changed"
            steps.append(Step(kind, i, j, left[i].reasoning_text != right[j].reasoning_text))
    return tuple(steps)


_Match = tuple[int | None, int | None]


def _spine(one: Sequence[int], two: Sequence[int], kinds: Sequence[Behaviour]) -> Iterator[_Match]:
    # An explicit stack: runs of ten thousand turns would outgrow Python's own.
    stack: list[tuple[int, int, int, int]] = [(0, len(one), 0, len(two))]
    while stack:
        a, b, c, d = stack.pop()
        while a < b and c < d and one[a] == two[c]:
            yield a, c
            a, c = a + 1, c + 1
        tail = 0
        while a < b - tail and c < d - tail and one[b - 1 - tail] == two[d - 1 - tail]:
            tail += 1
        if tail:
            stack.append((b - tail, b, d - tail, d))
            stack.append((a, b - tail, c, d - tail))
            continue
        anchors = _anchors(one, two, a, b, c, d)
        if not anchors:
            yield from _gap([kinds[did] for did in one[a:b]], [kinds[did] for did in two[c:d]], a, c)
            continue
        pieces: list[tuple[int, int, int, int]] = []
        for i, j in anchors:
            pieces.append((a, i, c, j))
            pieces.append((i, i + 1, j, j + 1))
            a, c = i + 1, j + 1
        pieces.append((a, b, c, d))
        stack.extend(reversed(pieces))


def _anchors(one: Sequence[int], two: Sequence[int], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """Turns that occur once in both ranges, in an order that both share: the longest increasing run of them."""
    counts_one, counts_two = Counter(one[a:b]), Counter(two[c:d])
    where = {two[j]: j for j in range(c, d) if counts_two[two[j]] == 1}
    pairs = [(i, where[one[i]]) for i in range(a, b) if counts_one[one[i]] == 1 and one[i] in where]
    tops: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for index, (_, j) in enumerate(pairs):
        spot = bisect_left(tops, j)
        before.append(last[spot - 1] if spot else None)
        if spot == len(tops):
            tops.append(j)
            last.append(index)
        else:
            tops[spot] = j
            last[spot] = index
    run: list[tuple[int, int]] = []
    at = last[-1] if last else None
    while at is not None:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _gap(one: Sequence[Behaviour], two: Sequence[Behaviour], a: int, c: int) -> Iterator[_Match]:
    """What lies between anchors; `a` and `c` are where the two stretches start."""
    rows, columns = len(one), len(two)
    if not rows or not columns or rows * columns > SMALL_GAP:
        shared = min(rows, columns)
        yield from ((a + k, c + k) for k in range(shared))
        yield from ((a + i, None) for i in range(shared, rows))
        yield from ((None, c + j) for j in range(shared, columns))
        return
    change = [[_distance(before, after) for after in two] for before in one]
    cost = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        cost[i][columns] = cost[i + 1][columns] + 1
    for j in range(columns - 1, -1, -1):
        cost[rows][j] = cost[rows][j + 1] + 1
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            cost[i][j] = min(change[i][j] + cost[i + 1][j + 1], cost[i + 1][j] + 1, cost[i][j + 1] + 1)
    i = j = 0
    while i < rows and j < columns:
        if cost[i][j] == change[i][j] + cost[i + 1][j + 1]:
            yield a + i, c + j
            i, j = i + 1, j + 1
        elif cost[i][j] == cost[i + 1][j] + 1:
            yield a + i, None
            i += 1
        else:
            yield None, c + j
            j += 1
    yield from ((a + k, None) for k in range(i, rows))
    yield from ((None, c + k) for k in range(j, columns))


def _distance(one: Behaviour, two: Behaviour) -> float:
    if one == two:
        return 0.0
    if one.tools and one.tools == two.tools:
        return 0.75
    # Two answers without tools are a changed answer; a tool turn against an answer is a drop and an addition.
    return 1.0 if bool(one.tools) == bool(two.tools) else 1.9
