"""Walking fixtures in the terminal, every key of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.inspector import tui
from tests.paths import SAMPLES
from textual.pilot import Pilot

from rollout_inspector.panes.linebar import LineBar
from rollout_inspector.screens.walk import WalkScreen
from rollout_inspector.walkapp import WalkApp


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "fixtures"
    for name in ("empty-final-answer", "literal-tags", "split/after"):
        shutil.copytree(SAMPLES / name, target / name)
    path = target / "empty-final-answer" / "expect.json"
    value = json.loads(path.read_text())
    value["final_answer"]["text"] = "4"
    path.write_text(json.dumps(value))
    return target


async def settled(pilot: Pilot[None]) -> WalkScreen:
    await tui.settled(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, WalkScreen)
    return screen


def said(screen: WalkScreen, bar: str) -> str:
    return screen.query_one(bar, LineBar).text


async def test_it_opens_on_the_first_fixture_and_counts(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(110, 34)) as pilot:
        screen = await settled(pilot)
        assert "2 pass" in said(screen, "#counts")
        assert "1 differ" in said(screen, "#counts")
        assert screen.result is not None
        assert screen.result.name == "empty-final-answer"


async def test_the_differing_item_is_marked_in_the_transcript(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(110, 34)) as pilot:
        screen = await settled(pilot)
        block = screen.transcript.block
        assert block is not None
        assert block.label == "answer"
        assert block.place.turn == 3
        assert '/final_answer/text differs: expected "4"' in block.mark


async def test_next_previous_and_differing(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(110, 34)) as pilot:
        screen = await settled(pilot)
        await pilot.press("n", "n")
        assert screen.result is not None
        assert screen.result.name == "split/after"
        await pilot.press("L", "L")
        assert screen.rollout is not None
        assert screen.rollout.id == "2-0"
        await pilot.press("N")
        assert screen.result.name == "empty-final-answer"
        await pilot.press("p")
        assert screen.result.name == "split/after"


async def test_accept_asks_writes_and_passes(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(110, 34)) as pilot:
        screen = await settled(pilot)
        await pilot.press("a")
        await pilot.press(*"no", "enter")
        assert screen.result is not None
        assert not screen.result.passed
        await pilot.press("a")
        await pilot.press(*"yes", "enter")
        await settled(pilot)
        assert screen.result.passed
        assert json.loads((folder / "empty-final-answer" / "expect.json").read_text())["final_answer"]["text"] == ""


async def test_a_change_on_disk_reruns_that_fixture(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(110, 34)) as pilot:
        screen = await settled(pilot)
        shutil.copy(SAMPLES / "empty-final-answer" / "expect.json", folder / "empty-final-answer" / "expect.json")
        screen.look()
        await settled(pilot)
        assert screen.result is not None
        assert screen.result.passed


async def test_lens_and_pane_keys(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(80, 24)) as pilot:
        screen = await settled(pilot)
        assert screen.facts.has_focus
        await pilot.press("tab")
        assert screen.transcript.has_focus
        await pilot.press("v")
        assert "lens: scored" in said(screen, "#rule")


async def test_a_small_terminal_does_not_break_it(folder: Path) -> None:
    async with WalkApp(folder).run_test(size=(20, 5)) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
