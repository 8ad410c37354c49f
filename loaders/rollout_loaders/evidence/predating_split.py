"""A scored text that still begins with its think block: what the split would have left (gym-semantics 4.7, 12)."""

from __future__ import annotations

from rollout_loaders.convert.think import CLOSE, OPEN, split
from rollout_loaders.model import Place, Reason, Rollout

from .quoting import quote

UNREAD = frozenset({"patch", "first-call", "last-message-unthought", "unverified"})
"""Ways of picking for which a think block in the text changes nothing."""


def predates_split(rollout: Rollout, picks: str = "generic") -> Reason | None:
    """A sentence where the last assistant message begins with a closed think block, else None.

    Only OpenCode behind a Gym Model Server is ever split; elsewhere the block is literal text (CONTRACT 4.2).
    """
    if picks in UNREAD:
        return None
    messages = [item for item in rollout.scored.items if item.is_assistant_message]
    parts = split(messages[-1].text or "") if messages else split("")
    if parts.reasoning is None:
        return None
    length = len(OPEN) + len(parts.reasoning) + len(CLOSE)
    where = Place(rollout.scored.origin.invocation, rollout.scored.origin.turn, rollout.scored.final_item_id)
    answer = quote(parts.answer) if parts.answer else "empty"
    return Reason(
        f"The scored text starts with a {length:,}-character think block{_consequence(rollout, answer)}.",
        where=None if where == Place() else where,
        rests_on=messages[-1].id or "response.output",
    )


def _consequence(rollout: Rollout, answer: str) -> str:
    if not _splittable(rollout):
        return ", which is literal text here and was graded as part of the answer"
    said = f": this row predates the split; with the split the graded answer would be {answer}"
    if rollout.route.gym_reasoning:
        return said
    return f"{said} (if the run was routed through a Gym Model Server, which the row does not record)"


def _splittable(rollout: Rollout) -> bool:
    """OpenCode of the current agent whose gate is on or, without having been forced off, not recorded."""
    if rollout.route.gym_reasoning:
        return True
    row = rollout.evidence.row
    names = f"{rollout.harness.name or ''} {rollout.harness.agent or ''} {(row and row.agent_name) or ''}".lower()
    literal = rollout.route.forced or rollout.harness.provider is not None or "sandboxed" in names
    return "opencode" in names and not literal
