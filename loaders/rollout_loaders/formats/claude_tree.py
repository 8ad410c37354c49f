"""Which lines of a Claude Code transcript were left behind: `uuid`s make a tree, its leaf is the last message.

Not every line off the path to the leaf is abandoned: results of parallel calls and further blocks of one API message
hang off it too. Abandoned is what hangs below a prompt or a reply that is not on the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, is_object

from .fields import array, flag, mapping, text
from .line_records import Record

_MESSAGES = frozenset({"user", "assistant"})


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Branches by the line number of their first record."""

    branches: dict[int, tuple[Record, ...]] = field(default_factory=lambda: {})
    forked_at: dict[int, str | None] = field(default_factory=lambda: {})
    members: frozenset[int] = frozenset()


def abandoned(lines: Sequence[Record]) -> Abandoned:
    """The branches that a rewind left behind; none in a stream, whose lines have no parents."""
    main = [line for line in lines if line.data is not None and flag(line.data, "isSidechain") is not True]
    by_uuid = {uuid: line for line in main if line.data is not None and (uuid := text(line.data, "uuid"))}
    if not any(line.data is not None and "parentUuid" in line.data for line in main):
        return Abandoned()
    path = _path(main, by_uuid)
    message_ids = {mid for uuid in path if (mid := _message_id(by_uuid[uuid].data or {}))}
    owner: dict[str, int | None] = {}
    branches: dict[int, list[Record]] = {}
    forked: dict[int, str | None] = {}
    for line in main:
        data = line.data or {}
        uuid = text(data, "uuid")
        if not uuid or by_uuid[uuid] is not line:
            continue
        parent = _parent(data)
        above = owner.get(parent or "")
        starts = uuid not in path and _starts_branch(data, message_ids)
        owner[uuid] = None if uuid in path else above if above is not None else line.number if starts else None
        at = owner[uuid]
        if at is not None:
            branches.setdefault(at, []).append(line)
            forked.setdefault(at, parent)
    members = frozenset(line.number for found in branches.values() for line in found)
    return Abandoned({at: tuple(found) for at, found in branches.items()}, forked, members)


def _path(main: Sequence[Record], by_uuid: dict[str, Record]) -> set[str]:
    """The uuids from the last message up. Where a parent is not in the file, the line before it goes on."""
    places = {line.number: at for at, line in enumerate(main)}
    at = next((i for i in range(len(main) - 1, -1, -1) if _is_message(main[i].data or {})), -1)
    path: set[str] = set()
    while at >= 0:
        data = main[at].data or {}
        uuid, parent = text(data, "uuid"), _parent(data)
        if uuid is not None and by_uuid.get(uuid) is main[at]:
            if uuid in path:
                break
            path.add(uuid)
        known = by_uuid.get(parent or "")
        # A parent behind its child, or none at all, is no way up: the line before is.
        before = places[known.number] if known is not None else at - 1
        at = before if before < at else at - 1
    return path


def _is_message(data: JsonObject) -> bool:
    return text(data, "type") in _MESSAGES and text(data, "uuid") is not None


def _parent(data: JsonObject) -> str | None:
    """`logicalParentUuid` where a compaction boundary starts a new chain."""
    return text(data, "parentUuid") or text(data, "logicalParentUuid")


def _message_id(data: JsonObject) -> str | None:
    return text(mapping(data, "message"), "id") if text(data, "type") == "assistant" else None


def _starts_branch(data: JsonObject, message_ids: set[str]) -> bool:
    kind = text(data, "type")
    if kind == "assistant":
        return _message_id(data) not in message_ids
    if kind != "user":
        return False
    blocks = array(mapping(data, "message"), "content")
    return not any(is_object(block) and text(block, "type") == "tool_result" for block in blocks)
