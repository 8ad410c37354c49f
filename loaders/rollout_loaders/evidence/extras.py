"""Typed getters over the verbatim fields of a row, so that no rule mistakes a damaged field for a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rollout_loaders.model import JsonObject, JsonValue


def text(fields: JsonObject, key: str) -> str | None:
    """The string under `key`, else None."""
    value = fields.get(key)
    return value if isinstance(value, str) else None


def number(fields: JsonObject, key: str) -> float | None:
    """The finite number under `key` (not a boolean), else None."""
    return finite(fields.get(key))


def finite(value: JsonValue) -> float | None:
    """`value` as a finite number (not a boolean), else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return None
    return converted if math.isfinite(converted) else None


def boolean(fields: JsonObject, key: str) -> bool | None:
    """The boolean under `key`, else None."""
    value = fields.get(key)
    return value if isinstance(value, bool) else None


def mapping(fields: JsonObject, key: str) -> JsonObject:
    """The object under `key`, else an empty one."""
    return as_object(fields.get(key))


def as_object(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def sequence(fields: JsonObject, key: str) -> Sequence[JsonValue] | None:
    """The list under `key`, else None."""
    return as_list(fields.get(key))


def as_list(value: JsonValue) -> Sequence[JsonValue] | None:
    """`value` where it is a list, else None."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else None


def objects(fields: JsonObject, key: str) -> tuple[JsonObject, ...] | None:
    """The objects of the list under `key`; None where there is no list. Other members count as empty objects."""
    values = sequence(fields, key)
    return None if values is None else tuple(as_object(value) for value in values)
