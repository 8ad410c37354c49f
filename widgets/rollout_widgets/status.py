"""The line above a page: where we are, or what went wrong. It wraps: `Label` would cut it off."""

from __future__ import annotations

from html import escape

from ipywidgets import HTML

from rollout_views.foreign import visible_line
from rollout_views.inert_math import inert_math


class Status(HTML):
    """One line of text."""

    said: str = ""
    """The text, visible."""

    def say(self, text: str) -> None:
        """Show a text that may be foreign."""
        self.said = visible_line(text)
        shown = inert_math(escape(self.said, quote=True))
        self.value = f'<p style="line-height:1.5;margin:0;overflow-wrap:anywhere">{shown}</p>'
