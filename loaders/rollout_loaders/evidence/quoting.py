"""Short quotes inside sentences: clipped honestly, never silently."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from rollout_loaders.model import JsonObject, JsonValue

QUOTE_LIMIT = 80


def quote(value: JsonValue, limit: int = QUOTE_LIMIT) -> str:
    """`value` between backticks, on one line, clipped with its true length: `` `abc…` (218,573 characters) ``."""
    shown = value if isinstance(value, str) else _encoded(value)
    # Only what can be shown is flattened: a field may hold megabytes.
    body = shown.lstrip()
    head = body[: 8 * limit]
    flat = " ".join(head.split()).replace("`", "'")
    if not flat:
        return "an empty text" if not shown else f"only whitespace ({len(shown):,} characters)"
    if len(flat) <= limit and len(head) == len(body):
        return f"`{flat}`"
    return f"`{flat[:limit]}…` ({len(shown):,} characters)"


def quote_pair(one: JsonValue, other: JsonValue, limit: int = QUOTE_LIMIT) -> tuple[str, str]:
    """Two values that are compared: where their quotes would look the same, what differs is shown, line ends and all.

    >>> quote_pair("1 2", "1\\n2")
    ('`1 2`', '`1\\\\n2`')
    """
    quotes = quote(one, limit), quote(other, limit)
    if quotes[0] != quotes[1] or one == other:
        return quotes
    texts = [value if isinstance(value, str) else _encoded(value) for value in (one, other)]
    at = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    start = max(0, at - limit // 2)
    return _exactly(texts[0], start, limit), _exactly(texts[1], start, limit)


def _exactly(text: str, start: int, limit: int) -> str:
    part = text[start : start + limit]
    shown = json.dumps(part, ensure_ascii=False)[1:-1].replace("`", "'")
    before, after = "…" if start else "", "…" if start + limit < len(text) else ""
    clipped = f" ({len(text):,} characters)" if before or after else ""
    return f"`{before}{shown}{after}`{clipped}" if part or start else "an empty text"


def _encoded(value: JsonValue) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (RecursionError, ValueError):
        return "a value nested too deeply to show"


def _plain(value: object) -> object:
    """What the encoder does not know by itself: mappings and sequences other than dict and list."""
    if isinstance(value, Mapping):
        return {str(key): member for key, member in cast("JsonObject", value).items()}
    return list(cast("Sequence[JsonValue]", value)) if isinstance(value, Sequence) else str(value)


def count(number: int, noun: str) -> str:
    """`1 character`, `218,573 characters`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def figure(value: float) -> str:
    """A number as a reviewer writes it: `0`, `1`, `0.5`, `-0.25`; never rounded."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
