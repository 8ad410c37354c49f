"""Every key on every rollout: the sample rollouts, and the recordings and real rows where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.inspector.tui import browse, press, running, screen_text, settled
from tests.paths import GYM_ROLLOUTS, RECORDINGS, SAMPLES

from rollout_inspector.app import InspectorApp
from rollout_inspector.screens.rollout import RolloutScreen

KEYS = """
l right h left dollar_sign 0 j k J K pagedown pageup G g tab 1 2 3 v e x r t p b b right_square_bracket
left_square_bracket right_curly_bracket left_curly_bracket f F c y Y m W greater_than_sign less_than_sign enter z z O O
""".split()  # noqa: SIM905 - a list of so many words hides them
PER_ROLLOUT = 8
"""Keys pressed on each rollout; the next one goes on where this one stopped."""
FORBIDDEN = set("\x1b\x07\x9b\u202e\x00")


async def drive(path: Path, limit: int) -> None:
    async with running(InspectorApp((str(path),)), size=(100, 30)) as pilot:
        for _ in range(600):
            if not browse(pilot).reading:
                break
            await settled(pilot)
        rows = browse(pilot).rows
        assert rows
        if not isinstance(pilot.app.screen, RolloutScreen):
            await press(pilot, "enter")
        at = 0
        for row in rows[:limit]:
            screen = pilot.app.screen
            assert isinstance(screen, RolloutScreen)
            assert screen.summary.id == row.id
            assert screen.rollout is not None, row.source.path
            for _ in range(PER_ROLLOUT):
                await pilot.press(KEYS[at % len(KEYS)])
                at += 1
            await settled(pilot)
            assert not FORBIDDEN & set(screen_text(pilot)), row.source.path
            await press(pilot, "L")


async def test_sample_rollouts() -> None:
    await drive(SAMPLES, limit=40)


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not beside this checkout")
async def test_recordings() -> None:
    await drive(RECORDINGS, limit=15)


@pytest.mark.skipif(not GYM_ROLLOUTS.is_dir(), reason="the real rows are not beside this checkout")
async def test_real_rows() -> None:
    await drive(GYM_ROLLOUTS / "benchmarks", limit=15)
