"""The list: rows as they are read, filter, order, groups, selection, and the ways out of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.factories import graded, rollout, think_only, tool_call, turn
from tests.inspector.tui import MadeSource, app_over, browse, named, press, running, screen_text, settled, write

from rollout_inspector.app import InspectorApp
from rollout_inspector.screens.compare import CompareScreen
from rollout_inspector.screens.group import GroupScreen
from rollout_inspector.screens.help import HelpScreen
from rollout_inspector.screens.rollout import RolloutScreen
from rollout_loaders.errors import ReadError
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.summary import summarise


def run_of_three() -> tuple[Rollout, ...]:
    good = rollout(turn(1, user="q", answer="four"), reward=1.0)
    bad = rollout(turn(1, user="q", answer="five is the answer", tools=(tool_call("bash"),)), grading=graded(0.0))
    broken = rollout(turn(1, user="q"), grading=graded(0.0, state="invalid"), findings=())
    return named(good, 10, 0), named(bad, 2, 1), named(broken, 2, 0)


async def test_rows_stand_in_the_order_of_the_file() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        assert [row.id for row in browse(pilot).rows] == ["10-0", "2-1", "2-0"]
        text = screen_text(pilot)
        assert "3 rollouts" in text
        assert "⊘ invalid" in text


async def test_an_invalid_reward_never_stands_alone() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        line = next(line for line in screen_text(pilot).split("\n") if "⊘ invalid" in line)
        assert "0 invalid" in line


async def test_filter_narrows_counts_and_is_taken_away() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "f")
        await write(pilot, "reward<1 state:graded")
        await press(pilot, "enter")
        assert [row.id for row in pilot.app.queue] == ["2-1"]  # type: ignore[attr-defined]
        assert "1 of 3" in screen_text(pilot)
        await press(pilot, "escape")
        assert len(browse(pilot).inspector.queue) == 3


async def test_a_wrong_filter_says_so_in_place_and_keeps_the_rows() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "f")
        await write(pilot, "rewrd<1")
        assert "did you mean reward" in screen_text(pilot)
        assert len(browse(pilot).inspector.queue) == 3


async def test_text_is_searched_in_whole_rollouts() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "slash")
        await write(pilot, "five is")
        await press(pilot, "enter")
        await settled(pilot)
        assert [row.id for row in browse(pilot).inspector.queue] == ["2-1"]


async def test_a_paste_of_control_characters_into_the_filter_is_made_visible() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "f")
        browse(pilot).filter_line.set_value("\x1b]52;c;aGk=\x07")
        await settled(pilot)
        assert "\x1b" not in screen_text(pilot)
        assert "⟨ESC⟩" in browse(pilot).filter_line.value


async def test_sorting_by_column_and_back_to_file_order() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        screen = browse(pilot)
        screen.sort_by("task")
        await settled(pilot)
        assert [row.id for row in screen.inspector.queue] == ["2-1", "2-0", "10-0"]
        await press(pilot, "s")
        assert [row.id for row in screen.inspector.queue] == ["10-0", "2-1", "2-0"]
        screen.sort_by("task")
        await settled(pilot)
        assert [row.id for row in screen.inspector.queue] == ["10-0", "2-1", "2-0"]
        assert screen.arrangement.sorted_by is None


async def test_sort_keys_walk_the_columns_that_are_shown() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "greater_than_sign")
        first = browse(pilot).arrangement.sorted_by
        await press(pilot, "greater_than_sign", "less_than_sign")
        assert browse(pilot).arrangement.sorted_by == first


async def test_grouping_puts_a_line_above_repeats() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "t")
        line = next(line for line in screen_text(pilot).split("\n") if "task 2" in line)
        assert "○⊘" in line or "⊘○" in line
        assert "0 of 1 pass" in line


async def test_the_cursor_stays_on_its_rollout() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "j")
        browse(pilot).sort_by("reward")
        await settled(pilot)
        row = browse(pilot).table.row
        assert row is not None and browse(pilot).rows[row].id == "2-1"


async def test_group_screen_opens_the_two_that_differ_most() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "T")
        screen = pilot.app.screen
        assert isinstance(screen, GroupScreen)
        assert [group.name for group in screen.groups] == ["2", "10"]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CompareScreen)
        assert (pilot.app.screen.left.id, pilot.app.screen.right.id) == ("2-1", "2-0")


async def test_mark_and_compare() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "m", "j", "d")
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        assert screen.delta is not None and screen.delta.reward_moved == "down"
        text = screen_text(pilot)
        assert "reward 1 → 0" in text
        assert "they part here" in text
        await press(pilot, "s")
        assert screen.delta.reward_moved == "up"
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_select_two_and_compare_or_export(tmp_path: Path) -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "space", "space")
        assert browse(pilot).table.selected == {0, 1}
        target = tmp_path / "out.json"
        await press(pilot, "E")
        browse(pilot).prompt.query_one("#prompt-input").value = str(target)  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert target.read_text().count("\n") == 2
        await press(pilot, "E")
        browse(pilot).prompt.query_one("#prompt-input").value = str(target)  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert "exists already" in browse(pilot).prompt.message


async def test_next_and_previous_rollout_follow_the_list() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        browse(pilot).sort_by("task")
        await settled(pilot)
        await press(pilot, "g", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, RolloutScreen) and screen.summary.id == "2-1"
        await press(pilot, "L")
        assert screen.summary.id == "2-0"
        await press(pilot, "L", "L")
        assert "last rollout" in screen.prompt.message
        await press(pilot, "escape")
        row = browse(pilot).table.row
        assert row is not None and browse(pilot).rows[row].id == "10-0"


async def test_a_rollout_opens_again_as_it_was_left() -> None:
    async with running(app_over(named(think_only(), 3, 1), *run_of_three())) as pilot:
        await press(pilot, "enter", "tab", "tab", "l", "3")
        screen = pilot.app.screen
        assert isinstance(screen, RolloutScreen)
        place = screen.transcript.place
        await press(pilot, "escape", "enter")
        again = pilot.app.screen
        assert isinstance(again, RolloutScreen)
        assert again.state.lens == "scored"
        assert again.transcript.place == place


async def test_a_vanished_file_is_one_line() -> None:
    source = MadeSource(run_of_three())
    async with running(InspectorApp(("rollouts.jsonl",), opener=lambda: source)) as pilot:
        source.vanished = True
        await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, RolloutScreen)
        assert "the file is gone" in screen_text(pilot)
        await press(pilot, "l", "h", "v", "1", "e", "x", "b", "c", "f", "y", "Y", "o", "m", "tab", "W")
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_nothing_readable_is_said_in_the_table() -> None:
    def fails() -> MadeSource:
        raise ReadError("gone.jsonl", "no such file")

    async with running(InspectorApp(("gone.jsonl",), opener=fails)) as pilot:
        assert "gone.jsonl: no such file" in screen_text(pilot)
        await press(pilot, "enter", "space", "m", "d", "y", "t", "T", "escape", "E", "greater_than_sign", "s", "u")


async def test_diagnostics_are_counted_and_shown() -> None:
    source = MadeSource(run_of_three())
    source.diagnostics = (Diagnostic("record-unreadable", "this is no JSON", "rollouts.jsonl#L7"),)
    async with running(InspectorApp(("rollouts.jsonl",), opener=lambda: source)) as pilot:
        assert "1 diagnostic (D)" in screen_text(pilot)
        await press(pilot, "D")
        assert "this is no JSON" in screen_text(pilot)


async def test_help_lists_the_keys_of_the_screen_below() -> None:
    async with running(app_over(*run_of_three()), size=(100, 80)) as pilot:
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        text = screen_text(pilot)
        assert "Group by task" in text
        assert "list.filter" in text
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen_stack[-1], HelpScreen)


@pytest.mark.parametrize("keys", [("q",), ("ctrl+c",), ("f", "ctrl+c"), ("enter", "ctrl+c"), ("colon", "ctrl+c")])
async def test_it_can_always_be_left(keys: tuple[str, ...]) -> None:
    app = app_over(*run_of_three())
    async with running(app) as pilot:
        for key in keys:
            await pilot.press(key)
    assert app.return_code == 0


async def test_notes_are_kept_by_content_beside_nothing_that_was_read(tmp_path: Path) -> None:
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "enter", "w")
        await write(pilot, "good: looks right")
        await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, RolloutScreen)
        assert "1 of 3 reviewed" in screen.prompt.message
        assert (tmp_path / "state" / "rollout-inspect" / "notes.json").exists()
        await press(pilot, "u")
        assert screen.summary.id == "2-1"
        await press(pilot, "escape", "g")
        assert "note good: looks right" in screen_text(pilot)


async def test_a_growing_file_is_followed_without_losing_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollout_inspector.screens.browse_reading._FOLLOW_SECONDS", 0.02)
    path = tmp_path / "rollouts.jsonl"
    path.write_text("x")
    source = MadeSource(run_of_three())
    app = InspectorApp((str(path),), follow=True, opener=lambda: source)
    async with app.run_test(size=(120, 40)) as pilot:
        while browse(pilot).reading:
            await pilot.pause(0.02)
        await pilot.press("j", "enter")
        while not (isinstance(app.screen, RolloutScreen) and app.screen.rollout is not None):
            await pilot.pause(0.02)
        screen = app.screen
        grown = named(rollout(turn(1, user="q", answer="five"), turn(2, answer="more")), 2, 1)
        source.rollouts = {"9-0": named(think_only(), 9, 0), **source.rollouts, "2-1": grown}
        path.write_text("xy")
        while len(browse(pilot).rows) < 4:
            await pilot.pause(0.02)
        while screen.rollout is not None and len(screen.rollout.invocations[0].turns) < 2:
            await pilot.pause(0.02)
        await pilot.press("escape", "escape")
        await pilot.pause(0.05)
        row = browse(pilot).table.row
        assert row is not None and browse(pilot).rows[row].id == "2-1"
        assert "following" in screen_text(pilot)
        app.workers.cancel_all()


async def test_a_view_is_saved_and_opened_again() -> None:
    async with running(app_over(*run_of_three())) as pilot:
        browse(pilot).filter_line.set_value("state:graded")
        browse(pilot).sort_by("task")
        await press(pilot, "V")
        await write(pilot, "=mine")
        await press(pilot, "enter", "escape")
        assert len(browse(pilot).inspector.queue) == 3
    async with running(app_over(*run_of_three())) as pilot:
        await press(pilot, "V")
        await write(pilot, "mine")
        await press(pilot, "enter")
        assert [row.id for row in browse(pilot).inspector.queue] == ["2-1", "10-0"]
        await press(pilot, "V")
        await write(pilot, "other")
        await press(pilot, "enter")
        assert "no view 'other'" in browse(pilot).prompt.message


async def test_the_palette_offers_keys_views_columns_and_themes() -> None:
    app = app_over(*run_of_three())
    async with running(app) as pilot:
        browse(pilot).open_view("nothing")
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Group by task", "Sort by reward", "Theme ansi-dark", "Export all notes"} <= titles
        await press(pilot, "ctrl+p")
        await write(pilot, "group by")
        await press(pilot, "enter")
        assert browse(pilot).arrangement.grouped


async def test_findings_of_all_that_are_listed() -> None:
    async with running(app_over(named(think_only(), 1, 0), named(think_only(), 1, 1))) as pilot:
        await press(pilot, "C")
        text = screen_text(pilot)
        assert "findings of 2 rollouts" in text
        assert "rollouts.jsonl#1-1" in text


async def test_a_filter_that_cannot_be_read_is_not_left_standing_above_all_rows() -> None:
    async with running(app_over(*(named(think_only(), task, 0) for task in range(3)))) as pilot:
        await press(pilot, "f", *"outcome:fail", "enter")
        screen = browse(pilot)
        assert screen.filter_line.has_class("-editing")
        assert "did you mean failed?" in screen.prompt.message
        await press(pilot, *"ed", "enter")
        assert not screen.filter_line.has_class("-editing")
        assert len(pilot.app.queue) == 0  # type: ignore[attr-defined]


async def test_rows_that_turn_out_to_share_a_name_are_renamed_in_the_list() -> None:
    first, second = run_of_three()[:2]

    class Early(MadeSource):
        """Gives both rows by one name, and knows better in the end."""

        renamed = True

        def early(self) -> Iterator[RolloutSummary]:
            return (replace(summary, id="10-0") for summary in self.summaries())

    source = Early([replace(first, id="L1"), replace(second, id="L2")])
    async with running(InspectorApp(("rollouts.jsonl",), opener=lambda: source)) as pilot:
        assert [row.id for row in browse(pilot).rows] == ["L1", "L2"]
        await press(pilot, "enter")
        assert "L1" in screen_text(pilot)


async def test_a_bar_says_how_much_of_a_file_was_read() -> None:
    goes_on = threading.Event()

    class Halfway(MadeSource):
        """Stops after half of its rows until it is told to go on."""

        progress = ("run/rollouts-7.jsonl", 0.5)

        def summaries(self) -> Iterator[RolloutSummary]:
            for number, summary in enumerate(super().summaries()):
                if number == 50:
                    goes_on.wait(30)
                yield summary

    made = [named(rollout(turn(1, answer="4")), task, 0) for task in range(100)]
    async with InspectorApp(("run",), opener=lambda: Halfway(made)).run_test(size=(120, 40)) as pilot:
        while "%" not in (text := screen_text(pilot)):
            await pilot.pause(0.01)
        goes_on.set()
        assert "reading rollouts-7.jsonl ████░░░░ 50% (esc stops)" in text
        await settled(pilot)
        assert "reading" not in screen_text(pilot).split("\n")[0]
        assert "100 rollouts" in screen_text(pilot)


async def test_the_title_counts_the_tasks_that_the_groups_show() -> None:
    repeated = [named(rollout(turn(1, answer="4")), 1, index) for index in (0, 1)]
    alone = [
        replace(one, id=f"ses_{number}", task=replace(one.task, task_index=None, rollout_index=None, task_id=None))
        for number, one in enumerate([rollout(turn(1, answer="4"))] * 2)
    ]
    async with running(app_over(*repeated, *alone)) as pilot:
        assert "4 rollouts · 3 tasks" in screen_text(pilot)
        await press(pilot, "T")
        assert isinstance(pilot.app.screen, GroupScreen)
        assert "3 tasks" in screen_text(pilot)


async def test_an_id_that_several_rollouts_have_goes_to_each_in_turn_and_says_so() -> None:
    one, other, again = (named(rollout(turn(1, answer="4")), task, 0) for task in (3, 5, 7))
    again = replace(again, id="3-0")

    class Twice(MadeSource):
        def summaries(self) -> Iterator[RolloutSummary]:
            return (summarise(each) for each in (one, other, again))

    async with running(InspectorApp(("run",), opener=lambda: Twice([one, other]))) as pilot:
        for row in (2, 0, 2):
            await press(pilot, "colon")
            await write(pilot, "3-0")
            await press(pilot, "enter")
            assert browse(pilot).table.row == row
            assert "2 rollouts are called 3-0" in screen_text(pilot)
