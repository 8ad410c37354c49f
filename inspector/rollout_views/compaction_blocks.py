"""A compaction boundary as blocks: what was compacted, into what, what was kept, and what is unresolved about it."""

from __future__ import annotations

from rollout_loaders.model import Compaction, Invocation, Place, Turn

from .block import Block, Link, Tone
from .extra_blocks import compaction_extra_blocks
from .formatting import count
from .scored_mark import BADGE, ScoredMark, find_turn

_OUTCOMES = {
    "completed": "context compacted",
    "failed": "context compaction failed",
    "aborted": "context compaction aborted",
    "unknown": "context compaction started and nothing closes it",
}


def is_resolved(compaction: Compaction) -> bool:
    """Tell whether the boundary ended as it should."""
    return compaction.outcome == "completed" and not compaction.reverted


def boundary_title(compaction: Compaction) -> str:
    """Return the outline line of a boundary."""
    words = ["compacted" if compaction.outcome == "completed" else f"compaction {compaction.outcome}"]
    words.append(compaction.trigger or "trigger not recorded")
    return f"─ {' · '.join(words)}"


def compaction_blocks(compaction: Compaction, invocation: Invocation, mark: ScoredMark | None) -> list[Block]:
    """Return the boundary line, the error, the summary and the line that says what the model no longer had."""
    place = Place(invocation.id, compaction.after_turn, compaction.id)
    resolved = is_resolved(compaction)
    blocks = [
        Block(
            id=f"{compaction.id}:boundary",
            label="compact",
            tone="boundary" if resolved else "problem",
            title=_line(compaction, invocation),
            place=place,
            links=_links(compaction, invocation),
            rule=True,
        )
    ]
    if compaction.error is not None:
        blocks.append(
            Block(f"{compaction.id}:compaction-error", "error", "problem", "compaction", compaction.error, place=place)
        )
    blocks += compaction_extra_blocks(compaction, place)
    blocks.append(_summary(compaction, place, mark))
    blocks.append(
        Block(
            id=f"{compaction.id}:context",
            label="context",
            tone="boundary" if resolved else "problem",
            title=_consequence(compaction),
            place=place,
            rule=True,
        )
    )
    return blocks


def _line(compaction: Compaction, invocation: Invocation) -> str:
    before, after = compaction.tokens_before, compaction.tokens_after
    tokens = "tokens not recorded" if before is None and after is None else f"{count(before)} → {count(after)} tokens"
    head = _OUTCOMES.get(compaction.outcome, f"context compaction, outcome {compaction.outcome}")
    parts = [f"{head}: {compaction.trigger or 'trigger not recorded'}", tokens]
    if compaction.outcome == "completed":
        parts += ["completed", _kept(compaction, invocation)]
    if compaction.lone_end:
        parts.append("an end without a start: the harness's verdict, not a compaction call")
    if compaction.reverted:
        parts.append("reverted")
    if compaction.after_turn is None:
        parts.append("its place among the turns is not recorded")
    return " · ".join(parts)


def _kept(compaction: Compaction, invocation: Invocation) -> str:
    number = compaction.first_kept_turn
    if _keeps_no_turn(compaction):
        return "no turn kept" if number is None else f"no turn kept; next: turn {number}"
    if number is None:
        item = compaction.first_kept_item_id
        return f"first kept: {'not recorded' if item is None else f'item {item}'}"
    turn = find_turn(invocation, number)
    word = None if turn is None else _kind_in_turn(turn, compaction.first_kept_item_id)
    return f"first kept: turn {number} {word}" if word else f"first kept: turn {number}"


def _keeps_no_turn(compaction: Compaction) -> bool:
    """Tell whether the record says that no turn above stayed: `first_kept_turn` is then one that came after."""
    first, after = compaction.first_kept_turn, compaction.after_turn
    return compaction.kept_nothing or (first is not None and after is not None and first > after)


def _kind_in_turn(turn: Turn, item_id: str | None) -> str | None:
    kinds = (
        ("think", [piece.id for piece in turn.reasoning]),
        ("answer", [piece.id for piece in turn.answer]),
        ("tool", [call.call_id for call in turn.tool_calls] + [call.id for call in turn.tool_calls]),
        ("user", [message.id for message in turn.input]),
    )
    return None if item_id is None else next((word for word, ids in kinds if item_id in ids), None)


def _links(compaction: Compaction, invocation: Invocation) -> tuple[Link, ...]:
    if compaction.first_kept_turn is None:
        return ()
    place = Place(invocation.id, compaction.first_kept_turn, compaction.first_kept_item_id)
    return (Link(f"turn {compaction.first_kept_turn}", place),)


def _summary(compaction: Compaction, place: Place, mark: ScoredMark | None) -> Block:
    text = compaction.summary
    tone: Tone = "muted"
    if text is None:
        title = "none recorded"
        tone = "problem" if compaction.outcome == "completed" else "muted"
    else:
        title = "" if text else "(empty)"
    scored = mark is not None and mark.compaction == compaction.id
    return Block(
        id=f"{compaction.id}:compaction-summary",
        label="summary",
        tone="answer" if scored else tone,
        title=title,
        body=text or "",
        foldable=bool(text),
        folded=bool(text) and not scored,
        badge=BADGE if scored else "",
        place=place,
    )


def _consequence(compaction: Compaction) -> str:
    if compaction.reverted:
        return "reverted: this compaction takes nothing out of the model's context"
    if compaction.outcome == "completed":
        if _keeps_no_turn(compaction):
            return "everything above is no longer in the model's context; the summary stands for it"
        if compaction.first_kept_turn is not None:
            above = f"turns above turn {compaction.first_kept_turn}"
            return f"{above} are no longer in the model's context; the summary stands for them"
        if compaction.first_kept_item_id is not None:
            return f"which of the turns above the model kept is unknown: {compaction.first_kept_item_id} is in no turn"
        return "which of the turns above the model kept beside the summary is not recorded"
    if compaction.outcome in ("failed", "aborted"):
        return f"nothing was taken out of the model's context: the compaction is recorded as {compaction.outcome}"
    return "whether the model's context still held what stands above is not recorded"
