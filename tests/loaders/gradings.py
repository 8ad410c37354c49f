"""Builders of graded rows for the tests of grading: a row's fields, its scored items, the rollout around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests import factories

from rollout_loaders.model import (
    Evidence,
    Item,
    JsonObject,
    JsonValue,
    Place,
    Rollout,
    RowRecord,
    Scored,
    SourceRef,
)


def row(reward: float | None = 0.0, extras: JsonObject | None = None, **fields: Any) -> RowRecord:
    """A row's record; a reward of None is an absent one."""
    fields.setdefault("reward_literal", None)
    fields.setdefault("has_reward", reward is not None)
    return RowRecord(reward=reward, extras=extras or {}, **fields)


def graded_row(
    reward: float | None = 0.0,
    extras: JsonObject | None = None,
    *,
    texts: Sequence[str | None] = ("The answer is 4.",),
    items: Sequence[Item] | None = None,
    agent: str | None = None,
    source: str = "gym-rollouts",
    rollout: dict[str, Any] | None = None,
    evidence: dict[str, Any] | None = None,
    **fields: Any,
) -> Rollout:
    """A rollout read from a row whose response has one assistant message for each of `texts`."""
    record = row(reward, extras, agent_name=agent, **fields)
    given = (
        tuple(items)
        if items is not None
        else tuple(factories.message_item(text, ident=f"msg_{at}") for at, text in enumerate(texts))
    )
    messages = [index for index, item in enumerate(given) if item.is_assistant_message]
    last = given[messages[-1]] if messages else None
    scored = Scored(
        reading="row",
        items=given,
        final_text=None if last is None else last.text,
        final_item_id=None if last is None else last.id,
        final_index=messages[-1] if messages else None,
        origin=Place("root", 3) if last is not None else Place(),
    )
    return Rollout(
        id="3-1",
        source=SourceRef("rollouts.jsonl", source, "L1"),
        scored=scored,
        evidence=Evidence(row=record, **(evidence or {})),
        **(rollout or {}),
    )


def judged(reply: JsonValue, label: str | None = None, *, asked: JsonValue = "Are A and B equal?") -> JsonObject:
    """One judge evaluation whose reply ends in `reply`; `label` as recorded."""
    content: JsonValue = [{"type": "output_text", "text": reply}]
    output: JsonValue = [{"type": "message", "role": "assistant", "content": content}]
    return {"responses_create_params": {"input": asked}, "response": {"output": output}, "verdict_label": label}
