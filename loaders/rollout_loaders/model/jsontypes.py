"""The shape of JSON values that pass through verbatim (tool arguments, extras, stored parts)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, Union

JsonValue: TypeAlias = Union[bool, int, float, str, Sequence["JsonValue"], Mapping[str, "JsonValue"], None]
JsonObject: TypeAlias = Mapping[str, JsonValue]
