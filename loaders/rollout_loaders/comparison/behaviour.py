"""What a turn did, apart from what it thought: the thing that two runs are aligned on."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonValue, Turn


@dataclass(frozen=True, slots=True)
class Action:
    """One tool call as behaviour: which tool, with which arguments, how it ended."""

    name: str
    arguments: str
    """Canonical JSON: keys sorted, no spaces."""
    ended: str


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Tool calls in order and the answer text. Equal behaviour after different reasoning is no divergence."""

    actions: tuple[Action, ...]
    answer: str
    error: str | None

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools called, in order."""
        return tuple(action.name for action in self.actions)


def behaviour_of(turn: Turn) -> Behaviour:
    """The behaviour of one turn."""
    actions = tuple(
        Action(
            call.name,
            canonical(call.arguments),
            call.status if call.exit_code is None else f"{call.status}, exit {call.exit_code}",
        )
        for call in turn.tool_calls
    )
    return Behaviour(actions, turn.answer_text, turn.error.message or turn.error.name if turn.error else None)


def behaviours(turns: Iterable[Turn]) -> tuple[Behaviour, ...]:
    """`behaviour_of` each turn."""
    return tuple(behaviour_of(turn) for turn in turns)


def canonical(value: JsonValue) -> str:
    """One spelling for equal JSON values; arguments recorded as a JSON string count as what they say."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return json.dumps(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
