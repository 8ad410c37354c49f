"""Which row of the masking table says whether token capture keeps a sample out of training (gym-semantics 8.3)."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.fast_dataclass import dataclass

from .capture_metrics import CaptureMetrics


@dataclass(frozen=True, slots=True)
class MaskRow:
    """One row: the case, what it does (None: left as it was, or a setting decides), and the sentence about it."""

    id: str
    applies: Callable[[CaptureMetrics], bool]
    masks: bool | None
    says: str


def _clean(metrics: CaptureMetrics) -> bool:
    """Exactly one root, one chain, no unresolved retries, no unresolved parents; a count not recorded is no problem."""
    return (
        metrics.roots == 1 and metrics.chains == 1 and not metrics.unresolved_retries and not metrics.unresolved_parents
    )


def _unclean(metrics: CaptureMetrics) -> bool:
    return (
        (metrics.roots or 0) > 1
        or (metrics.chains or 0) > 1
        or bool(metrics.unresolved_retries)
        or bool(metrics.unresolved_parents)
    )


def _retried(metrics: CaptureMetrics) -> bool:
    """Losers of a retry are quarantined also where it was resolved; the keys of 8.3 do not tell the two apart."""
    return bool(metrics.quarantined_calls) and metrics.unresolved_retries is None


def _delivered(metrics: CaptureMetrics) -> bool:
    return metrics.chain == "delivered"


MASK_ROWS: tuple[MaskRow, ...] = (
    MaskRow(
        "build-error",
        lambda metrics: metrics.error is not None,
        True,
        "the capture could not be built into a trainable rollout (an error, no records or no id)",
    ),
    MaskRow(
        "snapshot-incomplete-delivered",
        lambda metrics: metrics.incomplete and _delivered(metrics),
        None,
        "the snapshot is incomplete and the chain was delivered: masked unless `mask_incomplete_when_attributed` is "
        "false, a setting that no row records",
    ),
    MaskRow("snapshot-incomplete", lambda metrics: metrics.incomplete, True, "a model call is missing in the snapshot"),
    MaskRow(
        "delivered-nothing-trainable",
        lambda metrics: _delivered(metrics) and metrics.generated_delivered == 0,
        True,
        "the attributed chain was delivered, and nothing in it can be trained on",
    ),
    MaskRow("chain-delivered", _delivered, False, "the attributed chain was delivered"),
    MaskRow(
        "attributed-not-delivered",
        lambda metrics: metrics.method is not None or metrics.chain in ("broken", "not_captured"),
        True,
        "a call is attributed or declared, and its chain was not delivered",
    ),
    MaskRow(
        "single-chain-retried",
        lambda metrics: _clean(metrics) and _retried(metrics),
        None,
        "no call is attributed, and one root with one chain has quarantined retries: masked where a retry stayed "
        "unresolved, which the row does not record",
    ),
    MaskRow(
        "single-clean-chain",
        _clean,
        False,
        "no call is attributed, and exactly one root with one chain and nothing unresolved leaves no doubt",
    ),
    MaskRow(
        "multi-chain-fallback",
        _unclean,
        True,
        "no call is attributed, and several chains or roots, retries or unresolved parents leave open which was scored",
    ),
)
"""In order of precedence. `already-tokenised` (below) is asked where there are no metrics at all."""

CERTAIN = frozenset(row.id for row in MASK_ROWS if row.masks)
"""Rows that mask whatever the settings were."""

ALREADY_TOKENISED = MaskRow(
    "already-tokenised",
    lambda _metrics: True,
    None,
    "the output already carries `generation_token_ids`: token capture leaves it and its mask unchanged",
)


def mask_row(metrics: CaptureMetrics) -> MaskRow | None:
    """The row that applies; None where the counts that decide are not recorded."""
    return next((row for row in MASK_ROWS if row.applies(metrics)), None)
