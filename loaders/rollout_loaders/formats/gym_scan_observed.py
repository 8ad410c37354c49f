"""What a list needs of a row with observations or a trajectory, without building its conversations.

Follows `gym_observations` step by step; whatever would need more raises `NotPlainError`, and the row is read in full.
"""

from __future__ import annotations

from typing import Any

from .gym_scan_turns import NotPlainError, keyed_turns_of, turns_of

_LIST: Any = list
_TIMES = (int, float, type(None))


def observed_turns(row: Any) -> tuple[Any, ...]:
    """(source, start, turns of the root, calls of all, length of the root's last answer, whether it stands)."""
    bundle: Any = row.get("ng_agent_observations") or {}
    raw: Any = row.get("ng_trajectory")
    conversations, root = _conversations(bundle, raw or {})
    if not conversations[root]:
        raise NotPlainError
    source: Any = bundle.get("source")
    if source is not None and type(source) is not str:
        raise NotPlainError
    started = None
    calls = 0
    if raw:
        from .gym_trajectory import trajectory_of

        trajectory = trajectory_of(row)
        keys = trajectory.ids_by_invocation
        turns, _, answer, stands, met = keyed_turns_of(conversations[root], keys.get(root) or {})
        times = [mark.started_at for key in met if (mark := trajectory.marks.get((root, key))) is not None]
        started = min((time for time in times if time is not None), default=None)
        for name, items in conversations.items():
            calls += keyed_turns_of(items, keys.get(name) or {})[1]
    else:
        turns, _, answer, stands = turns_of(conversations[root])
        for items in conversations.values():
            calls += turns_of(items)[1]
    return source or None, started, turns, calls, answer, stands


def _conversations(bundle: Any, raw: Any) -> tuple[dict[str, Any], str]:
    """Conversations by invocation, and the root among them: the first that has no parent."""
    found: dict[str, Any] = {}
    root = None
    records = bundle.get("records") or ()
    for record in records:
        kind = record.get("kind")
        if kind == "agent_invocation":
            name = _name_of(record)
            if root is None and name not in found and type(record.get("parent_invocation_id")) is not str:
                root = name
            found.setdefault(name, _talk_of(record))
        elif kind == "context_compaction" and not _changes_nothing(record):
            raise NotPlainError
    if root is None and records:
        raise NotPlainError
    for record in raw.get("invocations") or ():
        name = _name_of(record)
        if root is None and name not in found and type(record.get("parent_invocation_id")) is not str:
            root = name
        found[name] = found.get(name) or _talk_of(record)
    for turn in raw.get("turns") or ():
        # An invocation without a conversation is shown by its turns, which takes the full reading.
        if not found.get(turn["invocation_id"]) or type(turn.get("timestamp")) not in _TIMES:
            raise NotPlainError
    if root is None:
        raise NotPlainError
    return found, root


def _name_of(record: Any) -> str:
    name = record.get("invocation_id")
    if type(name) is not str:
        raise NotPlainError
    return name


def _talk_of(record: Any) -> Any:
    talk = record.get("conversation") or ()
    if talk and type(talk) is not _LIST:
        raise NotPlainError
    return talk


def _changes_nothing(compaction: Any) -> bool:
    """A completed compaction, or one by threshold, takes nothing from an answer that stands (`final_answer`)."""
    return bool(compaction.get("outcome") == "completed" or compaction.get("trigger") == "threshold")
