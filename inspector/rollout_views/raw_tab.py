"""The tab Raw: the record as it was read, field by field, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rollout_loaders.document import document
from rollout_loaders.model import JsonObject, JsonValue, Rollout

from .block import Block
from .fact_block import LONGEST, fact, json_fact
from .formatting import quantity
from .json_text import compact, pretty

MOST_TURNS = 1_000
"""Turns up to which the whole document is laid out."""
MOST_ITEMS = 200
"""Items or parts of one conversation that the tab lays out; the rest is in `show --json --items --parts`."""


def raw_tab(rollout: Rollout) -> list[Block]:
    """Return where it was read from, the fields that no view knows, the JSON document, and the items as recorded."""
    source = rollout.source
    where = f"{source.path}{f'#{source.locator}' if source.locator else ''}"
    blocks = [fact("raw:source", "source", where), fact("raw:format", "format", source.format)]
    blocks += [fact(f"raw:artifact:{index}", "beside", path) for index, path in enumerate(source.artifacts)]
    blocks += _row(rollout)
    if rollout.extra:
        blocks.append(json_fact("raw:extra", "fields", rollout.extra))
    turns = sum(len(invocation.turns) for invocation in rollout.invocations)
    if turns > MOST_TURNS:
        whole = document(replace(rollout, invocations=(), scored=replace(rollout.scored, items=())))
        more = f"invocations and scored.items: {quantity(turns, 'turn')}, printed by show --json"
        blocks.append(Block("raw:document:long", "document", "muted", more))
    else:
        whole = document(rollout)
    blocks += [_document_block(name, value) for name, value in whole.items() if name not in ("schema", "source")]
    blocks += _listed("raw:item", "item", [item.data for item in rollout.scored.items])
    for invocation in rollout.invocations:
        blocks += _listed(
            f"raw:part:{invocation.id}", "part", [_with_id(part.id, part.data) for part in invocation.parts]
        )
    return blocks


def _with_id(ident: str, data: JsonObject) -> JsonObject:
    return data if "id" in data else {"id": ident, **data}


def _row(rollout: Rollout) -> list[Block]:
    row = rollout.evidence.row
    if row is None:
        return []
    named: tuple[tuple[str, JsonValue], ...] = (
        ("extras", row.extras),
        ("template_metadata", row.template_metadata),
        ("reward_components", row.reward_components),
        ("response.metadata", row.response_metadata),
        ("_ng_token_capture", row.token_capture),
    )
    return [_folded(f"raw:row:{name}", "row", name, value) for name, value in named if value]


def _folded(ident: str, label: str, title: str, value: JsonValue) -> Block:
    return Block(ident, label, "muted", title, pretty(value), "json", foldable=True, folded=True)


def _document_block(name: str, value: JsonValue) -> Block:
    ident = f"raw:document:{name}"
    line = compact(value) if not isinstance(value, (list, tuple, Mapping)) or len(value) < 8 else ""
    if line and len(line) <= LONGEST:
        return Block(ident, "document", "muted", f"{name}  {line}")
    entries = quantity(len(value), "entry", "entries") if isinstance(value, (list, tuple, Mapping)) else ""
    return _folded(ident, "document", f"{name}  {entries}".rstrip(), value)


def _listed(prefix: str, label: str, values: list[JsonObject]) -> list[Block]:
    blocks: list[Block] = []
    for index, value in enumerate(values[:MOST_ITEMS]):
        title = f"{index + 1} of {len(values)}  {value.get('type', '')}".rstrip()
        blocks.append(_folded(f"{prefix}:{index}", label, title, value))
    if len(values) > MOST_ITEMS:
        more = f"… {len(values) - MOST_ITEMS:,} more: show --json --items --parts prints them all"
        blocks.append(Block(f"{prefix}:more", label, "muted", more))
    return blocks
