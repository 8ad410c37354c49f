"""Which rollout of one set belongs to which of the other (CONTRACT 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import RolloutSummary


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rollouts of the same task, and the rule that found them: `task`, `id`, `prompt` or `only one each`."""

    left: RolloutSummary
    right: RolloutSummary
    rule: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """Pairs in the order of the left set, and what stayed alone."""

    pairs: tuple[Pair, ...]
    only_left: tuple[RolloutSummary, ...]
    only_right: tuple[RolloutSummary, ...]


def _task(summary: RolloutSummary) -> Hashable:
    task = summary.task
    return None if task.task_index is None or task.rollout_index is None else (task.task_index, task.rollout_index)


def _prompt(summary: RolloutSummary) -> Hashable:
    return summary.task.prompt


def _id(summary: RolloutSummary) -> Hashable:
    return summary.id


RULES: tuple[tuple[str, Callable[[RolloutSummary], Hashable]], ...] = (
    ("task", _task),
    ("id", _id),
    ("prompt", _prompt),
)
"""Tried in this order, each on what the one before left alone."""


def pair_up(left: Sequence[RolloutSummary], right: Sequence[RolloutSummary]) -> Pairing:
    """Pair two sets. Where a key repeats, the k-th on one side goes with the k-th on the other."""
    if len(left) == 1 and len(right) == 1:
        return Pairing((Pair(left[0], right[0], "only one each"),), (), ())
    partner: dict[int, tuple[int, str]] = {}
    taken: set[int] = set()
    for rule, key in RULES:
        waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
        for index, summary in enumerate(right):
            if index not in taken and key(summary) is not None:
                waiting[key(summary)].append(index)
        for queue in waiting.values():
            queue.reverse()
        for index, summary in enumerate(left):
            if index not in partner and key(summary) is not None and waiting.get(key(summary)):
                found = waiting[key(summary)].pop()
                partner[index] = (found, rule)
                taken.add(found)
    return Pairing(
        tuple(Pair(left[i], right[j], rule) for i, (j, rule) in sorted(partner.items())),
        tuple(summary for index, summary in enumerate(left) if index not in partner),
        tuple(summary for index, summary in enumerate(right) if index not in taken),
    )
