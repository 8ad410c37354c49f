"""The shape of JSON values that pass through verbatim (tool arguments, extras, stored parts)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard, Union

JsonValue: TypeAlias = Union[bool, int, float, str, Sequence["JsonValue"], Mapping[str, "JsonValue"], None]
JsonObject: TypeAlias = Mapping[str, JsonValue]


def is_object(value: object) -> TypeGuard[JsonObject]:
    """A JSON object."""
    return isinstance(value, (dict, Mapping))  # `dict` first: asking an abstract class takes five times as long


def is_array(value: object) -> TypeGuard[Sequence[JsonValue]]:
    """A JSON array; a string is none."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
