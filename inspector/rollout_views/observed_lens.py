"""The lens `observed`: reasoning apart from answers, compactions where they happened, ids as Gym gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rollout_loaders.model import Branch, Compaction, Invocation, Place, Rollout, Turn

from .block import Block, Section, SectionKind, Tone
from .compaction_blocks import boundary_title, compaction_blocks, is_resolved
from .ending_blocks import ending_blocks, head_blocks, invocation_name
from .formatting import quantity
from .input_blocks import input_block
from .scored_mark import scored_mark
from .turn_blocks import Scene, turn_blocks, turn_tone


def problem(rollout: Rollout) -> str | None:
    """Return why this lens has nothing to show, or None."""
    if any(one.turns or one.trailing_input or one.compactions for one in rollout.invocations):
        return None
    if not rollout.invocations:
        return "this record holds no conversation: no observation of its own, and none can be computed from it"
    return "this record names its conversation but holds no turn of it"


def sections(rollout: Rollout, invocation: Invocation) -> tuple[Section, ...]:
    """Return the outline: a subagent's head, turns with the boundaries between them, the end, abandoned branches."""
    scene = Scene(rollout, invocation, scored_mark(rollout))
    made: list[Section] = []
    ident = invocation.id
    if not scene.is_root:
        made.append(Section("head", ident, 0, "boundary", ident, None, invocation, _head_title))
    waiting = _by_turn(invocation)
    title = scene.turn_title
    _add_boundaries(made, waiting.pop(0, []), ident)
    for turn in invocation.turns:
        number = turn.number
        made.append(Section("turn", number, len(made), turn_tone(turn), ident, number, turn, title))
        if waiting:
            _add_boundaries(made, waiting.pop(number, []), ident)
    for left in waiting.values():
        _add_boundaries(made, left, ident)
    made.append(Section("tail", "end", len(made), "boundary", ident, None, invocation, _tail_title))
    for branch in invocation.branches:
        made.append(Section("branch", branch.id, len(made), "muted", ident, None, branch, _branch_title))
    return tuple(made)


def section_blocks(rollout: Rollout, invocation: Invocation, section: Section) -> list[Block]:
    """Return the blocks of one section of this lens."""
    scene = Scene(rollout, invocation, scored_mark(rollout))
    return _DRAWN[section.kind](scene, section.source)


def _by_turn(invocation: Invocation) -> dict[int, list[Compaction]]:
    """Boundaries by the turn they follow; -1 for those whose place is not recorded."""
    found: dict[int, list[Compaction]] = {}
    for compaction in invocation.compactions:
        found.setdefault(-1 if compaction.after_turn is None else compaction.after_turn, []).append(compaction)
    return found


def _add_boundaries(made: list[Section], boundaries: list[Compaction], invocation: str) -> None:
    for boundary in boundaries:
        tone: Tone = "boundary" if is_resolved(boundary) else "problem"
        made.append(
            Section(
                "compaction", boundary.id, len(made), tone, invocation, boundary.after_turn, boundary, boundary_title
            )
        )


def _head_title(invocation: Invocation) -> str:
    return f"subagent {invocation_name(invocation)}"


def _tail_title(invocation: Invocation) -> str:
    waiting = len(invocation.trailing_input)
    return f"end · {quantity(waiting, 'message')} never answered" if waiting else "end"


def _branch_title(branch: Branch) -> str:
    waiting = len(branch.trailing_input)
    unanswered = f" · {quantity(waiting, 'message')} never answered" if waiting else ""
    return f"abandoned branch · {quantity(len(branch.turns), 'turn')}{unanswered}"


def _turn(scene: Scene, source: Turn) -> list[Block]:
    return turn_blocks(scene, source)


def _compaction(scene: Scene, source: Compaction) -> list[Block]:
    return compaction_blocks(source, scene.invocation, scene.mark)


def _head(scene: Scene, source: Invocation) -> list[Block]:
    return head_blocks(scene.rollout, source)


def _tail(scene: Scene, _source: Invocation) -> list[Block]:
    return ending_blocks(scene)


def _branch(scene: Scene, source: Branch) -> list[Block]:
    return list(_branch_blocks(scene, source))


def _branch_blocks(scene: Scene, branch: Branch) -> Iterator[Block]:
    """An abandoned branch is drawn as its own conversation: nothing in it is final, nothing in it was scored."""
    place = Place(scene.invocation.id)
    forked = f"forked at {branch.forked_at}" if branch.forked_at else "its fork is not recorded"
    title = f"abandoned branch {branch.id}: {forked}; in no total, never scored"
    yield Block(f"{branch.id}:branch", "branch", "boundary", title, place=place, rule=True)
    if branch.summary is not None:
        yield Block(
            id=f"{branch.id}:branch-summary",
            label="summary",
            tone="muted",
            body=branch.summary,
            foldable=True,
            folded=True,
            place=place,
        )
    own = Invocation(id=scene.invocation.id, parent_id=scene.invocation.parent_id, turns=branch.turns)
    for turn in branch.turns:
        for block in turn_blocks(Scene(scene.rollout, own, None), turn):
            yield _of_branch(branch, block)
    for message in branch.trailing_input:
        yield _of_branch(branch, input_block(message, scene.invocation.id, None, unanswered=True))


def _of_branch(branch: Branch, block: Block) -> Block:
    # Its turns are numbered on from the fork, as those of the path are: a place by number would lead to the path.
    return replace(block, id=f"{branch.id}/{block.id}", place=replace(block.place, turn=None))


_DRAWN: dict[SectionKind, Callable[[Scene, Any], list[Block]]] = {
    "turn": _turn,
    "compaction": _compaction,
    "head": _head,
    "tail": _tail,
    "branch": _branch,
}
