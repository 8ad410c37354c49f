"""A Gym row joined with the native session in a folder named by its rollout id (CONTRACT 2, 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.model import (
    Evidence,
    Harness,
    Invocation,
    OtherReading,
    Place,
    Rollout,
    Route,
    StoredPart,
    Task,
    Usage,
)

_UNDECIDED = Route().because


def gate_of(row: Rollout) -> bool | None:
    """The gate that the row shows, None where it shows none: then the session's own detection stands (CONTRACT 4.2)."""
    if row.route.forced:
        return row.route.gym_reasoning
    return None if row.route.because == _UNDECIDED else row.route.gym_reasoning


def with_native(row: Rollout, session: Rollout, artifacts: Sequence[str]) -> Rollout:
    """The row with its native session: parts and, where the row holds no conversation of its own, its invocations.

    The row decides the gate and the scored text; the session's own reading goes to `scored.others` where it differs.
    """
    observed = _observes(row)
    invocations = _with_parts(row.invocations, session.invocations) if observed else session.invocations
    others = row.scored.others
    if session.scored.final_text != row.scored.final_text:
        others = (
            *others,
            OtherReading(
                f"store:{session.scored.reading}",
                session.scored.final_text,
                f"the last message of {session.source.path} as Gym computes it",
                session.scored.origin if not observed else Place(),
            ),
        )
    return replace(
        row,
        invocations=invocations,
        harness=_filled_harness(row.harness, session.harness),
        route=session.route if gate_of(row) is None else row.route,
        task=_filled_task(row.task, session.task),
        final_answer=row.final_answer if observed else final_answer_of(invocations[0] if invocations else None),
        scored=replace(row.scored, others=others),
        usage=_filled_usage(row.usage, session.usage),
        source=replace(row.source, artifacts=tuple(dict.fromkeys((*row.source.artifacts, *artifacts)))),
        diagnostics=(*row.diagnostics, *session.diagnostics),
        evidence=_merged(row.evidence, session.evidence),
        notes=(*row.notes, *session.notes),
    )


def _observes(row: Rollout) -> bool:
    """True when the row brought an observed conversation, not one made up from its response."""
    return row.evidence.trajectory_state == "valid" or any(i.extra.get("observed") is True for i in row.invocations)


def _with_parts(own: tuple[Invocation, ...], native: tuple[Invocation, ...]) -> tuple[Invocation, ...]:
    by_id = {invocation.id: invocation for invocation in native}
    found: list[Invocation] = []
    for position, invocation in enumerate(own):
        match = by_id.get(invocation.id)
        if match is None and position == 0 and native:
            match = native[0]
        found.append(invocation if match is None else replace(invocation, parts=_placed(match.parts, invocation)))
    known = {invocation.id for invocation in found}
    root = native[0].id if native else None
    found.extend(i for i in native if i.id not in known and i.id != root)
    return tuple(found)


def _placed(parts: tuple[StoredPart, ...], invocation: Invocation) -> tuple[StoredPart, ...]:
    """The session's parts with the turn numbers of the row's own conversation, by message id; else none."""
    numbers = {turn.message_id: turn.number for turn in invocation.turns}
    return tuple(replace(part, turn=numbers.get(part.message_id, part.turn)) for part in parts)


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


def _filled_usage(row: Usage, session: Usage) -> Usage:
    return session if row == Usage() else row
