"""Filters with their order under a name: kept in the user's state folder, offered in the palette."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from rollout_loaders.fast_dataclass import dataclass

from .notes import state_folder


@dataclass(frozen=True, slots=True)
class SavedView:
    """What the list is made to show."""

    query: str
    column: str | None = None
    reverse: bool = False
    grouped: bool = False


class SavedViews:
    """All views of the user."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or state_folder()) / "views.json"
        self.problem: str | None = None
        self._views: dict[str, SavedView] = {}
        try:
            stored = json.loads(self.path.read_text("utf-8"))
            self._views = {str(name): SavedView(**value) for name, value in stored["views"].items()}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            self.problem = f"{self.path}: {error}"

    @property
    def names(self) -> list[str]:
        """Names of all views, sorted."""
        return sorted(self._views)

    def get(self, name: str) -> SavedView | None:
        """Return a view."""
        return self._views.get(name)

    def put(self, name: str, view: SavedView) -> None:
        """Keep a view. Raises `OSError`; a file that could not be read is not overwritten."""
        if self.problem is not None:
            raise OSError(self.problem)
        self._views[name] = view
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(dir=self.path.parent, prefix=".views-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "views": {key: asdict(one) for key, one in self._views.items()}}, file, indent=1)
        Path(written).replace(self.path)
