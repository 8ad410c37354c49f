"""Subagents, harness notes and abandoned branches; many turns and repeated ids."""

from __future__ import annotations

import time

from tests.factories import (
    ROOT,
    branch,
    invocation,
    note,
    rollout,
    tool_call,
    turn,
)
from tests.views.shown import labels, only

from rollout_loaders.model import (
    FinalAnswer,
    Place,
    Rollout,
    Scored,
    ToolCall,
)
from rollout_views.transcript import blocks, sections


def with_child() -> Rollout:
    child = invocation(turn(1, user="sub", answer="found it"), ident="ses_child", parent_id=ROOT, title="search")
    call = tool_call("task", {"prompt": "x"}, "found it", child="ses_child")
    return rollout(turn(1, tools=(call,)), turn(2, answer="done"), children=(child,))


def test_call_and_child_link_both_ways() -> None:
    r = with_child()
    down = only(r, "agent")
    assert down.links[0].place == Place("ses_child", 1)
    up = next(block for block in blocks(r, "observed", "ses_child") if block.label == "agent")
    assert up.links[0].place == Place(ROOT, 1, "prt_call_1")
    assert labels(r, "ses_child") == ["agent", "user", "turn", "answer", "end"]


def test_a_child_that_is_not_recorded_says_so() -> None:
    r = rollout(turn(1, tools=(tool_call(child="ses_gone"),)))
    assert "its conversation is not in this record" in only(r, "agent").title


def test_a_child_that_no_call_leads_to_is_not_lost() -> None:
    child = invocation(turn(1, answer="alone"), ident="ses_lost", parent_id=ROOT)
    r = rollout(turn(1, answer="a"), children=(child,))
    assert "no recorded call leads to it" in only(r, "agent").title


def test_a_childs_last_turn_is_not_the_final_one() -> None:
    child = invocation(turn(1, answer="x", tools=(tool_call(call_id="c9"),)), ident="ses_child")
    r = rollout(turn(1, answer="a"), children=(child,))
    answer = next(block for block in blocks(r, "observed", "ses_child") if block.label == "answer")
    assert answer.mark == ""


def test_a_harness_note_stands_at_its_turn_and_says_that_the_model_did_not_write_it() -> None:
    r = rollout(turn(1, answer="a"), turn(2, answer="b"), harness_notes=(note(turn=2),))
    assert labels(r) == ["turn", "answer", "note", "turn", "answer", "end"]
    assert "not written by the model" in only(r, "note").title


def test_an_abandoned_branch_is_in_no_total_and_never_final() -> None:
    root = invocation(turn(1, answer="kept"), branches=(branch(turn(1, answer="dropped", tools=(tool_call(),))),))
    r = rollout(invocations=(root,))
    assert [section.kind for section in sections(r, "observed")] == ["turn", "tail", "branch"]
    assert "in no total" in only(r, "branch").title
    dropped = [block for block in blocks(r, "observed") if block.body == "dropped"]
    assert [(block.badge, block.mark) for block in dropped] == [("", "")]


def test_a_hundred_thousand_turns_make_their_outline_at_once() -> None:
    r = rollout(
        *(turn(number, answer="a") for number in range(1, 100_001)), scored=Scored(), final_answer=FinalAnswer()
    )
    start = time.process_time()
    outline = sections(r, "observed")
    took = time.process_time() - start
    assert len(outline) == 100_001
    assert took < 2  # CPU seconds; about 0.1 on an idle machine
    assert outline[99_998].title == "99999 answer 1"


def test_what_a_tool_call_says_is_its_own_even_with_a_repeated_call_id() -> None:
    same: list[ToolCall] = [tool_call(call_id="call_same", id="call_same", output=text) for text in ("one", "two")]
    r = rollout(turn(1, tools=(same[0],)), turn(2, tools=(same[1],)))
    shown = list(blocks(r, "observed"))
    assert [block.body for block in shown if block.label == "result"] == ["one", "two"]
    assert len({block.id for block in shown}) == len(shown)


def test_a_resumed_subagent_says_every_turn_that_it_returned_to() -> None:
    child = invocation(turn(1, answer="first"), turn(2, answer="second"), ident="ses_child", parent_id=ROOT)
    calls = [tool_call("task", child="ses_child", id=f"prt_{number}", call_id=f"call_{number}") for number in (1, 2)]
    r = rollout(turn(1, tools=(calls[0],)), turn(2, tools=(calls[1],)), turn(3, answer="done"), children=(child,))
    end = next(block for block in blocks(r, "observed", "ses_child") if block.label == "end")
    root = r.invocations[0].title or r.invocations[0].agent or ROOT
    assert end.title.endswith(f"it returned to turn 1 of {root}, then turn 2 of {root}")
    assert [link.place for link in end.links] == [Place(ROOT, 1, "prt_1"), Place(ROOT, 2, "prt_2")]
