"""The words on top of a rollout: where one is, what the verdict is, which lens it is."""

from __future__ import annotations

from pathlib import PurePath

from rollout_inspector.panes.linebar import Word
from rollout_loaders.model import Invocation, Place, Rollout, RolloutSummary
from rollout_views.block import LENSES, Lens
from rollout_views.context import ContextAt
from rollout_views.verdict import verdict_line

_STATE_STYLE = {
    "graded": "bar--strong", "invalid": "bar--problem", "unreadable": "bar--problem", "masked": "bar--warning",
}  # fmt: skip


def place_words(
    summary: RolloutSummary,
    rollout: Rollout | None,
    place: Place | None,
    invocation: Invocation | None = None,
) -> list[Word]:
    """Return the breadcrumb: a label for the eye; what `y` copies is the locator."""
    words = [Word(f"{PurePath(summary.source.path).name}#{summary.id}", "bar--strong", True)]
    if rollout is None or place is None:
        return words
    if invocation is not None and invocation is not rollout.root:
        words.append(Word(f"› {invocation.title or invocation.agent or invocation.id}", "bar--warning", True))
    if place.turn is not None:
        total = len(invocation.turns) if invocation is not None else 0
        words.append(Word(f"› turn {place.turn}/{total}" if total else f"› turn {place.turn}", "bar--normal"))
    return words


def verdict_words(rollout: Rollout) -> list[Word]:
    """Return the verdict line."""
    return [Word(verdict_line(rollout), _STATE_STYLE.get(rollout.grading.state, "bar--muted"), True)]


def lens_words(lens: Lens, context: ContextAt | None) -> list[Word]:
    """Return the lens with its key, and that only what the model had (or may have had) is shown when it is so."""
    words = [Word(f"lens: {lens} ({LENSES.index(lens) + 1})", "bar--muted")]
    if context is not None:
        had = "had" if context.certain else "may have had"
        words.insert(0, Word(f"only what the model {had}", "bar--warning"))
    return words
