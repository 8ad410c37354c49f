"""The first place where two runs part, in one line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonValue, Turn, is_object

from .alignment import Step
from .behaviour import Action, Behaviour, behaviour_of


@dataclass(frozen=True, slots=True)
class Divergence:
    """`step` is an index into the alignment; `parts` says what differs, as `tool arguments differ: read path`."""

    step: int
    left_turn: int | None
    right_turn: int | None
    parts: str


def first_divergence(left: Sequence[Turn], right: Sequence[Turn], steps: Sequence[Step]) -> Divergence | None:
    """The first step in which behaviour differs; different reasoning before the same action is none."""
    for index, step in enumerate(steps):
        if step.kind != "equal":
            return Divergence(
                index,
                left[step.left].number if step.left is not None else None,
                right[step.right].number if step.right is not None else None,
                describe(left, right, step),
            )
    return None


def describe(left: Sequence[Turn], right: Sequence[Turn], step: Step) -> str:
    """What differs in one step, in words."""
    if step.right is None:
        return "a turn that only A has"
    if step.left is None:
        return "a turn that only B has"
    return _parts(behaviour_of(left[step.left]), behaviour_of(right[step.right]))


def _parts(one: Behaviour, two: Behaviour) -> str:
    if one.tools != two.tools:
        return f"tools differ: {', '.join(one.tools) or 'none'} → {', '.join(two.tools) or 'none'}"
    for first, second in zip(one.actions, two.actions, strict=True):
        if first.arguments != second.arguments:
            return f"tool arguments differ: {_keys(first, second)}"
        if first.ended != second.ended:
            return f"{first.name} ended differently: {first.ended} → {second.ended}"
    if one.error != two.error:
        return "the error differs" if one.error and two.error else f"only {'A' if one.error else 'B'} failed here"
    if not two.answer.strip() or not one.answer.strip():
        return f"only {'A' if one.answer.strip() else 'B'} has an answer here"
    if one.answer.endswith(two.answer) and one.answer.lstrip().startswith("<think>"):
        return "the answer lost its leading think block"
    return "the answer differs"


def _keys(first: Action, second: Action) -> str:
    one: JsonValue = json.loads(first.arguments)
    two: JsonValue = json.loads(second.arguments)
    if not is_object(one) or not is_object(two):
        return first.name
    differing = [key for key in sorted({*one, *two}) if one.get(key) != two.get(key)]
    return f"{first.name} {', '.join(differing)}"
