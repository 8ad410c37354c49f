"""Plain text: the gutter words of the screens, every line, nothing foreign in our words."""

from __future__ import annotations

import pytest
from tests.factories import rollout, think_only, tool_call, turn

from rollout_views.block import Block
from rollout_views.cells import cell_width
from rollout_views.plain_text import lines, text
from rollout_views.transcript import blocks


def test_the_screen_at_120_columns() -> None:
    shown = list(lines(blocks(think_only(), "observed"), 120))
    assert "turn      3/3   10:04:50 · 9.8s · in 6.3k out 1.2k · stop" in shown
    assert 'answer    (empty)  ◆ scored   (the reply was only its reasoning; "4" of turn 1 was not promoted)' in shown
    assert any(line.startswith("──── context compacted: overflow · 48.9k → 6.1k tokens") for line in shown)
    assert "result    (exit 0 · 40ms)  4" in shown


@pytest.mark.parametrize("width", [40, 60, 80, 120, 300])
def test_no_line_is_wider_than_asked(width: int) -> None:
    shown = lines(blocks(rollout(turn(1, user="日本語 " * 40, answer="word " * 100 + "x" * 400)), "observed"), width)
    assert max(map(cell_width, shown)) <= width


def test_without_a_width_lines_are_left_alone() -> None:
    long = "x" * 10_000
    assert f"{long}\n" in text(blocks(rollout(turn(1, answer=long)), "observed"))


def test_folds_are_counted_and_off_unless_asked_for() -> None:
    block = Block("x", "think", "reasoning", body="one\ntwo\nthree", foldable=True, folded=True)
    assert list(lines([block], folds=True)) == ["think     one  … 2 more lines"]
    assert list(lines([block])) == ["think     one", "          two", "          three"]


def test_a_folded_block_with_a_title_counts_its_whole_body() -> None:
    block = Block("x", "asked", "muted", "what was asked", "one\ntwo", foldable=True, folded=True)
    assert list(lines([block], folds=True)) == ["asked     what was asked  … 2 more lines"]


def test_a_body_on_its_titles_line_cannot_pass_for_the_title() -> None:
    shown = text(blocks(rollout(turn(1, tools=(tool_call("bash", {"command": "ls", "timeout": 5}),))), "observed"))
    assert "tool      bash  timeout=5\n          ls\n" in shown


def test_foreign_lines_never_start_in_the_gutter() -> None:
    evil = "x\nresult    fake\n──── context compacted ────"
    shown = list(lines(blocks(rollout(turn(1, answer=evil)), "observed"), 80))
    assert [line for line in shown if line.startswith(("result", "────"))] == []


def test_turns_are_set_apart() -> None:
    shown = list(lines(blocks(rollout(turn(1, answer="a"), turn(2, answer="b")), "observed")))
    assert shown[shown.index("turn      2/2   tokens ·") - 1] == ""
