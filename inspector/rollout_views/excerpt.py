"""Which sections of a long transcript fit a size: the beginning and the end, with the middle counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .block import Section


class Excerpt(NamedTuple):
    """What is shown of a sequence of sections, already drawn."""

    head: list[str]
    skipped: tuple[Section, ...]
    tail: list[str]


def excerpt(sections: Sequence[Section], draw: Callable[[Section], str], budget: int) -> Excerpt:
    """Draw sections from both ends until the budget (UTF-8 bytes) is spent.

    The beginning gets two fifths. The end holds the final answer and the scored text, so it gets the larger share.
    """
    head: list[str] = []
    spent, start = 0, 0
    while start < len(sections):
        text = draw(sections[start])
        size = len(text.encode("utf-8", "replace"))
        if spent + size > budget * 2 // 5 and (head or size > budget // 2):
            break
        head.append(text)
        spent += size
        start += 1
    tail: list[str] = []
    stop = len(sections)
    while stop > start:
        text = draw(sections[stop - 1])
        size = len(text.encode("utf-8", "replace"))
        if spent + size > budget:
            break
        tail.append(text)
        spent += size
        stop -= 1
    return Excerpt(head, tuple(sections[start:stop]), tail[::-1])


def drawn_up_to(budget: int, pieces: Iterable[str]) -> str:
    """Return the pieces of one section as one text. One that is larger than the budget is drawn no further than that:
    it will not be shown.
    """
    taken: list[str] = []
    spent = 0
    for piece in pieces:
        taken.append(piece)
        spent += len(piece)
        if spent > budget:
            break
    return "".join(taken)


def skipped_words(skipped: Sequence[Section]) -> str:
    """Return `… 340 more sections (turns 12 to 351)`, '' for none."""
    if not skipped:
        return ""
    turns = [section.turn for section in skipped if section.turn is not None]
    where = f" (turns {turns[0]} to {turns[-1]})" if turns else ""
    return f"… {len(skipped):,} more section{'s' if len(skipped) > 1 else ''}{where}"
