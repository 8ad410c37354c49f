"""Places as the command line writes them: `PATH#ROLLOUT@PLACE`. What is printed here is accepted here (CONTRACT 2)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from rollout_loaders.fast_dataclass import dataclass

from .errors import LocatorError
from .model import Place, Rollout, RolloutSummary

STDIN = "-"
LONGEST_PATH = 4096
_PLACE = re.compile(
    r"(?:(?P<invocation>(?!turn:\d)[^/@\s]+)/)?(?:turn:(?P<turn>[0-9]{1,9})(?:/item:(?P<item>[^@\s]+))?|item:(?P<only>[^@\s]+))"
    r"|invocation:(?P<whole>[^/@\s]+)"
)
_SAFE = "-_.~:+,=()!*'$&;|"
_IDENTITY = re.compile(r"(?P<task>\d+)-(?P<rollout>\d+)(?:-a(?P<attempt>\d+))?")


@dataclass(frozen=True, slots=True)
class Locator:
    """A PATH argument taken apart. `rollout` is `3-1`, `3-1-a2`, `L17`, `ses_…` or any rollout id, decoded."""

    path: str
    rollout: str | None = None
    place: Place | None = None


def parse(text: str, exists: Callable[[str], bool] = os.path.lexists) -> Locator:
    """Take a PATH argument apart. A path that exists as written wins over `#` and `@`.

    >>> parse("rollouts.jsonl#3-1@turn:7", exists=lambda path: path == "rollouts.jsonl")
    Locator(path='rollouts.jsonl', rollout='3-1', place=Place(invocation=None, turn=7, item_id=None))
    """
    if text == STDIN or exists(text):
        return Locator(text)
    readings = _readings(text)
    for reading in readings:
        path = text[: reading.path_end]
        if path == STDIN or exists(path):
            return _taken(text, reading)
    # The path is missing: the reading that takes off the most, at the last mark, is the one that was meant.
    return _taken(text, max(readings, key=lambda r: (r.place is not None, r.path_end < r.end, r.path_end)))


class _Reading(NamedTuple):
    """One way to take a text apart: the path ends at `path_end`, the id behind its mark at `end`."""

    path_end: int
    end: int
    place: Place | None


def _readings(text: str) -> list[_Reading]:
    """Every way to take `text` apart, longest path first.

    A place holds no `@`, so only the last one can begin it; no system opens a path of more than `LONGEST_PATH`.
    """
    found = [_Reading(len(text), len(text), None)]
    at = text.rfind("@")
    place = parse_place(text[at + 1 :]) if at > 0 else None
    if place is not None:
        found.append(_Reading(at, at, place))
    for whole in list(found):
        # An id may be empty: a damaged database has such sessions.
        marks = (i for i in range(min(whole.end - 1, LONGEST_PATH), 0, -1) if text[i] == "#")
        found.extend(_Reading(mark, whole.end, whole.place) for mark in marks)
    # Of two that leave the same path, the one that knows a place: an id never holds a bare `@`.
    return sorted(found, key=lambda reading: (-reading.path_end, reading.place is None))


def _taken(text: str, reading: _Reading) -> Locator:
    name = _decoded(text[reading.path_end + 1 : reading.end]) if reading.path_end < reading.end else None
    return Locator(text[: reading.path_end], name, reading.place)


@lru_cache(maxsize=16)
def _encoded(name: str) -> str:
    """An id as it stands in a locator; ids with lone surrogates exist and are taken back."""
    return quote(name, safe=_SAFE, errors="surrogatepass")


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="surrogatepass")
    except UnicodeDecodeError:
        return unquote(text)


def parse_place(text: str) -> Place | None:
    """`turn:7`, `ses_…/turn:7`, `item:prt_…`, `turn:7/item:prt_…` or `invocation:ses_…`; None for anything else."""
    match = _PLACE.fullmatch(text)
    if match is None:
        return None
    invocation = match["invocation"] or match["whole"]
    item = match["item"] or match["only"]
    return Place(
        _decoded(invocation) if invocation else None,
        int(match["turn"]) if match["turn"] else None,
        _decoded(item) if item else None,
    )


def parse_identity(rollout: str) -> tuple[int, int, int | None] | None:
    """`3-1-a2` as (task, rollout, attempt or None); None when it is no such id (gym-semantics 1.2)."""
    match = _IDENTITY.fullmatch(rollout)
    if match is None:
        return None
    return int(match["task"]), int(match["rollout"]), int(match["attempt"]) if match["attempt"] else None


def format_place(rollout: Rollout | RolloutSummary, place: Place | None = None) -> str:
    """The argument that leads back to this place of this rollout."""
    path, name = rollout.source.path, _encoded(rollout.id)
    tail = ""
    root = rollout.root.id if isinstance(rollout, Rollout) and rollout.root else None
    if place is not None and place not in (Place(), Place(root)):
        tail = "@" + _format_inner(place, root)
    text = f"{path}#{name}{tail}"
    if not _leads_back(text, path, f"{path}#{name}", rollout.id):
        # A file of exactly this name exists, or the path itself ends like a locator: escape one character.
        name = f"%{ord(rollout.id[0]):02X}{_encoded(rollout.id[1:])}" if rollout.id[:1].isascii() else name
        text = f"{path}#{name}{tail}"
    return text


def _leads_back(text: str, path: str, whole: str, ident: str) -> bool:
    """Whether the argument is read as it was meant. Ids are written without the marks, so only paths can confuse."""
    if "#" not in path and "@" not in path:
        return not os.path.lexists(text) and not os.path.lexists(whole)
    reading = parse(text)
    return (reading.path, reading.rollout) == (path, ident)


def _format_inner(place: Place, root: str | None) -> str:
    invocation = None if place.invocation == root else place.invocation
    steps = [] if invocation is None else [_encoded(invocation)]
    if place.turn is not None:
        steps.append(f"turn:{place.turn}")
    if place.item_id is not None:
        steps.append(f"item:{_encoded(place.item_id)}")
    if place.turn is None and place.item_id is None:
        return f"invocation:{_encoded(place.invocation or '')}"
    return "/".join(steps)


def locate(rollout: Rollout, place: Place) -> Place:
    """The place with its invocation and turn filled in. Raises `LocatorError` when the rollout has no such place."""
    named = place.invocation
    invocations = [i for i in rollout.invocations if named is None or i.id == named]
    if not invocations:
        known = ", ".join(i.id for i in rollout.invocations[:5]) or "none"
        raise LocatorError(f"{rollout.source.path}: {rollout.id} has no invocation {named}; it has: {known}")
    if place.turn is not None:
        invocation = invocations[0]
        if all(turn.number != place.turn for turn in invocation.turns):
            raise LocatorError(
                f"{rollout.source.path}: {rollout.id} has no turn {place.turn}"
                f"; it has {len(invocation.turns)} turn{'' if len(invocation.turns) == 1 else 's'}"
            )
        return Place(invocation.id, place.turn, place.item_id)
    if place.item_id is None:
        return Place(invocations[0].id)
    for invocation in invocations:
        found = item_turns(rollout, invocation.id).get(place.item_id, ...)
        if found is not ...:
            return Place(invocation.id, found, place.item_id)
    raise LocatorError(f"{rollout.source.path}: {rollout.id} has no item {place.item_id}")


def item_turns(rollout: Rollout, invocation_id: str) -> dict[str, int | None]:
    """Every id of one invocation that a place may name (messages, pieces, calls, items, parts), with its turn."""
    found: dict[str, int | None] = {}
    for invocation in rollout.invocations:
        if invocation.id != invocation_id:
            continue
        for part in invocation.parts:
            found[part.id] = part.turn
        for item in invocation.items:
            if item.id is not None:
                found[item.id] = item.place.turn
        for branch in invocation.branches:
            # Reachable by name only: the numbers of its turns are those of the path.
            found.update((part.id, None) for part in branch.parts)
            found.update((turn.message_id, None) for turn in branch.turns)
            found.update((message.id, None) for turn in branch.turns for message in turn.input)
            found.update((message.id, None) for message in branch.trailing_input)
            found.update((piece.id, None) for turn in branch.turns for piece in (*turn.reasoning, *turn.answer))
            found.update((call.id, None) for turn in branch.turns for call in turn.tool_calls)
        for compaction in invocation.compactions:
            found[compaction.id] = compaction.after_turn
        for message in invocation.trailing_input:
            found[message.id] = None
        for turn in invocation.turns:
            found[turn.message_id] = turn.number
            found.update((message.id, turn.number) for message in turn.input)
            found.update((piece.id, turn.number) for piece in (*turn.reasoning, *turn.answer))
            found.update((call.id, turn.number) for call in turn.tool_calls)
            found.update((call.call_id, turn.number) for call in turn.tool_calls if call.call_id is not None)
    if rollout.root is not None and rollout.root.id == invocation_id:
        for item in rollout.scored.items:
            if item.id is not None:
                found.setdefault(item.id, item.place.turn)
    return found
