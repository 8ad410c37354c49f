"""What a harness note does to the chaining of captured calls (gym-semantics 8.6; seed 002)."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.evidence.capture_metrics import metrics_of
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, Rollout


@dataclass(frozen=True, slots=True)
class Effect:
    """One way of capturing, and what the note does under it."""

    id: str
    recognised: Callable[[JsonObject], bool]
    """Whether the capture metrics of the row say that this way was used. Rows seldom do."""
    label: str
    says: str


EFFECTS: tuple[Effect, ...] = (
    Effect(
        "external-staging",
        lambda capture: capture.get("external_staging") is True,
        "external staging",
        "the calls stay chained: the worker keeps the parent's exact tokens",
    ),
    Effect(
        "prefix-supply",
        lambda capture: capture.get("prefix_supply") is True,
        "prefix supply on the model server",
        "the calls stay chained: the parent's exact tokens carry over",
    ),
    Effect(
        "source-history",
        lambda capture: capture.get("parent_resolution") == "source_history",
        "`parent_resolution: source_history`",
        "each call past the limit starts a new chain: the replayed history leaves the note out",
    ),
    Effect(
        "in-process",
        lambda capture: capture.get("prefix_supply") is False and capture.get("external_staging") is not True,
        "in-process capture without prefix supply",
        "it fails closed: the build finds `parent_digest_mismatch` and does not link the call to its parent",
    ),
)


def effect_of(rollout: Rollout) -> str:
    """The effect in one text: the one that the row's capture names, else every possible one, said to be open."""
    row = rollout.evidence.row
    capture = None if row is None else row.token_capture
    if capture is not None:
        for effect in EFFECTS:
            if effect.recognised(capture):
                return f"Under {effect.label}, {effect.says}."
    possible = "; ".join(f"under {effect.label}, {effect.says}" for effect in EFFECTS)
    if capture is None and not rollout.evidence.token_entries:
        return f"No token capture is recorded here; without it no chain is affected. Under it, it depends: {possible}."
    return f"Which way of capturing was used is not recorded. It depends: {possible}.{_mismatches(capture)}"


def _mismatches(capture: JsonObject | None) -> str:
    count = 0 if capture is None else metrics_of(capture).parent_link_failures.get("parent_digest_mismatch", 0)
    return f" The row counts {count} `parent_digest_mismatch`." if count else ""
