"""Why nothing can be shown, as one line: in a notebook no traceback stands above it."""

from __future__ import annotations

from rollout_loaders.errors import RolloutError
from rollout_views.foreign import visible_line


class CannotShowError(RolloutError):
    """Nothing readable was named, or something was asked for that is not there."""

    def __init__(self, message: str) -> None:
        super().__init__(visible_line(message))

    def _render_traceback_(self) -> list[str]:
        """What IPython prints instead of a traceback."""
        return [str(self)]
