"""The fields of a Gym row that rules and headers read (gym-semantics 1.2); the rest passes through as extras."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from rollout_loaders.jsondecode import BadJson, decode, encode
from rollout_loaders.model import Harness, Item, JsonObject, JsonValue, RowRecord, Task, Usage

from .fields import array, flag, integer, mapping, number, text
from .responses_items import content_text

KNOWN_KEYS = frozenset(
    {
        *("responses_create_params", "response", "reward", "reward_components", "failure_reason", "failure_kind"),
        *("mask_sample", "agent_ref", "task_source", "skills_ref", "ng_agent_observations", "ng_model_call_capture"),
        *("ng_trajectory", "ng_perf", "turns_used", "finished_naturally", "agent_timed_out", "agent_timeout_seconds"),
        *("elapsed_seconds", "stage_index"),
    }
)
"""Keys of the table in gym-semantics 1.2; every other key without a leading `_` is an extra (9.3)."""


def row_name(row: JsonObject) -> str | None:
    """`_ng_rollout_id`, else `task-rollout`, with `-a{n}` for an attempt above 0 (gym-semantics 1.2)."""
    own, attempt = text(row, "_ng_rollout_id"), integer(row, "_ng_attempt_index") or 0
    task, rollout = integer(row, "_ng_task_index"), integer(row, "_ng_rollout_index")
    if not own and (task is None or rollout is None):
        own, attempt = _episode(row)
    return joined_name(own, task, rollout, attempt)


def joined_name(own: str | None, task: int | None, rollout: int | None, attempt: int | None) -> str | None:
    """The name from its parts, None where they give none."""
    if not own and (task is None or rollout is None):
        return None
    name = own or f"{task}-{rollout}"
    return f"{name}-a{attempt}" if attempt is not None and attempt > 0 else name


def _episode(row: JsonObject) -> tuple[str | None, int]:
    """Rollout id and attempt that a failure record names (gym-semantics 1.3)."""
    episode = mapping(mapping(row, "_ng_failure_record"), "episode_id")
    return text(episode, "rollout_id"), integer(episode, "attempt") or 0


def task_of(row: JsonObject, prompt: str | None) -> Task:
    """Indices and task id: `_ng_task_id`, else the first of `task_id`, `problem_id`, `instance_id` (3.7)."""
    native = text(mapping(row, "_ng_task_id"), "task_id")
    given: tuple[JsonValue, ...] = (native, row.get("task_id"), row.get("problem_id"), row.get("instance_id"))
    found = next((value for value in given if value is not None), None)
    task, rollout, attempt = (integer(row, f"_ng_{name}_index") for name in ("task", "rollout", "attempt"))
    if task is None and rollout is None and "_ng_failure_record" in row:
        named, attempt = _episode(row)
        indexed = re.fullmatch(r"(\d{1,18})-(\d{1,18})", named or "")
        task, rollout = (int(indexed[1]), int(indexed[2])) if indexed is not None else (None, None)
    return Task(
        task_index=task,
        rollout_index=rollout,
        attempt=attempt,
        task_id=found if found is None or isinstance(found, str) else encode(found).decode("ascii"),
        prompt=prompt,
    )


def prompt_of(params: JsonObject) -> str | None:
    """The last user text of the request's input, or the whole input where it is a string."""
    given = params.get("input")
    if isinstance(given, str):
        return given
    for raw in reversed(array(params, "input")):
        if isinstance(raw, Mapping) and raw.get("role") == "user":
            said = content_text(raw.get("content"))
            if said is not None:
                return said
    return None


def usage_of(response: JsonObject, cost: float | None = None) -> Usage:
    """`response.usage`; null details are unknown (gym-semantics 2)."""
    usage = mapping(response, "usage")
    if not usage:
        return Usage()
    return Usage(
        input=integer(usage, "input_tokens"),
        output=integer(usage, "output_tokens"),
        reasoning=integer(mapping(usage, "output_tokens_details"), "reasoning_tokens"),
        cached=integer(mapping(usage, "input_tokens_details"), "cached_tokens"),
        cost=cost,
        counted_by="response.usage",
    )


def harness_of(row: JsonObject, response: JsonObject) -> Harness:
    """The harness that observations name, the agent of `agent_ref`, the model of the response or the request."""
    metadata = mapping(response, "metadata")
    source = text(mapping(row, "ng_agent_observations"), "source")
    pi = text(metadata, "pi_version")
    return Harness(
        name=source or ("pi" if pi is not None else None),
        version=pi,
        agent=text(mapping(row, "agent_ref"), "name"),
        model=text(response, "model") or text(mapping(row, "responses_create_params"), "model"),
    )


def reward_of(row: JsonObject) -> tuple[float | None, str | None]:
    """`(reward, literal)`: a finite number, or what is written instead of one; both None where it is absent or null."""
    given = row.get("reward")
    if given is None:
        return None, None
    reward = number(row, "reward")
    return (reward, None) if reward is not None else (None, literal(given))


def literal(value: JsonValue) -> str:
    """A value as a file writes it: `NaN`, `"0.5"`, `true`."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return encode(value).decode("ascii")


def record_of(row: JsonObject, response: JsonObject, scored: Sequence[Item]) -> RowRecord:
    """The row as rules read it; `scored` are the items of its `response.output`."""
    reward, reward_literal = reward_of(row)
    metadata = mapping(response, "metadata")
    return RowRecord(
        reward=reward,
        reward_literal=reward_literal,
        has_reward=row.get("reward") is not None,
        response_id=text(response, "id"),
        response_status=text(response, "status"),
        response_error=response.get("error"),
        incomplete_reason=text(mapping(response, "incomplete_details"), "reason"),
        agent_outcome=agent_outcome(metadata),
        response_metadata=metadata,
        failure_reason=text(row, "failure_reason"),
        failure_kind=text(row, "failure_kind"),
        mask_sample=flag(row, "mask_sample"),
        instance_mask_sample=flag(mapping(row, "instance_config"), "mask_sample"),
        agent_timed_out=timed_out(row, metadata),
        reward_components=mapping(row, "reward_components"),
        extras={key: value for key, value in row.items() if key not in KNOWN_KEYS and not key.startswith("_")},
        template_metadata=mapping(row, "template_metadata"),
        agent_name=text(mapping(row, "agent_ref"), "name"),
        token_capture=mapping(row, "_ng_token_capture") or None,
        output_texts=tuple(item.text for item in scored if item.is_assistant_message and item.text is not None),
    )


def timed_out(row: JsonObject, metadata: JsonObject) -> bool | None:
    """`agent_timed_out` of the row, else of the response's metadata, whose values are strings (gym-semantics 2)."""
    own = flag(row, "agent_timed_out")
    if own is not None:
        return own
    given = metadata.get("agent_timed_out")
    return given if isinstance(given, bool) else {"true": True, "false": False}.get(str(given).lower())


def agent_outcome(metadata: JsonObject) -> JsonObject | None:
    """`ng_agent_outcome`, JSON text or an object (gym-semantics 6.2); text that is no object under `unreadable`."""
    given = metadata.get("ng_agent_outcome")
    if given is None or isinstance(given, Mapping):
        return given
    if isinstance(given, str):
        try:
            value = decode(given.encode("utf-8", "surrogatepass")).value
        except BadJson:
            value = None
        if isinstance(value, Mapping):
            return value
    return {"unreadable": given}
