"""A rollout out of stored sessions: invocations, readings, route and evidence, by the rules of this package only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import (
    Diagnostic,
    Evidence,
    FinalAnswer,
    Gap,
    Harness,
    Invocation,
    JsonValue,
    OtherReading,
    Reason,
    Rollout,
    Route,
    Scored,
    SourceRef,
    StoredPart,
    Task,
)

from . import stored, think
from .compactions import compactions
from .context import with_context
from .final_answer import final_answer_of
from .host_response import host_response
from .observed import observed
from .reply import pieces, turn_numbers
from .route import route_of
from .scored import HOST_RESPONSE, SESSION_OUTPUT, scored_by
from .session_output import session_output
from .session_usage import session_usage
from .spawning import Spawned, spawned
from .status import last_message, session_status
from .times import iso
from .tool_gaps import tool_gaps
from .turns import turns


@dataclass(frozen=True, slots=True)
class StoredRollout:
    """What a reader hands over: the sessions of one rollout, root first, and what it met while reading them."""

    sessions: tuple[stored.StoredSession, ...]
    """Root first, then its descendants by (time_created, id)."""
    order: stored.PartOrder
    source: SourceRef
    reading: str
    """`host-response` or `session-output`."""
    forced_gate: bool | None = None
    other_readings: tuple[OtherReading, ...] = ()
    """Readings that need more than these sessions, named whether or not they end in another text."""
    diagnostics: tuple[Diagnostic, ...] = ()
    gaps: tuple[Gap, ...] = ()
    orphans: Mapping[str, Sequence[stored.StoredPart]] = field(default_factory=dict[str, Sequence[stored.StoredPart]])
    """By session id: parts whose message is not in the store."""
    usage_messages: tuple[stored.StoredMessage, ...] | None = None
    """Messages whose tokens count, where they are not those of `sessions` (Gym's `export.json`)."""
    doubt: str | None = None
    """Why messages may be missing at the end of the root, so that its last one need not be the last."""
    extra: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


def rollout_of(given: StoredRollout) -> Rollout:
    """Build the rollout. Outcome, grading and findings are left to `evidence.complete`."""
    root = given.sessions[0]
    route = route_of(root, given.forced_gate)
    links = spawned(given.sessions)
    gaps: list[Gap] = [*given.gaps, *links.gaps]
    invocations: list[Invocation] = []
    ids = frozenset(session.id for session in given.sessions)
    for session in given.sessions:
        invocation, session_gaps = _invocation(session, given, route, links, ids)
        invocations.append(invocation)
        gaps.extend(session_gaps)
    scored, output_gaps = _scored(given, route)
    gaps.extend(output_gaps)
    notes = tuple(_notes(given.sessions, route))
    return Rollout(
        id=root.id,
        source=given.source,
        harness=_harness(root),
        route=_with_choice(route) if notes else route,
        task=Task(prompt=first_prompt(root)),
        invocations=tuple(invocations),
        final_answer=_final_answer(invocations[0], given.doubt),
        scored=scored,
        usage=session_usage(given.sessions, given.usage_messages),
        gaps=tuple(gaps),
        diagnostics=given.diagnostics,
        evidence=Evidence(
            session_output=given.reading == SESSION_OUTPUT,
            last_message=last_message(root, given.doubt),
        ),
        notes=notes,
        extra=given.extra,
    )


def _final_answer(root: Invocation, doubt: str | None) -> FinalAnswer:
    """The last text does not stand as the answer where later turns may be missing from the record."""
    found = final_answer_of(root)
    if doubt is None:
        return found
    return replace(found, stands=False, because=doubt if found.because is None else f"{found.because}; {doubt}")


def _harness(root: stored.StoredSession) -> Harness:
    """Agent, model and provider of the root's first own reply, else of the session row."""
    reply = next((m for m in root.messages if m.role == "assistant" and not m.summary), None)
    asked = next((m for m in root.messages if m.role == "user"), None)
    return Harness(
        name="opencode",
        version=root.version,
        agent=(reply.agent if reply else None) or root.agent or (asked.agent if asked else None),
        model=(reply.model if reply else None) or root.model or (asked.model if asked else None),
        provider=(reply.provider if reply else None) or root.provider or (asked.provider if asked else None),
    )


def first_prompt(root: stored.StoredSession) -> str | None:
    """The first user text as stored: OpenCode adds quotes and a trailing newline to it (formats trap 18)."""
    for message in root.messages:
        if message.role == "user":
            for part in message.parts:
                if part.type == "text" and part.text and not part.synthetic and not part.ignored:
                    return part.text
    return None


def _invocation(
    session: stored.StoredSession, given: StoredRollout, route: Route, links: Spawned, ids: frozenset[str]
) -> tuple[Invocation, tuple[Gap, ...]]:
    gate = route.gym_reasoning
    seen = observed(session, gate=gate, order=given.order)
    compacted = compactions(session, seen.first_items)
    taken = turns(session, gate=gate, sessions=ids, kept_from=compacted.kept_from, open_before=compacted.open_before)
    link = links.by_child.get(session.id)
    status = session_status(session)
    if status == "unknown" and link is not None:
        status = link.tool_status
    extra: dict[str, JsonValue] = dict(session.extra)
    if session.revert_message_id is not None:
        extra["reverted_from"] = session.revert_message_id
    invocation = Invocation(
        id=session.id,
        parent_id=session.parent_id,
        spawned_by=link.call_id if link is not None else None,
        status=status,
        title=session.title,
        turns=taken.turns,
        compactions=compacted.records,
        trailing_input=taken.trailing_input,
        items=seen.items,
        parts=tuple(_parts(session, given.orphans.get(session.id, ()))),
        agent=session.agent,
        started_at=iso(session.time_created),
        extra=extra,
    )
    return with_context(invocation), (*compacted.gaps, *tool_gaps(session))


def _parts(session: stored.StoredSession, orphans: Sequence[stored.StoredPart]) -> Iterator[StoredPart]:
    """The stored lens: the session's own record, then each message's, which may hold an error text, and its parts."""
    row = _session_record(session)
    yield StoredPart(session.id, session.id, "session", row, f"session:{session.id}", "session")
    numbers = turn_numbers(session)
    for message in session.messages:
        turn = numbers.get(message.id)
        yield StoredPart(message.id, message.id, "message", message.data, f"message:{message.id}", message.role, turn)
        for part in message.parts:
            yield _part(part, message.role, turn)
    for part in orphans:
        yield _part(part, None, None)


def _session_record(session: stored.StoredSession) -> dict[str, JsonValue]:
    """What the store says of the session itself: title and directory are text that a model may have read."""
    known: dict[str, JsonValue] = {
        "parent_id": session.parent_id,
        "title": session.title,
        "version": session.version,
        "agent": session.agent,
        "model": session.model,
        "provider": session.provider,
        "directory": session.directory,
        "reverted_from": session.revert_message_id,
        "time_created": session.time_created,
    }
    return {**{name: value for name, value in known.items() if value is not None}, **session.extra}


def _part(part: stored.StoredPart, role: str | None, turn: int | None) -> StoredPart:
    return StoredPart(part.id, part.message_id, part.type, part.data, part.locator or f"part:{part.id}", role, turn)


def _scored(given: StoredRollout, route: Route) -> tuple[Scored, tuple[Gap, ...]]:
    gate = route.gym_reasoning
    output = session_output(given.sessions[0], gate=gate)
    scored = scored_by(
        given.reading,
        {
            HOST_RESPONSE: lambda: host_response(given.sessions, gate=gate, order=given.order),
            SESSION_OUTPUT: lambda: output.items,
        },
        given.other_readings,
    )
    return scored, output.gaps if given.reading == SESSION_OUTPUT else ()


def _with_choice(route: Route) -> Route:
    """CONTRACT 4.1: `because` says that dropping an empty block is this tool's own choice."""
    said = "an empty think block is removed and gives no reasoning item, which is our choice"
    return replace(route, because=f"{route.because}; {said}")


def _notes(sessions: Sequence[stored.StoredSession], route: Route) -> Iterator[Reason]:
    if not route.gym_reasoning:
        return
    for session in sessions:
        for message in session.messages:
            if not any((part.text or "").startswith(think.OPEN) for part in message.parts):
                continue
            for piece in pieces(session, message, gate=True):
                if piece.split.has_block and not piece.split.has_reasoning:
                    yield Reason(
                        f"an empty think block was removed from {piece.part.id} and gives no reasoning item: "
                        "our choice, the sources leave it open",
                        rests_on=f"part:{piece.part.id}",
                    )
