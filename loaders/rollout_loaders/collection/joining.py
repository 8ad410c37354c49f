"""Artifacts of one session as one rollout, read from the richest, the others compared with it (CONTRACT 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rollout_loaders.model import Diagnostic, PiLog, Rollout

_SESSION_ID = re.compile(r"ses_[0-9A-Za-z_]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_QUOTED = 60


def is_session_id(name: str) -> bool:
    """True for ids that a harness made (`ses_…`, a UUID): only those say that two files hold one session."""
    return _SESSION_ID.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Held:
    """What one artifact holds of one session: enough to join and to compare, no text kept but the answer."""

    shown: str
    session: str
    invocations: frozenset[str]
    answer: str | None
    turns: int
    pi: PiLog | None
    diagnostics: tuple[Diagnostic, ...]


def held(rollout: Rollout, shown: str) -> Held:
    """The comparable part of a rollout."""
    root = rollout.root
    return Held(
        shown,
        rollout.id,
        frozenset(invocation.id for invocation in rollout.invocations),
        rollout.final_answer.text,
        0 if root is None else len(root.turns),
        rollout.evidence.pi,
        rollout.diagnostics,
    )


def owners(artifacts: Sequence[Iterable[Held]]) -> dict[tuple[int, str], tuple[int, str]]:
    """For each (artifact, session), the richest artifact's session that holds it: itself, or as a child of it.

    `artifacts` are in order of richness. An export of a subagent's session belongs to the rollout of its root.
    """
    taken: dict[str, tuple[int, str]] = {}
    found: dict[tuple[int, str], tuple[int, str]] = {}
    for index, sessions in enumerate(artifacts):
        listed = list(sessions)
        for one in listed:
            key = (index, one.session)
            owner = taken.get(one.session) if is_session_id(one.session) else None
            found[key] = owner if owner is not None and owner[0] != index else key
        for one in listed:
            for session in (one.session, *one.invocations):
                if is_session_id(session):
                    taken.setdefault(session, found[(index, one.session)])
    return found


def joined(rollout: Rollout, shown: str, others: Sequence[Held]) -> Rollout:
    """`rollout`, read from the artifact `shown`, with the other artifacts of its session named and compared."""
    if not others:
        return rollout
    own = held(rollout, shown)
    disagreements = tuple(sentence for other in others for sentence in _contradictions(rollout, own, other))
    diagnostics = tuple(
        replace(d, locator=other.shown if d.locator is None else f"{other.shown}#{d.locator}")
        for other in others
        for d in other.diagnostics
    )
    record = rollout.evidence
    return replace(
        rollout,
        source=replace(
            rollout.source, artifacts=tuple(dict.fromkeys((*rollout.source.artifacts, *(o.shown for o in others))))
        ),
        diagnostics=(*rollout.diagnostics, *diagnostics),
        evidence=replace(
            record,
            disagreements=(*record.disagreements, *disagreements),
            pi=_outcome_log(record.pi, others),
        ),
    )


def _outcome_log(own: PiLog | None, others: Sequence[Held]) -> PiLog | None:
    """The log that Gym graded: one with outcome lines, where the richer artifact (a session file) has none."""
    if own is None or own.outcome_lines or not own.is_session_file:
        return own
    return next((other.pi for other in others if other.pi is not None and other.pi.outcome_lines), own)


def _contradictions(rollout: Rollout, own: Held, other: Held) -> list[str]:
    found: list[str] = []
    if other.session == own.session:
        if other.turns != own.turns:
            found.append(f"{own.shown} has {_turns(own.turns)}, {other.shown} has {_turns(other.turns)}")
        if (other.answer or "") != (own.answer or ""):
            found.append(
                f"the final answer is {_quote(own.answer)} in {own.shown} and {_quote(other.answer)} in {other.shown}"
            )
        return found
    child = next((i for i in rollout.invocations if i.id == other.session), None)
    if child is not None and len(child.turns) != other.turns:
        found.append(
            f"subagent {child.id} has {_turns(len(child.turns))} in {own.shown}, {_turns(other.turns)} in {other.shown}"
        )
    return found


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count:,} turns"


def _quote(text: str | None) -> str:
    if text is None:
        return "missing"
    if not text:
        return "empty"
    return f'"{text}"' if len(text) <= _QUOTED else f'"{text[:_QUOTED]}…" ({len(text):,} characters)'
