"""Session trees of an OpenCode store, and the artifact that reads them: shared by the database and the JSON store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import Protocol

from rollout_loaders.convert.reply import pieces, turn_numbers
from rollout_loaders.convert.route import route_of
from rollout_loaders.convert.scored import HOST_RESPONSE, SESSION_OUTPUT
from rollout_loaders.convert.session_rollout import StoredRollout, rollout_of
from rollout_loaders.convert.stored import PartOrder, StoredMessage, StoredPart, StoredSession
from rollout_loaders.evidence import complete
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, Gap, OtherReading, Place, Rollout, RolloutSummary, SourceRef
from rollout_loaders.reader import ReadOptions
from rollout_loaders.summary import summarise

WHOLE_STORE = "host-response of the whole store"
"""The reading of Gym's local run over a store with several roots (CONTRACT 4.6)."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Messages of some sessions with their parts, and what went wrong with them."""

    messages: Mapping[str, Sequence[StoredMessage]]
    orphans: Mapping[str, Sequence[StoredPart]]
    diagnostics: tuple[Diagnostic, ...] = ()
    gaps: tuple[Gap, ...] = ()
    doubt: str | None = None
    """Why messages may be missing, anywhere."""


class SessionSource(Protocol):
    """An opened store. Everything it gives comes from one state of the files."""

    def sessions(self) -> Sequence[StoredSession]:
        """All sessions, without their messages, also those that only messages name."""
        ...

    def load(self, session_ids: Sequence[str]) -> Loaded:
        """Messages and parts of these sessions."""
        ...

    def newest_parts(self) -> Iterator[tuple[str, str]]:
        """`(message id, part id)` of every part of the store, latest first in Gym's order."""
        ...

    def message(self, message_id: str) -> StoredMessage | None:
        """One message with its parts."""
        ...

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the store as a whole."""
        ...


def session_order(session: StoredSession) -> tuple[int, str]:
    """Sort key of CONTRACT 3: by (time_created, id); ids alone descend (formats 1.3)."""
    return (session.time_created if session.time_created is not None else 0, session.id)


def trees(sessions: Sequence[StoredSession]) -> list[tuple[StoredSession, ...]]:
    """One tuple a rollout: its root, then its descendants of any depth, each by (time_created, id).

    A session whose parent is not in the store is a root of its own; so is the earliest one of a ring of parents.
    """
    by_id = {session.id: session for session in sorted(sessions, key=session_order)}
    children: dict[str, list[str]] = {}
    for session in by_id.values():
        if session.parent_id in by_id and session.parent_id != session.id:
            children.setdefault(session.parent_id, []).append(session.id)
    roots = [s.id for s in by_id.values() if s.parent_id not in by_id or s.parent_id == s.id]
    taken: set[str] = set()
    found = [_tree(root, by_id, children, taken) for root in roots]
    found.extend(_tree(session, by_id, children, taken) for session in by_id if session not in taken)
    return sorted(found, key=lambda tree: session_order(tree[0]))


def _tree(
    root: str, by_id: Mapping[str, StoredSession], children: Mapping[str, list[str]], taken: set[str]
) -> tuple[StoredSession, ...]:
    members, waiting = [root], [root]
    taken.add(root)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in taken:
                taken.add(child)
                members.append(child)
                waiting.append(child)
    below = sorted((by_id[member] for member in members[1:]), key=session_order)
    return (by_id[root], *below)


@dataclass(slots=True)
class StoreArtifact:
    """An OpenCode store with any number of root sessions, one rollout each."""

    path: str
    format: str
    opening: SessionOpening
    order: PartOrder
    options: ReadOptions
    _diagnostics: tuple[Diagnostic, ...] = field(default=(), init=False)

    def rollouts(self) -> Iterator[Rollout]:
        """Every root session with its descendants, by (time_created, id) of the root."""
        with self.opening() as source:
            found = trees(source.sessions())
            self._diagnostics = source.diagnostics()
            whole = _WholeStore(source, len(found))
            for tree in found:
                yield self._rollout(source, tree, whole)
            self._diagnostics = source.diagnostics()

    def summaries(self) -> Iterator[RolloutSummary]:
        """As `rollouts`; a session is small beside the database that holds it."""
        for rollout in self.rollouts():
            yield summarise(complete(rollout, self.options))

    def find(self, locator: str) -> Rollout | None:
        """The rollout of a session id; that of a subagent is the one of its root."""
        with self.opening() as source:
            found = trees(source.sessions())
            self._diagnostics = source.diagnostics()
            for tree in found:
                if any(session.id == locator for session in tree):
                    return self._rollout(source, tree, _WholeStore(source, len(found)))
        return None

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Of the store as a whole, as far as it was read."""
        return self._diagnostics

    def _rollout(self, source: SessionSource, tree: tuple[StoredSession, ...], whole: _WholeStore) -> Rollout:
        loaded = source.load([session.id for session in tree])
        sessions = tuple(replace(session, messages=tuple(loaded.messages.get(session.id, ()))) for session in tree)
        root = sessions[0]
        gaps = loaded.gaps
        if root.parent_id is not None and root.parent_id != root.id:
            gaps = (*gaps, Gap("subagent_parent_unavailable", root.id, root.parent_id))
        gate = route_of(root, self.options.gym_reasoning).gym_reasoning
        return rollout_of(
            StoredRollout(
                sessions=sessions,
                order=self.order,
                source=SourceRef(self.path, self.format, root.id),
                reading=SESSION_OUTPUT if self.options.session_folder else HOST_RESPONSE,
                forced_gate=self.options.gym_reasoning,
                other_readings=whole.reading(gate),
                diagnostics=loaded.diagnostics,
                gaps=gaps,
                orphans=loaded.orphans,
                doubt=loaded.doubt,
            )
        )


