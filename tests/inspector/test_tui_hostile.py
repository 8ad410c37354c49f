"""Text of a rollout is never obeyed, never markup, and never moves a column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from tests.factories import graded, invocation, rollout, tool_call, turn
from tests.inspector.tui import app_over, press, running, screen_text, settled

from rollout_inspector.app import InspectorApp
from rollout_loaders.model import Place, Rollout, SourceRef

HOSTILE = "\x1b]52;c;aGVsbG8=\x07 \x1b[2J \x9b2J \u202egnp.exe \x00 [bold red]markup[/] \ud800 end"
WIDE = "日本語の文 | e\u0301 | 👩‍👩‍👧 | \U0001f1e9\U0001f1ea | a\tb | ｱ"
FORBIDDEN = "\x1b\x07\x9b\u202e\x00\ud800"


def hostile_rollout() -> Rollout:
    """Hostile text wherever a record can hold text."""
    child = invocation(turn(1, answer=HOSTILE), ident="ses_child", parent_id="ses_root", title=HOSTILE)
    made = rollout(
        turn(1, user=HOSTILE, reasoning=HOSTILE, answer=HOSTILE, error=HOSTILE, finish=HOSTILE, model=HOSTILE),
        turn(2, answer=WIDE, tools=(tool_call(HOSTILE, {HOSTILE: HOSTILE}, HOSTILE + "\n" + WIDE, error=HOSTILE),)),
        children=(child,),
        grading=graded(0.0, HOSTILE, failure_reason=HOSTILE, expected=HOSTILE, extracted=HOSTILE),
        source=SourceRef(path=f"runs/{HOSTILE}.jsonl".replace("\ud800", ""), format="gym-rollouts", locator="L1"),
    )
    return replace(made, id="3-1", task=replace(made.task, prompt=HOSTILE, task_id=HOSTILE))


async def test_no_character_that_a_terminal_obeys_reaches_the_screen() -> None:
    app = InspectorApp((HOSTILE.replace("\ud800", ""),), opener=app_over(hostile_rollout()).opener)
    async with running(app) as pilot:
        keys = ["tab", "1", "2", "3", "e", "f", "l", "l", "question_mark", "escape", "tab", "greater_than_sign"]
        for key in (*keys, *["greater_than_sign"] * 7, "W", "y", "Y", "m", "escape", "escape", "T", "escape", "t", "D"):
            await press(pilot, key)
            text = screen_text(pilot)
            assert not set(FORBIDDEN) & set(text), key
        assert not set(FORBIDDEN) & set(app.clipboard)


async def test_markup_stays_text() -> None:
    async with running(app_over(hostile_rollout(), place=Place(turn=1))) as pilot:
        await press(pilot, "e")
        assert "[bold red]markup[/]" in screen_text(pilot)


@pytest.mark.parametrize("width", [20, 33, 60, 80, 119, 300])
async def test_every_line_is_as_wide_as_the_terminal(width: int) -> None:
    async with running(app_over(hostile_rollout(), place=Place(turn=2)), size=(width, 30)) as pilot:
        await press(pilot, "e")
        for _ in range(4):
            size = pilot.app.size
            strips = pilot.app.screen._compositor.render_strips(size)  # pyright: ignore[reportPrivateUsage]
            for strip in strips:
                assert cell_len("".join(segment.text for segment in strip)) == width
            await press(pilot, "tab")


async def test_huge_lines_and_huge_outputs_open_scroll_and_close() -> None:
    made = rollout(
        turn(1, user="go", reasoning="thought " * 27_000),
        turn(2, tools=(tool_call(output="x" * 300_000), tool_call(output="日本" * 50_000, call_id="call_b"))),
        turn(3, tools=(tool_call(output="\n".join(str(number) for number in range(60_000)), call_id="call_c"),)),
    )
    async with running(app_over(made, place=Place(turn=1))) as pilot:
        await press(pilot, "e", "pagedown", "G", "pageup", "g", "l", "l", "h", "x", "G", "g")
        await pilot.resize_terminal(50, 20)
        await settled(pilot)
        assert "turn" in screen_text(pilot)
