"""PATHs to rollouts: expansion, folders, joining of artifacts and evidence (CONTRACT 2)."""

from __future__ import annotations

from .collection import Collection, open_paths

__all__ = ["Collection", "open_paths"]
