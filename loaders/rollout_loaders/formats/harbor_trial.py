"""The trial around a Harbor trajectory: `result.json` above `agent/trajectory.json` (gym-semantics 12).

It holds what the verifier gave and what ended the trial. The verifier runs on the environment that the agent left, so
no text of the trajectory was scored.
"""

from __future__ import annotations

from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, Ending, JsonObject, JsonValue, RowRecord, Usage
from rollout_loaders.source import is_file

from . import fields
from .gym_row import reward_of
from .logged_file import document

RESULT = "result.json"
FIELD = "exception_info"
_TIMEOUT = "AgentTimeoutError"
_SIGNS = frozenset({"verifier_result", "trial_name", "agent_result"})


@dataclass(frozen=True, slots=True)
class Trial:
    """What `result.json` says."""

    name: str
    """The file, as shown."""
    data: JsonObject

    @property
    def task(self) -> str | None:
        """The task's name."""
        return fields.text(self.data, "task_name")

    @property
    def id(self) -> str | None:
        """The trial's name."""
        return fields.text(self.data, "trial_name")

    def usage(self) -> Usage:
        """`agent_result`, which the agent counted."""
        counted = fields.mapping(self.data, "agent_result")
        names = ("n_input_tokens", "n_output_tokens", "n_cache_tokens")
        values = [fields.integer(counted, name) for name in names]
        cost = fields.number(counted, "cost_usd")
        if cost is None and all(value is None for value in values):
            return Usage()
        return Usage(
            input=values[0], output=values[1], cached=values[2], cost=cost, counted_by="agent_result of the trial"
        )

    def row(self) -> RowRecord | None:
        """The reward, or None where the verifier gave no result: `rewards.reward`, or the only one there is."""
        if "verifier_result" not in self.data:
            return None
        result = fields.mapping(self.data, "verifier_result")
        rewards = fields.mapping(result, "rewards")
        given: JsonValue = result.get("reward")
        if "reward" in rewards:
            given = rewards["reward"]
        elif len(rewards) == 1:
            given = next(iter(rewards.values()))
        reward, literal = reward_of({"reward": given})
        return RowRecord(
            reward=reward,
            reward_literal=literal,
            has_reward=given is not None,
            reward_components=rewards,
            extras={key: value for key, value in result.items() if key not in ("rewards", "reward")},
            run_error=self._error(),
        )

    def ending(self, last_finish: str | None) -> Ending:
        """A trial that finished without an exception ran to its end; an agent's timeout is a limit, no failure."""
        raised = fields.text(fields.mapping(self.data, FIELD), "exception_type")
        finished = self.data.get("finished_at") is not None and FIELD in self.data and self.data[FIELD] is None
        recorded: dict[str, JsonValue] = {
            key: self.data[key] for key in (FIELD, "started_at", "finished_at") if self.data.get(key) is not None
        }
        return Ending(
            says=FIELD,
            word=raised or ("null" if finished else None),
            error=self._error(),
            rests_on=f"{self.name}: {FIELD}",
            last_finish=last_finish,
            recorded=recorded,
        )

    def _error(self) -> str | None:
        raised = fields.mapping(self.data, FIELD)
        kind = fields.text(raised, "exception_type")
        if not raised or kind == _TIMEOUT:
            return None
        return ": ".join(word for word in (kind, fields.text(raised, "exception_message")) if word)


def trial_of(path: Path, shown: str, diagnostics: list[Diagnostic]) -> Trial | None:
    """The trial that the trajectory at `path` belongs to, or None."""
    if path.parent.name != "agent":
        return None
    file = path.parent.parent / RESULT
    if not is_file(file):
        return None
    above = shown.rpartition("/")[0].rpartition("/")[0]
    name = f"{above}/{RESULT}" if above else f"../{RESULT}" if "/" not in shown else RESULT
    try:
        data = document(file, name, [])
    except ReadError as error:
        diagnostics.append(Diagnostic("evidence-unreadable", error.reason, name))
        return None
    return Trial(name, data) if _SIGNS & data.keys() else None
