"""A key that moves the view draws it: what the screen shows is what the state says."""

from __future__ import annotations

from typing import Any

import pytest
from tests.factories import rollout, turn
from tests.inspector.tui import app_over, press, running, transcript

from rollout_inspector.panes.blockview import BlockView
from rollout_loaders.model import Place


@pytest.mark.parametrize("key", ["j", "down", "space", "ctrl+d", "pagedown"])
async def test_scrolling_by_a_key_repaints_the_screen(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    long = rollout(*(turn(number, answer=f"answer {number}\n" * 5) for number in range(1, 30)))
    async with running(app_over(long, place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        drawn: list[bool] = []
        refresh: Any = BlockView.refresh

        def counted(self: BlockView, *arguments: Any, **more: Any) -> Any:
            drawn.append(True)
            return refresh(self, *arguments, **more)

        monkeypatch.setattr(BlockView, "refresh", counted)
        before = view.scroll_y
        await press(pilot, key)
        assert view.scroll_y > before
        assert drawn
        assert view.vertical_scrollbar.position == view.scroll_y
