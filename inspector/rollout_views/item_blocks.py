"""Responses-shaped items as blocks, one drawing a type (gym-semantics 2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from rollout_loaders.model import Item, JsonValue

from .arguments import argument_text
from .block import Block, BodyFormat, Tone
from .json_text import pretty

_SHOWN_FIELDS = frozenset(
    {
        "id",
        "type",
        "role",
        "content",
        "summary",
        "encrypted_content",
        "status",
        "call_id",
        "name",
        "arguments",
        "output",
    }
)
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text", "reasoning_text", "summary_text"})


def item_blocks(item: Item, index: int, *, badge: str = "", mark: str = "") -> list[Block]:
    """Return the blocks of one item; `index` is its position and makes the ids."""
    label, tone, title, body, form = _DRAWN.get(item.type, _other)(item)
    status = item.data.get("status")
    if isinstance(status, str) and status != "completed":
        title = f"{title}  (status {status})".strip()
    more = [name for name in item.data if name not in _SHOWN_FIELDS]
    marks = [mark] if mark else []
    if more and item.type in _DRAWN:
        marks.append(f"more fields in the record: {', '.join(more)}")
    blocks = [
        Block(
            id=f"item:{index}",
            label=label,
            tone=tone,
            title=title,
            body=body,
            format=form,
            foldable=bool(body),
            folded=bool(body) and tone in ("reasoning", "muted") and not badge,
            badge=badge,
            mark="; ".join(marks),
            place=item.place,
        )
    ]
    if item.type in _DRAWN and _has_other_content(item):
        content = item.data.get("content") if item.type != "function_call_output" else item.data.get("output")
        blocks.append(
            Block(
                id=f"item:{index}:content",
                label="content",
                tone="muted",
                title="as recorded: it holds more than text",
                body=pretty(content),
                format="json",
                foldable=True,
                folded=True,
                place=item.place,
            )
        )
    return blocks


def _has_other_content(item: Item) -> bool:
    content = item.data.get("output" if item.type == "function_call_output" else "content")
    if isinstance(content, str) or not isinstance(content, Sequence):
        return content is not None and not isinstance(content, str)
    return any(not isinstance(block, Mapping) or not _is_text(block.get("type")) for block in content)


def _is_text(kind: JsonValue) -> bool:
    return isinstance(kind, str) and kind in _TEXT_BLOCKS


_Drawing = tuple[str, Tone, str, str, BodyFormat]


def _message(item: Item) -> _Drawing:
    assistant = item.role == "assistant"
    label = "answer" if assistant else item.role or "message"
    tone: Tone = "answer" if assistant else "user" if item.role == "user" else "note"
    title = "(no text block)" if item.text is None else "" if item.text else "(empty)"
    return label, tone, title, item.text or "", "text"


def _reasoning(item: Item) -> _Drawing:
    title = "" if item.text else "(no text recorded)" if item.text is None else "(empty)"
    if item.data.get("encrypted_content"):
        title = f"{title} (holds encrypted content)".strip()
    return "think", "reasoning", title, item.text or "", "text"


def _call(item: Item) -> _Drawing:
    arguments: JsonValue = item.text
    with suppress(ValueError, RecursionError):
        arguments = json.loads(item.text or "")
    shown = argument_text(arguments)
    title = f"{item.name or '(no name)'}{'  ' + shown.beside if shown.beside else ''}"
    return "tool", "tool", title, shown.body, shown.format


def _output(item: Item) -> _Drawing:
    title = "" if item.text else "(no text recorded)" if item.text is None else "(empty)"
    return "result", "tool", title, item.text or "", "text"


def _other(item: Item) -> _Drawing:
    return "item", "muted", item.type or "(no type)", pretty(item.data), "json"


_DRAWN: dict[str, Callable[[Item], _Drawing]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _call,
    "function_call_output": _output,
}
