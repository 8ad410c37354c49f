"""A Gym row joined with the native session in a folder named by its rollout id (CONTRACT 2, 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.think import split
from rollout_loaders.formats.gym_rollout import ROOT
from rollout_loaders.model import (
    Evidence,
    Harness,
    Invocation,
    Item,
    OtherReading,
    Place,
    Rollout,
    Route,
    Scored,
    StoredPart,
    Task,
    Usage,
)

_SPLIT_ID = "-reasoning"


def gated(row: Rollout, read: Callable[[bool | None], Rollout], forced: bool | None) -> tuple[Rollout, Route]:
    """The session read as the row was scored, and the route that says so (CONTRACT 4.2: a joined row decides).

    `read` reads the session with the gate on, off or (None) as it detects.
    """
    session = read(forced)
    if forced is not None or not session.source.format.startswith("opencode-"):
        return session, session.route if forced is not None else row.route
    decided = _shown_by(row)
    if decided is not None:
        gate, why = decided
    else:
        agreeing = [gate for gate in (True, False) if read(gate).scored.final_text == row.scored.final_text]
        if len(agreeing) != 1:
            because = f"detected: {session.route.because}; the row reads the same either way"
            return session, Route(session.route.gym_reasoning, False, because)
        gate, why = agreeing[0], "only so does the session give the text that was scored"
    return read(gate), Route(gate, False, f"the joined row decides, the split was {'on' if gate else 'off'}: {why}")


def _shown_by(row: Rollout) -> tuple[bool, str] | None:
    """The gate that the row alone shows, and by what."""
    if any(item.is_assistant_message and split(item.text or "").reasoning is not None for item in row.scored.items):
        return False, "a scored text begins with a whole think block"
    split_ids = (item.id for i in row.invocations for item in i.items if item.type == "reasoning")
    if any(name is not None and name.endswith(_SPLIT_ID) for name in split_ids):
        return True, "its observations hold reasoning that was split off"
    return None


def with_native(row: Rollout, session: Rollout, route: Route, artifacts: Sequence[str]) -> Rollout:
    """The row with its native session: parts and, where the row holds no conversation of its own, its invocations.

    The row's scored text stays; the session's own reading goes to `scored.others` where it differs.
    """
    observed = row.root is not None and row.root.id != ROOT
    invocations = _with_parts(row.invocations, session.invocations) if observed else _in_place_of(row, session)
    scored = _with_other(row.scored, session)
    if not observed:
        scored = _placed_anew(scored, invocations)
    return replace(
        row,
        invocations=invocations,
        harness=_filled_harness(row.harness, session.harness),
        route=route,
        task=_filled_task(row.task, session.task),
        final_answer=row.final_answer if observed else final_answer_of(invocations[0] if invocations else None),
        scored=scored,
        usage=session.usage if row.usage == Usage() else row.usage,
        source=replace(row.source, artifacts=tuple(dict.fromkeys((*row.source.artifacts, *artifacts)))),
        diagnostics=(*row.diagnostics, *session.diagnostics),
        evidence=_merged(row.evidence, session.evidence),
        notes=(*row.notes, *session.notes),
    )


def _in_place_of(row: Rollout, session: Rollout) -> tuple[Invocation, ...]:
    """The session's invocations; the row's own record stays reachable among the root's parts."""
    if not session.invocations:
        return row.invocations
    root, *others = session.invocations
    own = row.root.parts if row.root is not None else ()
    return (replace(root, parts=(*root.parts, *(replace(part, turn=None) for part in own))), *others)


def _with_parts(own: tuple[Invocation, ...], native: tuple[Invocation, ...]) -> tuple[Invocation, ...]:
    """The row's observed invocations with the native parts of each; native invocations that it lacks follow."""
    by_id = {invocation.id: invocation for invocation in native}
    found: list[Invocation] = []
    for position, invocation in enumerate(own):
        match = by_id.pop(invocation.id, None)
        if match is None and position == 0 and native:
            match = by_id.pop(native[0].id, None)
        parts = () if match is None else _numbered(match.parts, invocation)
        found.append(replace(invocation, parts=(*parts, *invocation.parts)))
    return (*found, *by_id.values())


def _numbered(parts: tuple[StoredPart, ...], invocation: Invocation) -> tuple[StoredPart, ...]:
    """The session's parts with the turn numbers of the row's own conversation, by message id."""
    numbers = {turn.message_id: turn.number for turn in invocation.turns}
    return tuple(replace(part, turn=numbers.get(part.message_id, part.turn)) for part in parts)


def _with_other(scored: Scored, session: Rollout) -> Scored:
    if session.scored.final_text == scored.final_text:
        return scored
    other = OtherReading(
        f"store:{session.scored.reading}",
        session.scored.final_text,
        f"the last message of {session.source.path}, as Gym computes it with the row's gate",
        session.scored.origin,
    )
    return replace(scored, others=(*scored.others, other))


def _placed_anew(scored: Scored, invocations: tuple[Invocation, ...]) -> Scored:
    """Scored items pointed at the native turns that wrote them; where several or none did, at no turn."""
    texts: dict[str, list[Place]] = {}
    calls: dict[str, list[Place]] = {}
    for invocation in invocations:
        for turn in invocation.turns:
            for piece in turn.answer:
                texts.setdefault(piece.text, []).append(Place(invocation.id, turn.number, piece.id))
            for call in turn.tool_calls:
                calls.setdefault(call.call_id or call.id, []).append(Place(invocation.id, turn.number, call.id))

    def place(item: Item) -> Place:
        found = texts.get(item.text or "", []) if item.is_assistant_message else calls.get(item.call_id or "", [])
        return found[0] if len(found) == 1 else Place(item_id=item.id)

    items = tuple(replace(item, place=place(item)) for item in scored.items)
    graded = items[scored.final_index].place if scored.final_index is not None else Place()
    return replace(scored, items=items, origin=graded)


def _merged(row: Evidence, session: Evidence) -> Evidence:
    return replace(
        row,
        run_result=row.run_result or session.run_result,
        session_folder=row.session_folder or session.session_folder,
        model_calls=row.model_calls or session.model_calls,
        requests_source=row.requests_source or session.requests_source,
        pi=row.pi or session.pi,
        last_message=row.last_message or session.last_message,
        disagreements=(*row.disagreements, *session.disagreements),
    )


def _filled_harness(row: Harness, session: Harness) -> Harness:
    return Harness(
        name=session.name or row.name,
        version=row.version or session.version,
        agent=row.agent or session.agent,
        model=row.model or session.model,
        provider=row.provider or session.provider,
    )


def _filled_task(row: Task, session: Task) -> Task:
    return row if row.prompt is not None else replace(row, prompt=session.prompt)
