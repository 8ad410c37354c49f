"""The command palette: every key of the screen, every theme, every lens, every column, by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.screen import Screen

from .screens.rollouttable import COLUMN_TITLES
from .themes import ORDER

if TYPE_CHECKING:
    from .app import InspectorApp


def system_commands(app: InspectorApp, screen: Screen[object]) -> Iterator[SystemCommand]:
    """Yield what the palette offers on a screen."""
    from .screens.browse import BrowseScreen

    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.id or not binding.description or binding.description in seen:
            continue
        seen.add(binding.description)
        key = app.get_key_display(binding)
        yield SystemCommand(binding.description, f"key {key}", partial(_run, app, screen, binding.action))
    if isinstance(screen, BrowseScreen):
        for key, title in COLUMN_TITLES:
            yield SystemCommand(f"Sort by {title}", "again: the other way round", partial(screen.sort_by, key))
        for name in app.views.names:
            yield SystemCommand(f"View {name}", "a saved filter with its order", partial(screen.open_view, name))
    for name in (*ORDER, *(name for name in sorted(app.available_themes) if name not in ORDER)):
        yield SystemCommand(f"Theme {name}", "colours", partial(setattr, app, "theme", name))
    yield SystemCommand("Export all notes", "one JSON object a line, into notes.jsonl", app.export_notes)


def _run(app: InspectorApp, screen: Screen[object], action: str) -> None:
    namespace = screen.focused if screen.focused is not None and action.startswith(("line", "page")) else screen
    app.call_later(app.run_action, action, namespace)
