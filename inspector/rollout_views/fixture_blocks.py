"""A fixture's result as blocks: what it shows, and each differing fact, expected beside actual, with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rollout_loaders.fixtures import Difference, Missing, Result
from rollout_loaders.model import JsonValue, Place, Rollout

from .block import Block, Link, Tone
from .formatting import one_line, quantity
from .json_text import compact

VALUE = 2_000
"""Characters of an expected or actual value; the document holds the rest."""
_CONVERSATION = re.compile(r"/invocations/(\d+)(?:/turns/(\d+)(?:/(reasoning|answer|tool_calls|input)/(\d+))?)?")


def value_text(value: JsonValue | Missing, limit: int = VALUE) -> str:
    """One line of JSON, clipped with a count of what was left out."""
    return "(missing)" if isinstance(value, Missing) else one_line(compact(value), limit)


def fixture_blocks(result: Result) -> tuple[Block, ...]:
    """Blocks for the facts pane: title and rule first, then every difference."""
    made = [_sentence("fixture", result.title, "normal")]
    expectation = result.expectation
    if expectation is not None and expectation.why:
        made.append(_sentence("rule", expectation.why, "note"))
    if expectation is not None and expectation.link:
        made.append(_sentence("see", expectation.link, "note"))
    if result.error is not None:
        made.append(_sentence("error", result.error, "problem"))
    elif result.passed:
        checked = quantity(len(result.rollouts), "rollout")
        made.append(_sentence("pass", f"{checked} read as expected", "normal"))
    by_id = {rollout.id: rollout for rollout in result.rollouts}
    for index, found in enumerate(result.differences):
        made.append(_difference(index, found, by_id.get(found.rollout or "")))
    return tuple(made)


def _sentence(label: str, text: str, tone: Tone) -> Block:
    return Block(label, label, tone, title="", body=text)


def _difference(index: int, found: Difference, rollout: Rollout | None) -> Block:
    place = place_of(rollout, found.pointer) if rollout is not None else None
    whose = f"{found.rollout} " if found.rollout else ""
    return Block(
        id=f"difference-{index}",
        label="differs",
        tone="problem",
        title=f"{whose}{found.pointer or '/'} {found.message}",
        body=f"expected  {value_text(found.expected)}\nactual    {value_text(found.actual)}",
        place=place or Place(),
        links=(Link(_where(place), place),) if place is not None else (),
    )


def _where(place: Place) -> str:
    turn = f"turn {place.turn}" if place.turn is not None else "its conversation"
    return f"{turn}, {place.item_id}" if place.item_id else turn


def place_of(rollout: Rollout, pointer: str) -> Place | None:
    """Where in the transcript the fact that a pointer names arises; None for facts of the rollout as a whole."""
    if pointer.startswith("/final_answer"):
        root = rollout.root
        answer = rollout.final_answer
        return Place(root.id if root else None, answer.turn, answer.item_id) if answer.turn is not None else None
    if pointer.startswith("/scored"):
        origin = rollout.scored.origin
        return None if origin == Place() else Place(origin.invocation, origin.turn, rollout.scored.final_item_id)
    match = _CONVERSATION.match(pointer)
    if match is None or int(match[1]) >= len(rollout.invocations):
        return None
    invocation = rollout.invocations[int(match[1])]
    if match[2] is None or int(match[2]) >= len(invocation.turns):
        return Place(invocation.id)
    turn = invocation.turns[int(match[2])]
    if match[3] is None:
        return Place(invocation.id, turn.number)
    pieces = {
        "reasoning": [piece.id for piece in turn.reasoning],
        "answer": [piece.id for piece in turn.answer],
        "tool_calls": [call.id for call in turn.tool_calls],
        "input": [message.id for message in turn.input],
    }[match[3]]
    index = int(match[4])
    return Place(invocation.id, turn.number, pieces[index] if index < len(pieces) else None)


def marks_of(rollout: Rollout, differences: Iterable[Difference]) -> Mapping[Place, str]:
    """What to write beside the items of a transcript that differ: place → `differs from what is expected: …`."""
    marks: dict[Place, str] = {}
    for found in differences:
        place = place_of(rollout, found.pointer) if found.rollout == rollout.id else None
        if place is not None:
            said = f"{found.pointer} {found.message}: expected {value_text(found.expected, 80)}"
            marks[place] = f"{marks[place]}; {said}" if place in marks else said
    return marks
