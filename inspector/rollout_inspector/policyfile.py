"""A stated `agent_outcome_policy`: YAML or JSON of HTTP status, failure kind or `default` → action."""

from __future__ import annotations

from pathlib import Path

import yaml

from rollout_loaders.errors import ReadError
from rollout_loaders.model import JsonValue, is_object
from rollout_loaders.reader import StatedPolicy

ACTIONS = ("verify", "retry", "fail", "count_as_zero")
"""gym-semantics 6.3."""
GROUPS = ("http_status", "status", "failure_kind", "kind", "failure_class", "class")
"""Keys whose value is a table of its own, as a run's configuration groups them."""
LIMIT = 1 << 20
"""Bytes; a policy is a few lines."""


def read_policy(path: str) -> StatedPolicy:
    """Read a policy file. Raises `ReadError` that names the file and the entry that is wrong."""
    try:
        data = Path(path).read_bytes()
        if len(data) > LIMIT:
            raise ReadError(path, "is too large for a policy")
        value: JsonValue = yaml.safe_load(data)
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError) as error:
        raise ReadError(path, f"is neither YAML nor JSON: {' '.join(str(error).split())[:200]}") from error
    if is_object(value) and set(value) == {"agent_outcome_policy"}:
        value = value["agent_outcome_policy"]
    actions: dict[str, str] = {}
    _take(path, "", value, actions)
    if not actions:
        raise ReadError(path, "states no action")
    return StatedPolicy(actions, path)


def _take(path: str, where: str, value: JsonValue, actions: dict[str, str]) -> None:
    if not is_object(value):
        raise ReadError(path, f"{where or 'the file'} must be a table of cause → action")
    for key, action in value.items():
        if key in GROUPS:
            _take(path, key, action, actions)
        elif action not in ACTIONS:
            raise ReadError(path, f"{key}: {action!r} is no action ({', '.join(ACTIONS)})")
        else:
            actions[str(key)] = str(action)
