"""Completes the last word of a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.suggester import Suggester

if TYPE_CHECKING:
    from .browse_frame import BrowseFrame


class FilterSuggester(Suggester):
    """Fields, their known values, and the findings that the list holds."""

    def __init__(self, frame: BrowseFrame) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._frame = frame

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole filter with its last word completed."""
        word = value.rsplit(None, 1)[-1] if value and not value[-1].isspace() else ""
        if not word:
            return None
        from rollout_views.filtering import suggestions

        codes = sorted({code for row in self._frame.rows[:2_000] for code in row.findings or ()})
        found = next((one for one in suggestions(value, codes) if one != word), None)
        return None if found is None else value[: len(value) - len(word)] + found
