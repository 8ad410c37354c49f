"""Listings that are kept of small files too, and what is scanned for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rollout_loaders.formats import gym_scan
from rollout_loaders.index import folder, identity, opened


def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, for files of any size and age."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(folder.SWITCH, raising=False)
    monkeypatch.setattr(opened, "PAYS", 0)
    monkeypatch.setattr(identity, "FRESH_NS", 0)
    monkeypatch.setattr(identity, "READ_AGAIN", 0)
    return tmp_path / "cache" / "rollout-inspect"


def noted_scans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Byte ranges that are scanned from now on."""
    seen: list[tuple[int, int]] = []
    scan = gym_scan.scan

    def noted(file: Any, start: int, end: int, plain: Any) -> Any:
        seen.append((start, end))
        return scan(file, start, end, plain)

    monkeypatch.setattr(gym_scan, "scan", noted)
    return seen
