"""A comparison of two sets in numbers, each 'n of N' (CONTRACT 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb

from rollout_loaders.fast_dataclass import dataclass

from .delta import Delta, Side


@dataclass(frozen=True, slots=True)
class Share:
    """n of N."""

    n: int
    of: int


@dataclass(frozen=True, slots=True)
class Span:
    """Smallest to largest; None where there is nothing to measure."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class SideTotals:
    """One side of the table of CONTRACT 6."""

    answers_with_think: Share
    answers_that_begin_with_think: Share
    judge_requests_with_think: Share
    reasoning_items: Span
    answer_chars: Span
    tokens_out: int | None
    """Sum over the rollouts that report it; None when none does."""
    tokens_known: Share


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole comparison in numbers."""

    pairs: int
    reward_up: int
    reward_down: int
    reward_same: int
    reward_not_comparable: int
    sign_test_p: float | None
    """Two-sided exact sign test over the pairs whose reward moved; None when none moved."""
    outcomes: Mapping[tuple[str, str], int]
    states: Mapping[tuple[str, str], int]
    policies: Mapping[tuple[str, str], int]
    findings_gained: Mapping[str, int]
    findings_lost: Mapping[str, int]
    left: SideTotals
    right: SideTotals


def total(deltas: Sequence[Delta]) -> Totals:
    """Sum up compared pairs."""
    moved = Counter(delta.reward_moved for delta in deltas)
    return Totals(
        pairs=len(deltas),
        reward_up=moved["up"],
        reward_down=moved["down"],
        reward_same=moved["same"],
        reward_not_comparable=moved["not comparable"],
        sign_test_p=sign_test(moved["up"], moved["down"]),
        outcomes=Counter((delta.left.outcome, delta.right.outcome) for delta in deltas),
        states=Counter((delta.left.state, delta.right.state) for delta in deltas),
        policies=Counter((delta.left.policy, delta.right.policy) for delta in deltas),
        findings_gained=Counter(code for delta in deltas for code in delta.findings_gained),
        findings_lost=Counter(code for delta in deltas for code in delta.findings_lost),
        left=side_totals([delta.left for delta in deltas]),
        right=side_totals([delta.right for delta in deltas]),
    )


def sign_test(up: int, down: int) -> float | None:
    """Probability of a split at least this uneven if up and down were equally likely."""
    n = up + down
    if not n:
        return None
    tail = sum(comb(n, k) for k in range(min(up, down) + 1))
    # Integer division first: 2 ** n outgrows a float for more than a thousand pairs.
    return min(1.0, 2 * tail / (1 << n)) if n <= 1000 else min(1.0, (2 * tail * 10**12 // (1 << n)) / 10**12)


def side_totals(sides: Sequence[Side]) -> SideTotals:
    """The think-block, judge-request, reasoning-item and answer-length rows of one side."""
    answers = [side.final_answer for side in sides if side.final_answer is not None]
    requests = [text for side in sides for text in side.judge_requests if text is not None]
    tokens = [side.tokens_out for side in sides if side.tokens_out is not None]
    return SideTotals(
        answers_with_think=Share(sum(map(has_think, answers)), len(answers)),
        answers_that_begin_with_think=Share(sum(map(begins_with_think, answers)), len(answers)),
        judge_requests_with_think=Share(sum(map(has_think, requests)), len(requests)),
        reasoning_items=_span([side.reasoning_items for side in sides]),
        answer_chars=_span([len(answer) for answer in answers]),
        tokens_out=sum(tokens) if tokens else None,
        tokens_known=Share(len(tokens), len(sides)),
    )


def has_think(text: str) -> bool:
    """Contains `<think>` or `</think>` anywhere."""
    return "<think>" in text or "</think>" in text


def begins_with_think(text: str) -> bool:
    """Begins with either tag."""
    return text.startswith(("<think>", "</think>"))


def _span(values: Sequence[int]) -> Span:
    return Span(min(values), max(values)) if values else Span(None, None)
