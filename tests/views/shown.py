"""What the observed lens shows of a rollout, as tests look at it."""

from __future__ import annotations

from rollout_loaders.model import Rollout
from rollout_views.block import Block
from rollout_views.transcript import blocks


def labels(rollout_: Rollout, invocation_id: str | None = None) -> list[str]:
    return [block.label for block in blocks(rollout_, "observed", invocation_id)]


def only(rollout_: Rollout, label: str) -> Block:
    (block,) = [block for block in blocks(rollout_, "observed") if block.label == label]
    return block


def words(rollout_: Rollout, label: str) -> str:
    block = only(rollout_, label)
    return f"{block.title} | {block.body} | {block.mark}"
