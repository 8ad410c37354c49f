"""The two things that screens ask of Textual's workers, typed once: its `Worker` leaves its result's type open."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen
from textual.worker import get_current_worker  # pyright: ignore[reportUnknownVariableType] - see above


def cancellation() -> Callable[[], bool]:
    """Return a function that says whether the worker that called this was cancelled."""
    worker = get_current_worker()  # pyright: ignore[reportUnknownVariableType] - see above
    return lambda: worker.is_cancelled  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType] - see above


def cancel(screen: Screen[None], group: str) -> None:
    """Cancel a group of workers of a screen."""
    screen.workers.cancel_group(screen, group)  # pyright: ignore[reportUnknownMemberType] - see above
