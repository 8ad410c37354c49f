"""Places and commands as every export prints them: one line, visible, of a length that a page can bear."""

from __future__ import annotations

from rollout_loaders.locator import format_place
from rollout_loaders.model import Place, Rollout, RolloutSummary

from .foreign import visible_line
from .formatting import one_line
from .scored_mark import unclaimed
from .verdict import verdict_line

LONGEST = 300
"""Longer places are cut with `…`: a path or an id of such a length is damage or an attack."""
LONGEST_VERDICT = 1_000


def shown_place(rollout: Rollout | RolloutSummary, place: Place | None = None) -> str:
    """Return the place that the command line accepts, made visible; it cannot claim our badge."""
    return unclaimed(one_line(visible_line(format_place(rollout, place)), LONGEST))


def show_command(rollout: Rollout, place: Place | None = None) -> str:
    """Return the command that shows a rollout or a place of it in full."""
    return f"rollout-inspect show {shown_place(rollout, place)}"


def shown_verdict(rollout: Rollout) -> str:
    """Return the verdict line, made visible; it cannot claim our badge."""
    return unclaimed(one_line(visible_line(verdict_line(rollout)), LONGEST_VERDICT))
