"""Which captured model call, if any, the scored response was traced to (gym-semantics 8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from .jsontypes import JsonObject
from .place import Reason


@dataclass(frozen=True, slots=True)
class Attribution:
    """Token attribution as recorded, with the mask and the row of 8.3 that explains it."""

    status: str = "not_captured"
    """`not_captured`, `attributed`, `no_attribution` or `error`."""
    method: str | None = None
    reasons: tuple[str, ...] = ()
    """The reason trail, token by token, e.g. `('no_content_match',)`."""
    call_id: str | None = None
    chain: str | None = None
    chains: int | None = None
    roots: int | None = None
    masked: bool | None = None
    mask_rule: str | None = None
    because: tuple[Reason, ...] = ()
    delivered_fraction: float | None = None
    tree: tuple[str, ...] = ()
    """The chains as lines of a small text tree, one call a line."""
    extra: JsonObject = field(default_factory=lambda: {})
