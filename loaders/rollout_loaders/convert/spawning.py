"""Which tool call started which subagent (gym-semantics 4.4, `Subagent link`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Gap

from .call_ids import call_id_of
from .stored import StoredSession
from .tool_calls import tool_status


@dataclass(frozen=True, slots=True)
class SpawnLink:
    """The call that started a child session."""

    call_id: str
    part_id: str
    tool_status: str


@dataclass(frozen=True, slots=True)
class Spawned:
    """Links by child session id, and the gaps that Gym records where a link is missing or doubtful."""

    by_child: Mapping[str, SpawnLink]
    gaps: tuple[Gap, ...] = ()


def spawned(sessions: Sequence[StoredSession]) -> Spawned:
    """Links of every child session of a rollout.

    Where two calls name one child, the first started it and the others resumed it (formats 1.6, `task_id`); Gym leaves
    that open and records `subagent_spawn_ambiguous`, and so does this.
    """
    children = {session.id: session.parent_id for session in sessions[1:]}
    named: dict[str, list[SpawnLink]] = {}
    for session in sessions:
        for message in session.messages:
            for part in message.parts:
                child = part.tool.child_session_id if part.tool is not None else None
                if part.tool is not None and child in children and children[child] == session.id:
                    named.setdefault(child, []).append(SpawnLink(call_id_of(part), part.id, tool_status(part.tool)))
    gaps: list[Gap] = []
    ids = {session.id for session in sessions}
    for child, parent in children.items():
        if parent not in ids:
            gaps.append(Gap("subagent_parent_unavailable", child, parent))
        elif child not in named:
            gaps.append(Gap("subagent_spawn_tool_unavailable", child))
        elif len(named[child]) > 1:
            gaps.append(Gap("subagent_spawn_ambiguous", child, ", ".join(link.call_id for link in named[child])))
    return Spawned({child: links[0] for child, links in named.items()}, tuple(gaps))
