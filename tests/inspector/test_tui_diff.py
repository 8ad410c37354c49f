"""`diff --open`: totals first, a changed pair side by side."""

from __future__ import annotations

from tests.inspector import tui
from tests.paths import SAMPLES

from rollout_inspector.diffapp import DiffApp
from rollout_inspector.screens.compare import CompareScreen
from rollout_inspector.screens.comparison import ComparisonScreen
from rollout_loaders.collection import open_paths


def app(one: str, two: str) -> DiffApp:
    left, right = str(SAMPLES / one), str(SAMPLES / two)
    return DiffApp(open_paths([left]), open_paths([right]), (left, right))


async def test_totals_first_and_the_worst_pair_first() -> None:
    async with app("split/before", "split/after").run_test(size=(110, 40)) as pilot:
        await tui.settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, ComparisonScreen)
        first = screen.view.source.blocks(0)[0]
        assert first.body == "5 pairs · 5 changed · reward up 2, down 0, same 3"
        await pilot.press("n")
        assert screen.view.block is not None
        assert screen.view.block.title == "4-0"


async def test_enter_opens_a_pair_side_by_side_and_escape_comes_back() -> None:
    async with app("split/before", "split/after").run_test(size=(110, 40)) as pilot:
        await tui.settled(pilot)
        await pilot.press("n", "n", "enter")
        await tui.settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        assert screen.delta is not None
        assert screen.delta.reasoning_moved == "out of the answer"
        await pilot.press("escape")
        await tui.settled(pilot)
        assert isinstance(pilot.app.screen, ComparisonScreen)


async def test_two_single_rollouts_open_side_by_side_at_once() -> None:
    async with app("empty-final-answer", "think-only-tool-turn").run_test(size=(110, 40)) as pilot:
        await tui.settled(pilot)
        await tui.settled(pilot)
        assert isinstance(pilot.app.screen, CompareScreen)
