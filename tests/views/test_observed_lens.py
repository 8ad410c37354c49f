"""The observed lens: the order of the record, nothing left out, the badge on the graded item only."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import (
    rollout,
    think_only,
    tool_call,
    turn,
)
from tests.views.shown import labels, only

from rollout_loaders.model import (
    TextPiece,
)
from rollout_views.transcript import blocks, sections


def test_blocks_follow_the_order_of_the_record() -> None:
    said = [TextPiece("prt_a", "first"), TextPiece("prt_d", "last")]
    call = tool_call("bash", call_id="c1", id="prt_b")
    order = ("prt_a", "prt_b", "prt_c", "prt_d")
    one = turn(1, user="q", reasoning=[TextPiece("prt_c", "r")], answer=said, tools=(call,), order=order)
    assert labels(rollout(one)) == ["user", "turn", "answer", "tool", "result", "think", "answer", "end"]


def test_what_the_order_does_not_name_is_shown_all_the_same() -> None:
    one = turn(1, reasoning="r", answer=["a", "b"], tools=(tool_call(),), order=("prt_t1-answer-2", "gone"))
    shown = list(blocks(rollout(one), "observed"))
    assert [block.body for block in shown if block.label in ("think", "answer")] == ["b", "r", "a"]
    assert "tool" in [block.label for block in shown]


def test_the_same_id_twice_hides_nothing() -> None:
    one = turn(1, answer=[TextPiece("x", "one"), TextPiece("x", "two")], order=("x", "x"))
    assert [block.body for block in blocks(rollout(one), "observed") if block.label == "answer"] == ["one", "two"]


def test_the_screen_of_the_think_only_reply() -> None:
    r = think_only()
    assert [section.key for section in sections(r, "observed")] == [
        "turn:1",
        "turn:2",
        "compaction:cmp_2",
        "turn:3",
        "tail:end",
    ]
    assert sections(r, "observed")[3].title == "3 think 38 · answer (empty) ◆ scored"
    answer = [block for block in blocks(r, "observed") if block.label == "answer"][-1]
    assert (answer.title, answer.badge, answer.body) == ("(empty)", "◆ scored", "")
    assert answer.mark == 'the reply was only its reasoning; "4" of turn 1 was not promoted'


def test_only_the_graded_item_carries_the_badge() -> None:
    r = think_only()
    assert [block.label for block in blocks(r, "observed") if block.badge] == ["answer"]


def test_split_reasoning_says_that_it_left_the_answer_only_where_the_split_ran() -> None:
    one = turn(1, reasoning=[TextPiece("p-reasoning", "r")], answer=[TextPiece("p", "4")])
    assert "left the answer" in only(rollout(one), "think").mark
    unsplit = rollout(one, route=replace(rollout(one).route, gym_reasoning=False))
    assert only(unsplit, "think").mark == ""
