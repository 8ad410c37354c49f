"""What every list of lines that is drawn on demand has: lines kept until something changes how they look."""

from __future__ import annotations

from textual.cache import LRUCache
from textual.scroll_view import ScrollView
from textual.strip import Strip

_KEPT = 1024


class StripView(ScrollView, can_focus=True):
    """Textual's Line API with a cache; the views that inherit draw a line in `render_line`."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, classes=classes)
        self.strips: LRUCache[tuple[int, ...], Strip] = LRUCache(_KEPT)
        """Drawn lines, by whatever else they depend on."""

    def redraw(self) -> None:
        """Draw everything again."""
        self.strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget what was drawn when the theme changes."""
        super().notify_style_update()
        self.strips.clear()

    def on_focus(self) -> None:
        """Show the cursor as the one that the keys move."""
        self.redraw()

    def on_blur(self) -> None:
        """Show the cursor dimmed."""
        self.redraw()

    def scroll_to_line(self, line: int, height: int) -> None:
        """Bring a line on screen, `height` lines of which hold lines."""
        top = round(self.scroll_y)
        if line < top:
            self.scroll_to(y=line, animate=False)
        elif line >= top + height:
            self.scroll_to(y=line - height + 1, animate=False)

    def visible_text(self) -> str:
        """Return what is on screen as text."""
        return "\n".join(self.render_line(y).text.rstrip() for y in range(self.size.height))
