"""Two rollouts or two sets of them, aligned (CONTRACT 6). No drawing: `rollout_views` renders what stands here."""

from __future__ import annotations

from .alignment import ANCHOR_RULE, Step, align
from .delta import Delta, compare
from .divergence import Divergence, first_divergence
from .pairing import Pair, Pairing, pair_up
from .totals import Totals, total

__all__ = [
    "ANCHOR_RULE",
    "Delta",
    "Divergence",
    "Pair",
    "Pairing",
    "Step",
    "Totals",
    "align",
    "compare",
    "first_divergence",
    "pair_up",
    "total",
]
