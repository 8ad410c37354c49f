"""Findings about tool calls and their results."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import Invocation, Item, Place, Rollout, ToolCall, Turn, is_object
from rollout_loaders.reader import ReadOptions

from .rule import FindingRule, Found, listed, one_line


def _each(rollout: Rollout) -> Iterator[tuple[Invocation, Turn, ToolCall]]:
    for invocation in rollout.invocations:
        for turn in invocation.turns:
            for call in turn.tool_calls:
                yield invocation, turn, call


def invalid(rollout: Rollout, _options: ReadOptions) -> Found:
    """The harness could not run a call."""
    for invocation, turn, call in _each(rollout):
        if call.invalid:
            name, error = _wanted(call)
            yield (
                f"Turn {turn.number} called {name}, which could not be run{f': {one_line(error)}' if error else ''}",
                Place(invocation.id, turn.number, call.id),
            )


def _wanted(call: ToolCall) -> tuple[str, str | None]:
    """Name and error of what the model called: OpenCode puts both into the arguments of its tool `invalid`."""
    if call.name != "invalid" or not is_object(call.arguments):
        return call.name, call.error
    tool, error = call.arguments.get("tool"), call.arguments.get("error")
    return (tool if isinstance(tool, str) else call.name), call.error or (error if isinstance(error, str) else None)


def interrupted(rollout: Rollout, _options: ReadOptions) -> Found:
    """A call was broken off."""
    for invocation, turn, call in _each(rollout):
        if call.interrupted:
            yield (
                f"The call of {call.name} in turn {turn.number} was broken off ({call.status}).",
                Place(invocation.id, turn.number, call.id),
            )


def duplicate_id(rollout: Rollout, _options: ReadOptions) -> Found:
    """One call id stands on several calls of a conversation."""
    seen: dict[tuple[str, str], list[tuple[Turn, ToolCall]]] = {}
    for invocation, turn, call in _each(rollout):
        if call.call_id is not None:
            seen.setdefault((invocation.id, call.call_id), []).append((turn, call))
    for (owner, call_id), calls in seen.items():
        if len(calls) > 1:
            turns = listed([str(turn.number) for turn, _ in calls])
            yield (
                f"The call id {call_id} stands on {len(calls)} calls (turns {turns}): whoever pairs results by id "
                "alone pairs them wrongly.",
                Place(owner, calls[1][0].number, calls[1][1].id),
            )


def _orphans(items: tuple[Item, ...], known: set[str | None]) -> Iterator[Item]:
    known = known | {item.call_id for item in items if item.type != "function_call_output"}
    return (item for item in items if item.type == "function_call_output" and item.call_id not in known)


def orphan_result(rollout: Rollout, _options: ReadOptions) -> Found:
    """A result answers no call of its conversation."""
    for invocation in rollout.invocations:
        calls: set[str | None] = {call.call_id for turn in invocation.turns for call in turn.tool_calls}
        for item in _orphans(invocation.items, calls):
            yield (
                f"A tool result names the call {item.call_id}, which no item makes.",
                Place(invocation.id, None, item.id),
            )
    if any(invocation.items for invocation in rollout.invocations):
        return
    calls = {call.call_id for _, _, call in _each(rollout)}
    for item in _orphans(rollout.scored.items, calls):
        yield f"A scored tool result names the call {item.call_id}, which no item makes.", item.place


RULES = (
    FindingRule(
        "invalid-tool-call",
        "info",
        "The harness could not run a tool call: an unknown tool or unreadable arguments.",
        "formats 1.5, 2.1; trap 7",
        invalid,
    ),
    FindingRule(
        "tool-interrupted",
        "warning",
        "A tool call was broken off by a kill, an abort or a dropped stream.",
        "formats 1.5; trap 7",
        interrupted,
    ),
    FindingRule(
        "duplicate-call-id",
        "warning",
        "Several tool calls of one conversation share a call id.",
        "CONTRACT 4.8; formats trap 13",
        duplicate_id,
    ),
    FindingRule(
        "orphan-tool-result",
        "warning",
        "A tool result names a call that nothing in its conversation makes.",
        "gym-semantics 3.8 tool_result_unowned",
        orphan_result,
    ),
)
