"""Which captured model call, if any, the scored response was traced to (gym-semantics 8)."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .jsontypes import JsonObject
from .place import Reason


@dataclass(frozen=True, slots=True)
class Attribution:
    """Token attribution as recorded, with the mask and the row of 8.3 that explains it."""

    status: str = "not_captured"
    """`not_captured`, `attributed`, `no_attribution` or `error`."""
    method: str | None = None
    """`none`, or the name of the witness that found the call, as recorded."""
    reasons: tuple[str, ...] = ()
    """The reason trail, token by token, e.g. `('no_content_match',)`."""
    call_id: str | None = None
    chain: str | None = None
    """What became of the call's chain: `delivered`, `broken`, `not_captured`, `error`, or '' without a call."""
    chains: int | None = None
    """Number of chains among the captured calls, as recorded."""
    roots: int | None = None
    """Number of their roots, as recorded."""
    masked: bool | None = None
    """Whether the sample is kept out of training; None where nothing says so."""
    mask_rule: str | None = None
    """Id of the row of 8.3 that explains the mask."""
    because: tuple[Reason, ...] = ()
    delivered_fraction: float | None = None
    """Share of the generated tokens that were delivered, 0 to 1, as recorded."""
    tree: tuple[str, ...] = ()
    """The chains as lines of a small text tree, one call a line."""
    extra: JsonObject = field(default_factory=lambda: {})
