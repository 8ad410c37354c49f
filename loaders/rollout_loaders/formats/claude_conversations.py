"""Lines of Claude Code folded into one conversation an agent: the root, sidechains and subagents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rollout_loaders.convert.logged import LoggedConversation
from rollout_loaders.model import Branch, Invocation, Item, JsonObject, is_object

from . import fields
from .claude_line import Agent, Line
from .claude_tree import Abandoned
from .line_records import Record

ROOT = ""
"""Key of the conversation that is no subagent's."""


class Conversations:
    """Feed it lines in file order; then ask for `invocations`."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {ROOT: Agent(LoggedConversation(ROOT))}
        self._chains: dict[str, str] = {}
        """Sidechain lines without an agent id belong to the line above them."""
        self._children: dict[str, str] = {}
        """Call id to the agent id that its result names."""

    def output(self, key: str) -> tuple[Item, ...]:
        """What an agent wrote and its tools gave, with the places of `invocations`."""
        return tuple(self._agents[key].conversation.output)

    def feed(self, record: Record, source: str = "") -> None:
        """One line, of the file itself or of the subagent file `source`."""
        if record.data is None:
            if record.part is not None:
                self._agents[ROOT].conversation.part(record.part)
            return
        data = record.data
        key = self._key(data, record, source)
        agent = self._agents.get(key)
        if agent is None:
            agent = self._agents[key] = Agent(LoggedConversation(key))
            agent.parent_call = fields.text(data, "parent_tool_use_id")
        where = f"{source}#{record.where}" if source else record.where
        Line(self._children, agent, data, where).read()

    def invocations(self, root_id: str, branches: Abandoned) -> tuple[Invocation, ...]:
        """The root, named `root_id`, then every subagent in order of its first line."""
        self._link()
        found: list[Invocation] = []
        for key, agent in self._agents.items():
            made = agent.conversation.invocation(
                id=root_id if key == ROOT else key,
                parent_id=None if key == ROOT else root_id,
                spawned_by=agent.parent_call,
                started_at=agent.started_at,
                title=agent.title,
            )
            found.append(made)
        root = replace(found[0], branches=tuple(_branches(branches, root_id)))
        children = {agent.parent_call: key for key, agent in self._agents.items() if agent.parent_call is not None}
        linked = [_with_children(one, children) for one in (root, *found[1:])]
        self._agents[ROOT].conversation.output[:] = [
            replace(item, place=replace(item.place, invocation=root_id)) for item in self.output(ROOT)
        ]
        return tuple(linked)

    def _key(self, data: JsonObject, record: Record, source: str) -> str:
        """`agentId`, the call that a stream names, else the chain of a sidechain of older transcripts."""
        parent_call = fields.text(data, "parent_tool_use_id")
        if parent_call is not None:
            return parent_call
        if fields.flag(data, "isSidechain") is not True:
            return ROOT if not source else source.removesuffix(".jsonl").removeprefix("agent-")
        uuid, parent = fields.text(data, "uuid") or record.where, fields.text(data, "parentUuid")
        own = fields.text(data, "agentId")
        self._chains[uuid] = own or self._chains.get(parent or "") or uuid
        return self._chains[uuid]

    def _link(self) -> None:
        """Which call started which agent: as its result says, else by the prompt that both hold."""
        for call_id, agent_id in self._children.items():
            if agent_id in self._agents and self._agents[agent_id].parent_call is None:
                self._agents[agent_id].parent_call = call_id
        taken = {agent.parent_call for agent in self._agents.values()}
        calls = [call for agent in self._agents.values() for draft in agent.conversation.drafts for call in draft.calls]
        for key, agent in self._agents.items():
            if key == ROOT or agent.parent_call is not None or agent.first_prompt is None:
                continue
            for call in calls:
                given = call.arguments
                if call.call_id not in taken and is_object(given) and given.get("prompt") == agent.first_prompt:
                    agent.parent_call, agent.title = call.call_id, fields.text(given, "description")
                    taken.add(call.call_id)
                    break


def _with_children(one: Invocation, children: dict[str, str]) -> Invocation:
    turns = tuple(
        replace(
            turn,
            tool_calls=tuple(
                replace(call, child=children[call.call_id]) if call.call_id in children else call
                for call in turn.tool_calls
            ),
        )
        for turn in one.turns
    )
    return replace(one, turns=turns)


def _branches(found: Abandoned, root_id: str) -> Iterator[Branch]:
    for at, lines in found.branches.items():
        agent = Agent(LoggedConversation(root_id))
        for line in lines:
            if line.data is not None:
                Line({}, agent, line.data, line.where).read()
        made = agent.conversation
        last = lines[-1].data or {}
        yield Branch(
            id=fields.text(last, "uuid") or lines[-1].where,
            forked_at=found.forked_at.get(at),
            leaf=fields.text(last, "uuid") or lines[-1].where,
            summary=None,
            turns=tuple(draft.finished() for draft in made.drafts),
            parts=tuple(made.parts),
            trailing_input=made.trailing,
        )
