"""Sentences of a `because` list as blocks, each with its jump."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.model import Place, Reason

from .block import Block, Link, Tone


def reason_blocks(prefix: str, label: str, reasons: Sequence[Reason], tone: Tone = "normal") -> list[Block]:
    """Return one block a sentence; the label stands before the first, `·` before the others."""
    return [
        Block(
            id=f"{prefix}:{index}",
            label=label,
            tone=tone,
            title=reason.text,
            mark=f"from {reason.rests_on}" if reason.rests_on else "",
            place=reason.where or Place(),
            links=links_to(reason.where),
        )
        for index, reason in enumerate(reasons)
    ]


def links_to(place: Place | None) -> tuple[Link, ...]:
    """Return the jump to a place, none where the place says nothing."""
    if place is None:
        return ()
    if place.turn is not None:
        return (Link(f"turn {place.turn}", place),)
    return (Link(f"item {place.item_id}", place),) if place.item_id is not None else ()
