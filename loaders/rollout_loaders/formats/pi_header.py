"""The session id of a Pi log or session file from its first line alone (formats 2.1, 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.jsondecode import BadJson, decode


def session_id(head: bytes) -> str | None:
    """The id in the header line, bare or in a `[time, event]` pair; None where the first line is no header."""
    first = head.split(b"\n", 1)[0]
    try:
        value = decode(first).value
    except BadJson:
        return None
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        value = value[1]
    if not isinstance(value, Mapping) or value.get("type") != "session":
        return None
    found = value.get("id")
    return found if isinstance(found, str) and found else None
