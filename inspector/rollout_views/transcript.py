"""A rollout as sections and blocks, through one of the three lenses (CONTRACT 1): the door for every front end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rollout_loaders.model import Rollout

from . import observed_lens, scored_lens, stored_lens
from .block import LENSES, Block, Lens, Section, distinct
from .scored_mark import find_invocation

_PROBLEMS: dict[Lens, Callable[[Rollout], str | None]] = {
    "stored": stored_lens.problem,
    "observed": observed_lens.problem,
    "scored": scored_lens.problem,
}


def lens_problem(rollout: Rollout, lens: Lens) -> str | None:
    """Return why this lens is greyed for this rollout, or None when it has something to show."""
    return _PROBLEMS[lens](rollout)


def open_lens(rollout: Rollout, wanted: Lens = "observed") -> Lens:
    """Return the lens that opens: the wanted one, else the next that has something to show (CONTRACT 1)."""
    start = LENSES.index(wanted)
    order: tuple[Lens, ...] = (*LENSES[start:], *LENSES[:start])
    for lens in order:
        if lens_problem(rollout, lens) is None:
            return lens
    return wanted


def sections(rollout: Rollout, lens: Lens, invocation_id: str | None = None) -> tuple[Section, ...]:
    """Return the outline of one conversation (the root's for None). No text is worked on, whatever its length."""
    invocation = find_invocation(rollout, invocation_id)
    if lens == "scored":
        return scored_lens.sections(rollout)
    if invocation is None:
        return ()
    return stored_lens.sections(invocation) if lens == "stored" else observed_lens.sections(rollout, invocation)


def section_blocks(rollout: Rollout, lens: Lens, section: Section) -> tuple[Block, ...]:
    """Return the blocks of one section that `sections` gave for the same rollout and lens."""
    if lens == "scored":
        return tuple(distinct(scored_lens.section_blocks(rollout, section)))
    invocation = find_invocation(rollout, section.invocation)
    if invocation is None:
        return ()
    draw = stored_lens.section_blocks if lens == "stored" else observed_lens.section_blocks
    return tuple(distinct(draw(rollout, invocation, section)))


def blocks(rollout: Rollout, lens: Lens, invocation_id: str | None = None) -> Iterator[Block]:
    """Yield the blocks of all sections, one section at a time."""
    for section in sections(rollout, lens, invocation_id):
        yield from section_blocks(rollout, lens, section)
