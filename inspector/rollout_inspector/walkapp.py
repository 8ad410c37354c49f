"""`walk DIR` in the terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from textual.screen import Screen

from .app import InspectorApp
from .screens.walk import WalkScreen
from .terminal import run_in_terminal


class WalkApp(InspectorApp):
    """Steps through the fixtures below a folder."""

    def __init__(self, folder: Path, at: str | None = None) -> None:
        super().__init__((str(folder),))
        self.folder, self.at = folder, at
        self.restart_at: str | None = None
        self.restarts = False

    def get_default_screen(self) -> Screen[object]:
        """Start on the first fixture, or on the one that was on screen before a restart."""
        return WalkScreen(self.folder, self.at)  # type: ignore[return-value]

    def restart(self, at: str | None) -> None:
        """Leave, to be started again with the changed code."""
        self.restarts, self.restart_at = True, at
        self.exit()


def walk(folder: Path, at: str | None = None) -> int:
    """Run the app; return its exit code. A change of the code replaces this process by a new one, same fixture."""
    app = WalkApp(folder, at)
    code = run_in_terminal(app)
    if app.restarts:
        place = ["--at", app.restart_at] if app.restart_at is not None else []
        os.execv(sys.executable, [sys.executable, "-m", "rollout_inspector", "walk", *place, "--", str(folder)])
    return code
