"""image_tools' level 2 computed again from the two calls: boxes, points and colours (its server's own formulas)."""

from __future__ import annotations

import math
from collections.abc import Callable

from rollout_loaders.evidence.extras import as_list, finite
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.model import JsonObject, JsonValue


def made_arguments(output: str | None) -> JsonObject | None:
    """Arguments of a recorded `name({…})`; None where they were cut off or are no object."""
    name, opened, rest = (output or "").partition("(")
    if not name or not opened or not rest.endswith(")"):
        return None
    try:
        value = decode(rest[:-1].encode("utf-8", "surrogatepass")).value
    except BadJson:
        return None
    return value if isinstance(value, dict) else None


def score_again(detail: str | None, made: JsonObject | None, expected: JsonObject) -> float | None:
    """The argument score by its formula; None for other details and for arguments that are no plain numbers."""
    known = _FORMULAS.get(detail or "")
    if known is None or made is None:
        return None
    key, size, formula = known
    left, right = _numbers(made.get(key), size), _numbers(expected.get(key), size)
    return None if left is None or right is None else formula(left, right)


def _numbers(value: JsonValue, size: int) -> list[float] | None:
    members = [finite(one) for one in as_list(value) or ()]
    found = [one for one in members if one is not None]
    return found if len(found) == len(members) == size else None


def _overlap(left: list[float], right: list[float]) -> float | None:
    """Intersection over union of two boxes; None for a box without area, which the server treats apart."""
    if min(left[2] - left[0], left[3] - left[1], right[2] - right[0], right[3] - right[1]) <= 0:
        return None
    width = max(0.0, min(left[2], right[2]) - max(left[0], right[0]))
    height = max(0.0, min(left[3], right[3]) - max(left[1], right[1]))
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (left, right))
    return width * height / (areas - width * height)


def _nearness(left: list[float], right: list[float]) -> float:
    """One minus the distance on the 0 to 1000 scale of normalised coordinates."""
    return max(0.0, 1.0 - math.dist(left, right) / 1000.0)


def _likeness(left: list[float], right: list[float]) -> float:
    """One minus the mean channel distance of two colours."""
    return max(0.0, 1.0 - sum(abs(a - b) for a, b in zip(left, right, strict=True)) / (3 * 255.0))


_FORMULAS: dict[str, tuple[str, int, Callable[[list[float], list[float]], float | None]]] = {
    "iou": ("bbox_2d", 4, _overlap),
    "point_distance": ("point_2d", 2, _nearness),
    "color_distance": ("color", 3, _likeness),
}
