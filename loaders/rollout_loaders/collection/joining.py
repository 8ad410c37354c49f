"""Artifacts of one session as one rollout, read from the richest, the others compared with it (CONTRACT 2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, PiLog, Rollout

from .session_path import Tree, placed, sentence, tree_of

_SESSION_ID = re.compile(r"ses_[0-9A-Za-z_]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_QUOTED = 60
STREAM = "opencode-stdout"
NO_ROLES = "no-roles"
"""Its diagnostic about itself, which is settled where a richer artifact is read."""


def is_session_id(name: str) -> bool:
    """True for ids that a harness made (`ses_…`, a UUID): only those say that two files hold one session."""
    return _SESSION_ID.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Held:
    """What one artifact holds of one session: enough to join and to compare, no text kept but the answer."""

    shown: str
    format: str
    session: str
    invocations: frozenset[str]
    answer: str | None
    turns: int
    whole_turns: int
    """Turns that were finished: a session file keeps no others (formats 2.5)."""
    branch_turns: int
    """Turns of abandoned branches; a log has them among its turns."""
    pi: PiLog | None
    diagnostics: tuple[Diagnostic, ...]
    tree: Tree = field(default_factory=Tree)
    """Of a Pi session file only."""


def held(rollout: Rollout, shown: str) -> Held:
    """The comparable part of a rollout."""
    root = rollout.root
    turns = () if root is None else root.turns
    branches = {t.message_id for b in (root.branches if root is not None else ()) for t in b.turns}
    return Held(
        shown,
        rollout.source.format,
        rollout.id,
        frozenset(invocation.id for invocation in rollout.invocations),
        rollout.final_answer.text,
        len(turns),
        sum(not turn.partial for turn in turns),
        len(branches - {turn.message_id for turn in turns}),
        rollout.evidence.pi,
        rollout.diagnostics,
        tree_of(root) if rollout.source.format == "pi-session" else Tree(),
    )


def owners(artifacts: Sequence[Sequence[Held]]) -> dict[tuple[int, str], tuple[int, str]]:
    """For each (artifact, session), the artifact's session that is read for it: itself, or a child's root.

    `artifacts` are in order of richness. An export of a subagent's session belongs to the rollout of its root.
    """
    chosen = {session: (_richest(holders), session) for session, holders in _holders(artifacts).items()}
    inside: dict[str, tuple[int, str]] = {}
    for index, listed in enumerate(artifacts):
        for one in listed:
            for child in one.invocations - {one.session}:
                if is_session_id(child):
                    inside.setdefault(child, chosen.get(one.session, (index, one.session)))
    found: dict[tuple[int, str], tuple[int, str]] = {}
    for index, listed in enumerate(artifacts):
        for one in listed:
            own = (index, one.session)
            found[own] = inside.get(one.session) or chosen.get(one.session, own)
    return found


def _holders(artifacts: Sequence[Sequence[Held]]) -> dict[str, list[tuple[int, Held]]]:
    found: dict[str, list[tuple[int, Held]]] = {}
    for index, listed in enumerate(artifacts):
        for one in listed:
            if is_session_id(one.session):
                found.setdefault(one.session, []).append((index, one))
    return found


def _richest(holders: Sequence[tuple[int, Held]]) -> int:
    """The first, unless it is one of several logs of runs that continued one session: then the file that has all."""
    index, first = holders[0]
    logs = [one for _index, one in holders if one.format == "pi-events"]
    files = [(i, one) for i, one in holders if one.format == "pi-session"]
    if first.format == "pi-events" and len(logs) > 1 and files and files[0][1].turns > max(log.turns for log in logs):
        return files[0][0]
    return index


def joined(rollout: Rollout, shown: str, others: Sequence[Held]) -> Rollout:
    """`rollout`, read from the artifact `shown`, with the other artifacts of its session named and compared."""
    if not others:
        return rollout
    own = held(rollout, shown)
    runs = _runs_of(own, others)
    # A stream without roles counts summaries as turns (formats 1.7), so it cannot contradict a store.
    compared = [other for other in others if other not in runs and other.format != STREAM]
    disagreements = tuple(sentence for other in compared for sentence in _contradictions(rollout, own, other))
    files = [other for other in others if own.format == "pi-events" and (other.tree.branches or other.tree.path)]
    tree = next((file for file in files if file.tree.branches), files[0] if files else None)
    if tree is not None:
        rollout = placed(rollout, tree.tree)
    if tree is not None and tree.tree.branches:
        disagreements = (*disagreements, sentence(rollout, shown, tree.tree, tree.shown))
    diagnostics = tuple(
        replace(d, locator=other.shown if d.locator is None else f"{other.shown}#{d.locator}")
        for other in others
        for d in other.diagnostics
        if d.code != NO_ROLES
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


def _runs_of(own: Held, others: Sequence[Held]) -> list[Held]:
    """Logs of single runs of a session that was continued: together they have the turns of its file."""
    logs = [other for other in others if other.format == "pi-events" and other.session == own.session]
    whole = own.turns + own.branch_turns
    if own.format == "pi-session" and len(logs) > 1 and sum(log.whole_turns for log in logs) in (own.turns, whole):
        return logs
    return []


def _contradictions(rollout: Rollout, own: Held, other: Held) -> list[str]:
    found: list[str] = []
    if other.session != own.session:
        child = next((i for i in rollout.invocations if i.id == other.session), None)
        if child is not None and len(child.turns) != other.turns:
            counts = f"{_turns(len(child.turns))} in {own.shown} and {_turns(other.turns)} in {other.shown}"
            found.append(f"Subagent {child.id} has {counts}.")
        return found
    # A session file keeps no broken-off reply, and its leaf path leaves out branches that a log has in line.
    log, file = (own, other) if other.format == "pi-session" else (other, own)
    by_design = {log.format, file.format} == {"pi-events", "pi-session"}
    branched = by_design and file.branch_turns > 0
    if other.turns != own.turns and not (by_design and log.whole_turns in (file.turns, file.turns + file.branch_turns)):
        found.append(f"{own.shown} has {_turns(own.turns)}, {other.shown} has {_turns(other.turns)}.")
    broken_off = by_design and log.whole_turns < log.turns
    if (other.answer or "") != (own.answer or "") and not broken_off and not branched:
        answers = f"{_quote(own.answer)} in {own.shown} and {_quote(other.answer)} in {other.shown}"
        found.append(f"The final answer is {answers}.")
    return found


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count:,} turns"


def _quote(text: str | None) -> str:
    if text is None:
        return "missing"
    if not text:
        return "empty"
    return f'"{text}"' if len(text) <= _QUOTED else f'"{text[:_QUOTED]}…" ({len(text):,} characters)'
