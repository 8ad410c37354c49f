"""The lens `scored`: the items the verifier read, in its order, the graded one marked, and what it did not see."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from rollout_loaders.model import Invocation, Item, OtherReading, Place, Rollout, Turn

from .block import Block, Link, Section
from .formatting import count, quantity
from .item_blocks import item_blocks
from .scored_mark import BADGE
from .unseen import Seen, unseen_of_turn
from .verdict import scored_words

MOST_IN_SECTION = 50
IGNORED_REASONING = "in the response; not part of the graded text"


class ItemGroup(NamedTuple):
    """Neighbouring items of one turn, or turns of which the verifier saw nothing."""

    items: Sequence[Item]
    """All scored items; those of this group are `start` to `stop`."""
    start: int
    stop: int
    turns: tuple[tuple[Invocation, Turn], ...]
    graded: int | None
    seen: Seen


class _Run(NamedTuple):
    home: str | None
    turn: int | None
    start: int
    stop: int


def problem(rollout: Rollout) -> str | None:
    """Return why this lens has nothing to show, or None."""
    if rollout.scored.items or rollout.scored.final_text is not None:
        return None
    return f"nothing was handed to a verifier: no {rollout.scored.reading} response is recorded or can be computed"


def sections(rollout: Rollout) -> tuple[Section, ...]:
    """Return the scored items grouped by the turn that wrote them, unseen turns where they stood, and the end.

    The scored reading is one for the whole rollout: no invocation narrows it.
    """
    made: list[Section] = []
    items, graded = rollout.scored.items, rollout.scored.final_index
    seen = Seen(items)
    runs = _runs(items)
    with_items = {(run.home, run.turn) for run in runs}
    waiting = {one.id: deque(one.turns) for one in rollout.invocations}
    homes = {one.id: one for one in rollout.invocations}
    for run in runs:
        own: tuple[tuple[Invocation, Turn], ...] = ()
        if run.turn is not None and run.home is not None and run.home in waiting:
            home, left = homes[run.home], waiting[run.home]
            while left and left[0].number < run.turn:
                _add_unseen(made, home, _take_unseen(left, run, with_items), seen)
            if left and left[0].number == run.turn:
                own = ((home, left.popleft()),)
        group = ItemGroup(items, run.start, run.stop, own, graded, seen)
        made.append(Section("items", run.start, len(made), "normal", run.home, run.turn, group, _title))
    for ident, left in waiting.items():
        _add_unseen(made, homes[ident], [turn for turn in left if (ident, turn.number) not in with_items], seen)
    root = rollout.root
    made.append(Section("tail", "end", len(made), "scored", root.id if root else None, None, rollout, _tail_title))
    return tuple(made)


def section_blocks(rollout: Rollout, section: Section) -> list[Block]:
    """Return the blocks of one group: what of its turn was not seen, then its items."""
    group = section.source
    if not isinstance(group, ItemGroup):
        return _ending(rollout)
    blocks = [] if group.start == group.stop else [_head(rollout, group, section)]
    for home, turn in group.turns:
        whole = group.start == group.stop
        blocks += unseen_of_turn(home, turn, group.seen, whole=whole, root=home is rollout.root)
    for index in range(group.start, group.stop):
        item = group.items[index]
        mark = IGNORED_REASONING if item.type == "reasoning" else ""
        blocks += item_blocks(item, index, badge=BADGE if index == group.graded else "", mark=mark)
    return blocks


def _head(rollout: Rollout, group: ItemGroup, section: Section) -> Block:
    root = rollout.root
    total = len(group.items)
    where = "turn not recorded" if section.turn is None else f"turn {section.turn}"
    if section.invocation is not None and root is not None and section.invocation != root.id:
        where += f" of subagent {section.invocation}"
    first, last = group.start + 1, group.stop
    span = f"item {first}" if first == last else f"items {first}–{last}"
    return Block(
        f"items:{group.start}:head", "items", "normal", f"{span} of {total} · {where}", place=section.place, rule=True
    )


def _runs(items: Sequence[Item]) -> list[_Run]:
    """Neighbouring items of one place, at most `MOST_IN_SECTION` together."""
    runs: list[_Run] = []
    start, home, number = 0, None, None
    for index, item in enumerate(items):
        place = item.place
        if index and (place.turn != number or place.invocation != home or index - start >= MOST_IN_SECTION):
            runs.append(_Run(home, number, start, index))
            start = index
        home, number = place.invocation, place.turn
    if items:
        runs.append(_Run(home, number, start, len(items)))
    return runs


def _take_unseen(left: deque[Turn], run: _Run, with_items: set[tuple[str | None, int | None]]) -> list[Turn]:
    """Take the turns before this run off `left`; return those that no run of the whole reading belongs to."""
    taken: list[Turn] = []
    while left and run.turn is not None and left[0].number < run.turn:
        turn = left.popleft()
        if (run.home, turn.number) not in with_items:
            taken.append(turn)
    return taken


def _add_unseen(made: list[Section], home: Invocation, turns: list[Turn], seen: Seen) -> None:
    for start in range(0, len(turns), MOST_IN_SECTION):
        chunk = turns[start : start + MOST_IN_SECTION]
        group = ItemGroup((), 0, 0, tuple((home, turn) for turn in chunk), None, seen)
        first = chunk[0].number
        ident = f"unseen:{home.id}:{first}"
        made.append(Section("items", ident, len(made), "muted", home.id, first, group, _title))


def _title(group: ItemGroup) -> str:
    if group.start == group.stop:
        first, last = group.turns[0][1].number, group.turns[-1][1].number
        return f"turn {first} not seen" if first == last else f"turns {first}–{last} not seen"
    number = group.items[group.start].place.turn
    shown = min(group.stop, group.start + 4)
    words = [_word(item) for item in group.items[group.start : shown]]
    if group.stop > shown:
        words.append(f"+{quantity(group.stop - shown, 'item')}")
    badge = f" {BADGE}" if group.graded is not None and group.start <= group.graded < group.stop else ""
    return f"{f'item {group.start + 1}' if number is None else number} {' · '.join(words)}{badge}"


def _word(item: Item) -> str:
    if item.type == "function_call":
        return f"tool {item.name or '(no name)'}"
    words = {"reasoning": "think", "function_call_output": "result"}
    word = ("answer" if item.role == "assistant" else item.role or "message") if item.type == "message" else item.type
    length = len(item.text or "")
    return f"{words.get(word, word)} {count(length) if length else '(empty)'}"


def _tail_title(rollout: Rollout) -> str:
    return f"{_read(rollout)}: {scored_words(rollout)}"


def _read(rollout: Rollout) -> str:
    """`graded`, or `scored text` where no verifier is known to have read it."""
    return "scored text" if rollout.grading.state == "not_graded" else "graded"


def _ending(rollout: Rollout) -> list[Block]:
    scored = rollout.scored
    total = len(scored.items)
    if scored.final_index is not None:
        item = f"item {scored.final_index + 1} of {total}, {scored_words(rollout)}"
        title = f"{_read(rollout)}: {item} (reading: {scored.reading})"
    elif scored.final_text is not None:
        title = (
            f"{_read(rollout)}: {scored_words(rollout)} (reading: {scored.reading}); it is none of the {total} items"
        )
    else:
        title = f"nothing to grade: no assistant message among {quantity(total, 'item')}"
    place = scored.origin
    links = () if place.turn is None else (_origin_link(place),)
    blocks = [Block("scored:end", "end", "boundary", title, place=place, links=links)]
    return blocks + [_other(one, index) for index, one in enumerate(scored.others)]


def _origin_link(place: Place) -> Link:
    return Link(f"written in turn {place.turn}", place)


def _other(other: OtherReading, index: int) -> Block:
    text = other.final_text
    length = "no text" if text is None else quantity(len(text), "character") if text else "(empty)"
    return Block(
        id=f"scored:other:{index}",
        label="reading",
        tone="problem",
        title=f"{other.reading}: {length}; {other.because}",
        body=text or "",
        foldable=bool(text),
        folded=bool(text),
        place=other.place,
    )
