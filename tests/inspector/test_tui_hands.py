"""Mouse, selection, the user's own keys, colours off, the pager and the clipboard."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.factories import rollout, think_only, tool_call, turn
from tests.inspector.tui import (
    app_over,
    browse,
    named,
    opened,
    press,
    running,
    screen_text,
    settled,
    transcript,
    write,
)
from textual import events
from textual.geometry import Offset
from textual.selection import Selection

from rollout_inspector.app import InspectorApp
from rollout_inspector.panes import promptbar
from rollout_inspector.panes.blockview import GUTTER
from rollout_inspector.panes.linebar import LineBar
from rollout_inspector.screens.rollout import RolloutScreen
from rollout_loaders.model import Place


def row_of(text: str, words: str) -> int:
    return next(index for index, line in enumerate(text.split("\n")) if words in line)


async def test_a_click_on_a_head_folds_and_unfolds() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        await press(pilot, "x")
        row = row_of(view.visible_text(), "think")
        await pilot.click("#transcript", offset=(GUTTER + 3, row))
        await settled(pilot)
        assert view.visible_text().count("More thought.") == 9
        await pilot.click("#transcript", offset=(GUTTER + 3, row))
        await settled(pilot)
        assert view.visible_text().count("More thought.") == 0


async def test_a_click_on_a_link_follows_it() -> None:
    async with running(app_over(think_only()), size=(160, 50)) as pilot:
        view = opened(pilot).evidence.view
        row = row_of(view.visible_text(), "→ turn 3")
        column = view.visible_text().split("\n")[row].index("→")
        await pilot.click("#evidence-blocks", offset=(column + 1, row))
        await settled(pilot)
        assert opened(pilot).pane == "transcript"
        assert transcript(pilot).place.turn == 3


async def test_the_list_opens_by_a_double_click_and_sorts_by_its_heads() -> None:
    rollouts = [named(rollout(turn(1, answer="a" * index)), index, 0) for index in (3, 1, 2)]
    async with running(app_over(*rollouts)) as pilot:
        table = browse(pilot).table
        head = table.visible_text().split("\n")[0]
        await pilot.click("#rows", offset=(head.index("task") + 1, 0))
        await settled(pilot)
        assert [row.id for row in browse(pilot).inspector.queue] == ["1-0", "2-0", "3-0"]
        await pilot.click("#rows", offset=(5, 2), times=2)
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, RolloutScreen)
        assert screen.summary.id == "2-0"


async def test_tabs_and_outline_by_click() -> None:
    async with running(app_over(think_only(), place=Place(turn=1)), size=(160, 40)) as pilot:
        await pilot.click("#outline", offset=(4, 1))
        await settled(pilot)
        assert transcript(pilot).place.turn == 2
        await pilot.click("#tabs", offset=(10, 0))
        await settled(pilot)
        assert opened(pilot).evidence.current == "Outcome"


async def test_selected_text_has_no_gutter_and_wrapped_lines_are_joined() -> None:
    sentence = "one two three four five six seven eight nine ten " * 6
    made = rollout(turn(1, user="go", answer=sentence.strip()))
    async with running(app_over(made, place=Place(turn=1)), size=(90, 30)) as pilot:
        view = transcript(pilot)
        row = row_of(view.visible_text(), "one two")
        found = view.get_selection(Selection(Offset(0, row), Offset(200, row + 20)))
        assert found is not None
        assert sentence.strip() in found[0]
        assert "answer" not in found[0].split("one two")[0]
        part = view.get_selection(Selection(Offset(GUTTER + 4, row), Offset(GUTTER + 7, row)))
        assert part is not None and part[0] == "two"


async def test_the_users_own_keys(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "rollout-inspect"
    folder.mkdir(parents=True)
    (folder / "keymap.toml").write_text('[keys]\n"turn.next" = "ctrl+n"\n')
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        await press(pilot, "ctrl+n")
        assert transcript(pilot).place.turn == 2
        await press(pilot, "l")
        assert transcript(pilot).place.turn == 2


@pytest.mark.parametrize("text", ["[keys", "keys = 3", '[keys]\n"turn.next" = 7\n'])
async def test_a_wrong_keymap_is_one_line(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "config" / "rollout-inspect"
    folder.mkdir(parents=True)
    (folder / "keymap.toml").write_text(text)
    rollouts = [named(think_only(), 1, index) for index in range(2)]
    async with running(app_over(*rollouts)) as pilot:
        assert "keymap.toml" in browse(pilot).prompt.message


async def test_without_colour_the_words_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_over(think_only(), place=Place(turn=1))
    async with running(app) as pilot:
        assert app.no_color
        text = screen_text(pilot)
        assert all(word in text for word in ("user", "think", "answer", "tool", "result", "compact"))


async def test_the_theme_key_steps_through_dark_light_and_ansi() -> None:
    app = app_over(think_only(), place=Place(turn=1))
    async with running(app) as pilot:
        seen: list[str] = []
        for _ in range(4):
            await press(pilot, "ctrl+t")
            seen.append(app.theme)
        assert seen == ["inspector-light", "ansi-dark", "ansi-light", "inspector-dark"]


async def test_the_pager_gets_visible_text_and_a_missing_one_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "no-such-pager-anywhere")
    async with running(app_over(rollout(turn(1, answer="\x1b[2J")), place=Place(turn=1))) as pilot:
        await press(pilot, "o")
        assert opened(pilot).prompt.message
    assert "PAGER" in os.environ


async def test_marks_of_two_rollouts_lead_to_a_comparison() -> None:
    tools = (tool_call("bash", {"command": "ls"}),)
    one = named(rollout(turn(1, tools=tools), turn(2, answer="a")), 1, 0)
    two = named(rollout(turn(1, tools=(tool_call("bash", {"command": "pwd"}),)), turn(2, answer="a")), 1, 1)
    async with running(app_over(one, two)) as pilot:
        await press(pilot, "enter", "m", "L", "d")
        assert "they part here: tool arguments differ" in screen_text(pilot)
        await press(pilot, "enter", "n", "N", "j", "k", "G", "g", "y")
        assert pilot.app.clipboard.count("rollouts.jsonl#1-") == 2
        await press(pilot, "b")
        assert isinstance(pilot.app.screen, RolloutScreen)


def test_an_app_without_anything_to_read_can_be_made() -> None:
    assert InspectorApp(()).shown_paths == ""


async def test_a_word_searched_for_in_the_list_is_looked_for_in_what_is_opened_from_it() -> None:
    found = [named(rollout(turn(1, answer="no"), turn(2, answer="the needle here")), task, 0) for task in (1, 2)]
    other = named(rollout(turn(1, answer="nothing")), 3, 0)
    async with running(app_over(*found, other)) as pilot:
        await press(pilot, "slash")
        await write(pilot, "needle")
        await press(pilot, "enter")
        assert [row.id for row in browse(pilot).inspector.queue] == ["1-0", "2-0"]
        await press(pilot, "enter")
        assert "1 of 1" in screen_text(pilot)
        assert transcript(pilot).place.turn == 2
        await press(pilot, "L")  # the next of them too
        assert opened(pilot).summary.id == "2-0"
        assert transcript(pilot).place.turn == 2
        await press(pilot, "escape", "escape")
        await press(pilot, "escape")  # the filter is gone, and with it the search
        await press(pilot, "enter")
        assert opened(pilot).search is None


async def test_a_message_gives_the_hints_back_at_the_next_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promptbar, "_READ_SECONDS", 0.0)
    async with running(app_over(think_only(), named(think_only(), 1, 1))) as pilot:
        await press(pilot, "m")
        assert "d on another one compares" in screen_text(pilot)
        await press(pilot, "j")
        last = screen_text(pilot).rstrip().split("\n")[-1]
        assert "enter open" in last


async def test_tabs_that_do_not_fit_are_counted_on_either_side() -> None:
    async with running(app_over(think_only()), size=(80, 24)) as pilot:
        pane = opened(pilot).evidence
        bar = pane.query_one("#tabs", LineBar)
        names = [tab.title for tab in pane.tabs]
        for current in pane.tabs:
            pane.show_tab(current.name)
            await settled(pilot)
            shown = [name for name in names if name in bar.text.split()]
            left, right = re.search(r"‹(\d+)", bar.text), re.search(r"(\d+)›", bar.text)
            hidden = sum(int(one[1]) for one in (left, right) if one is not None)
            assert current.title in shown
            assert len(shown) + hidden == len(names)
            drawn = bar.render_line(0).text
            assert all(name in drawn for name in shown)
        assert len(names) > 5


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_what_is_typed_in_one_go_after_a_prompts_key_reaches_the_prompt(size: tuple[int, int]) -> None:
    made = [named(rollout(turn(1, answer="4")), task, 0) for task in range(3)]
    async with running(app_over(*made), size=size) as pilot:
        for key in ("colon", "2", "minus", "0", "enter"):
            pilot.app.post_message(events.Key(key, {"minus": "-"}.get(key, key if len(key) == 1 else None)))
        await settled(pilot)
        assert browse(pilot).table.row == 2
        for key in ("colon", "q", "q", "m", "enter"):  # none of these may do in the list what they do there
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await settled(pilot)
        assert "no rollout qqm is listed" in screen_text(pilot)


async def test_of_a_copied_place_the_end_stays_in_sight() -> None:
    long = replace(think_only(), source=replace(think_only().source, path="a/very/long/path/" * 6 + "rollouts.jsonl"))
    async with running(app_over(long, named(long, 4, 1)), size=(80, 24)) as pilot:
        await press(pilot, "y")
        last = screen_text(pilot).rstrip().split("\n")[-1]
        assert "rollouts.jsonl#3-1" in last


@pytest.mark.parametrize("key", ["l", "h", "0", "dollar_sign", "2", "v", "b", "right_square_bracket"])
async def test_a_key_of_the_transcript_shows_it_where_why_hides_it(key: str) -> None:
    async with running(app_over(think_only()), size=(80, 24)) as pilot:
        screen = opened(pilot)
        assert screen.pane == "evidence"
        assert not transcript(pilot).display
        await press(pilot, key)
        assert screen.pane == "transcript"
        assert transcript(pilot).display


@pytest.mark.parametrize(
    ("size", "keys"),
    [
        ((80, 24), ()),  # opens on Why
        ((80, 24), ("z",)),
        ((60, 24), ()),
        ((60, 24), ("tab",)),  # the outline, after Why
        ((120, 40), ("z",)),
    ],
)
async def test_escape_in_a_pane_that_covers_the_transcript_goes_back_to_it_before_it_leaves(
    size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with running(app_over(think_only(), named(think_only(), 1, 1)), size=size) as pilot:
        await press(pilot, "enter", *keys)
        assert not transcript(pilot).display
        await press(pilot, "escape")
        assert opened(pilot).pane == "transcript"
        assert transcript(pilot).display
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_escape_beside_a_transcript_in_sight_leaves_at_once() -> None:
    async with running(app_over(think_only(), named(think_only(), 1, 1)), size=(120, 40)) as pilot:
        await press(pilot, "enter")
        assert opened(pilot).pane == "evidence"
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)
