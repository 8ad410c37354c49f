"""What came in before a turn, with what the harness did to it said in words."""

from __future__ import annotations

from rollout_loaders.model import InputMessage, Place

from .block import Block, Tone

_TONES: dict[str, Tone] = {"user": "user", "system": "note", "developer": "note"}


def input_block(message: InputMessage, invocation: str, turn: int | None, *, unanswered: bool = False) -> Block:
    """Return one message that came in."""
    words = [
        word
        for said, word in (
            (message.kind != "text", message.kind),
            (message.synthetic, "synthetic: written by the harness, not by the user"),
            (message.ignored, "ignored: stored, not sent to the model"),
            (message.reverted, "reverted: hidden from the model"),
            (unanswered, "never answered"),
        )
        if said
    ]
    return Block(
        id=f"{message.id}:in",
        label=message.role or "input",
        tone="note" if message.synthetic else _TONES.get(message.role, "note"),
        title="" if message.text else "(empty)",
        body=message.text,
        foldable=bool(message.text),
        folded=message.role in ("system", "developer"),
        mark="; ".join(words),
        place=Place(invocation, turn, message.id),
        out_of_context=message.in_context_at_end is False,
    )