class SessionOpening(Protocol):
    """Opens a store for reading and closes it again."""

    def __call__(self) -> AbstractContextManager[SessionSource]:
        """A source that lives as long as the context."""
        ...


class _WholeStore:
    """The final text of the host response over every session of a store with several roots."""

    def __init__(self, source: SessionSource, roots: int) -> None:
        self._source = source
        self._roots = roots
        self._by_gate: dict[bool, OtherReading] = {}

    def reading(self, gate: bool) -> tuple[OtherReading, ...]:
        """One reading, or none for a store with one root."""
        if self._roots < 2:
            return ()
        if gate not in self._by_gate:
            self._by_gate[gate] = self._compute(gate)
        return (self._by_gate[gate],)

    def _compute(self, gate: bool) -> OtherReading:
        because = (
            f"Gym's local run reads all {self._roots} root sessions of this store as one response; "
            "the latest text of any of them is its final text"
        )
        sessions = {session.id: session for session in self._source.sessions()}
        messages: dict[str, StoredMessage | None] = {}
        for message_id, part_id in self._source.newest_parts():
            if message_id not in messages:
                messages[message_id] = self._source.message(message_id)
            message = messages[message_id]
            if message is None or message.role != "assistant" or message.session_id not in sessions:
                continue
            for piece in pieces(sessions[message.session_id], message, gate):
                speaks = bool(piece.split.answer.strip()) or piece.empty_answer
                if piece.part.id == part_id and piece.part.type == "text" and speaks:
                    place = self._place(message, sessions[message.session_id], part_id)
                    return OtherReading(WHOLE_STORE, piece.split.answer, because, place)
        return OtherReading(WHOLE_STORE, "", because)

    def _place(self, message: StoredMessage, session: StoredSession, part_id: str) -> Place:
        loaded = self._source.load([session.id]).messages.get(session.id, ())
        numbers = turn_numbers(replace(session, messages=tuple(loaded)))
        return Place(session.id, numbers.get(message.id), part_id)
