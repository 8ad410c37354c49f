"""Typed getters over foreign JSON: a field of the wrong type is a field that is not there."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rollout_loaders.model import JsonObject, JsonValue, is_object

NOTHING: JsonObject = {}
BEYOND = 2**63


def text(fields: JsonObject, key: str) -> str | None:
    """The string under `key`, else None."""
    value = fields.get(key)
    return value if isinstance(value, str) else None


def integer(fields: JsonObject, key: str) -> int | None:
    """The integer under `key`, also when written as `3.0`; else None.

    A boolean is no integer, and what does not fit 64 bits is no count, index or time: it stays in the record only.
    """
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < BEYOND:
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def number(fields: JsonObject, key: str) -> float | None:
    """The finite number under `key`, else None."""
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def flag(fields: JsonObject, key: str) -> bool | None:
    """The boolean under `key`, else None."""
    value = fields.get(key)
    return value if isinstance(value, bool) else None


def mapping(fields: JsonObject, key: str) -> JsonObject:
    """The object under `key`, else an empty one."""
    return as_object(fields.get(key))


def as_object(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else an empty one."""
    return NOTHING if value is None or not is_object(value) else value


def array(fields: JsonObject, key: str) -> Sequence[JsonValue]:
    """The list under `key`, else an empty one."""
    return as_array(fields.get(key)) or ()


def objects(fields: JsonObject, key: str) -> tuple[JsonObject, ...]:
    """The objects of the list under `key`; what is no object in it is left out."""
    return tuple(value for value in array(fields, key) if is_object(value))


def as_array(value: JsonValue) -> Sequence[JsonValue] | None:
    """`value` where it is a list, else None."""
    if isinstance(value, list):  # the common cases first: asking an abstract class takes five times as long
        return value
    if value is None or isinstance(value, (str, dict)):
        return None
    return value if isinstance(value, Sequence) else None


def words(fields: JsonObject, key: str) -> tuple[str, ...]:
    """The strings of the list under `key`."""
    return tuple(value for value in array(fields, key) if isinstance(value, str))
