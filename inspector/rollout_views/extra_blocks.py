"""What a record holds beside the fields that the model names: unknown parts and fields are shown, never dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rollout_loaders.model import Compaction, JsonObject, JsonValue, Place, ToolCall, Turn

from .block import Block
from .json_text import compact, pretty

QUIET = frozenset({"parent_message_id", "response_id", "title", "tail_start_id", "first_kept_entry_id", "will_retry"})
"""Ids and flags of the harness's own bookkeeping: in the tab Raw only."""
_LONGEST = 80


def turn_extra_blocks(turn: Turn, place: Place) -> list[Block]:
    """Return the parts of a turn that are neither text nor tool (patches, files, …), then its other fields."""
    blocks: list[Block] = []
    parts = turn.extra.get("parts")
    for index, part in enumerate(_objects(parts)):
        data = part.get("data")
        body = data if isinstance(data, Mapping) else part
        blocks.append(_json(f"{turn.message_id}:part:{index}", str(part.get("type", "part")), body, place))
    if parts is not None and not blocks:
        blocks.append(_json(f"{turn.message_id}:parts", "parts", {"parts": parts}, place))
    return blocks + _fields(f"{turn.message_id}:fields", turn.extra, place, {"parts"})


def call_extra_blocks(call: ToolCall, ident: str, place: Place) -> list[Block]:
    """Return what a call had written when it was broken off, then its other fields."""
    blocks: list[Block] = []
    partial = call.extra.get("partial_output")
    if isinstance(partial, str):
        title = "(partial: written before the call was broken off)"
        blocks.append(
            Block(f"{ident}:partial", "result", "problem", title, partial, foldable=bool(partial), place=place)
        )
    taken = {"partial_output"} if blocks else set[str]()
    return blocks + _fields(f"{ident}:fields", call.extra, place, taken)


def compaction_extra_blocks(compaction: Compaction, place: Place) -> list[Block]:
    """Return the tries at making the summary, then the other fields."""
    blocks: list[Block] = []
    for index, one in enumerate(_objects(compaction.extra.get("summary_retries"))):
        error = one.get("error")
        title = f"attempt {one.get('attempt', '·')} at the summary"
        body = error if isinstance(error, str) else pretty(one)
        blocks.append(Block(f"{compaction.id}:retry:{index}", "retry", "problem", title, body, place=place))
    taken = {"summary_retries"} if blocks else set[str]()
    return blocks + _fields(f"{compaction.id}:fields", compaction.extra, place, taken)


def _fields(ident: str, extra: JsonObject, place: Place, taken: set[str]) -> list[Block]:
    rest = {name: value for name, value in extra.items() if name not in QUIET and name not in taken}
    return [_json(ident, "fields", rest, place)] if rest else []


def _json(ident: str, label: str, data: JsonObject, place: Place) -> Block:
    shown = {name: value for name, value in data.items() if name != "type"}
    line = compact(shown)
    block = Block(ident, label, "muted", place=place)
    if len(line) <= _LONGEST:
        return replace(block, title=line)
    return replace(block, title=", ".join(shown), body=pretty(data), format="json", foldable=True, folded=True)


def _objects(value: JsonValue) -> list[JsonObject]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [one for one in value if isinstance(one, Mapping)]
