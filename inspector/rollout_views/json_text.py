"""JSON values as people read them, and as one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from rollout_loaders.model import JsonValue


def pretty(value: JsonValue) -> str:
    """Return a value as indented JSON, keys in their recorded order, strings readable."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=_plain)


def compact(value: JsonValue) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else str(value)
