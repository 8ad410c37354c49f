"""What came in, how turns end, and what is said where there is no answer."""

from __future__ import annotations

import pytest
from tests.factories import (
    invocation,
    message,
    rollout,
    tool_call,
    turn,
)
from tests.views.shown import labels, only, words

from rollout_loaders.model import (
    Gap,
    InputMessage,
    Outcome,
    Retry,
    Scored,
    TextPiece,
    TurnError,
)
from rollout_views.transcript import blocks, lens_problem, sections


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"synthetic": True}, "written by the harness"),
        ({"ignored": True}, "not sent to the model"),
        ({"reverted": True}, "hidden from the model"),
        ({"kind": "image"}, "image"),
    ],
)
def test_input_says_what_the_harness_did_to_it(fields: dict[str, object], said: str) -> None:
    one = turn(1, input=(message("hi", "user", **fields),), answer="a")
    assert said in only(rollout(one), "user").mark


def test_an_unknown_role_is_its_own_label() -> None:
    one = turn(1, input=(InputMessage("m", "critic", "hi"),), answer="a")
    assert only(rollout(one), "critic").body == "hi"


def test_input_that_nobody_answered_stands_at_the_end() -> None:
    root = invocation(turn(1, answer="a"), trailing_input=(message("and now?"),))
    shown = list(blocks(rollout(invocations=(root,)), "observed"))
    assert [block.label for block in shown][-2:] == ["user", "end"]
    assert "never answered" in shown[-2].mark


# How turns end


def test_a_partial_turn_says_so() -> None:
    assert "started and never ended" in only(rollout(turn(1, answer="par", partial=True)), "partial").title


def test_an_interrupted_text_says_so() -> None:
    r = rollout(turn(1, answer=[TextPiece("a", "first try", interrupted=True), TextPiece("b", "second")]))
    assert [("broken off" in b.mark) for b in blocks(r, "observed") if b.label == "answer"] == [True, False]


def test_retries_stand_before_the_text_of_their_turn() -> None:
    r = rollout(turn(1, answer="a", retries=(Retry(2, "429 slow down", "2026-01-01T10:00:00.000Z"),)))
    assert labels(r) == ["turn", "retry", "answer", "end"]
    assert words(r, "retry").startswith("attempt 2 at 10:00:00 | 429 slow down")


def test_an_error_names_its_kind_and_status() -> None:
    r = rollout(turn(1, error=TurnError("APIError", "no", 503)))
    assert words(r, "error").startswith("APIError · status 503 | no")


def test_a_turn_of_nothing_says_so() -> None:
    r = rollout(turn(1), turn(2, answer="x"))
    assert sections(r, "observed")[0].title == "1 nothing recorded"
    assert next(block.title for block in blocks(r, "observed") if block.label == "answer") == "no text recorded"


def test_a_last_turn_without_answer_promotes_nothing() -> None:
    r = rollout(turn(1, answer="forty"), turn(2, reasoning="hm"))
    last = [block for block in blocks(r, "observed") if block.label == "answer"][-1]
    assert last.title == "(none)"
    assert 'the scored text is "forty" of turn 1, no final answer' in last.mark


def test_an_answer_that_does_not_stand_is_last_text_only() -> None:
    r = rollout(turn(1, answer="I will look.", tools=(tool_call(),)))
    assert only(r, "answer").mark == "last text, no final answer: the last turn called a tool"
    assert "no final answer: the last turn called a tool" in only(r, "end").title


def test_a_blank_answer_is_not_shown_as_nothing() -> None:
    assert only(rollout(turn(1, answer="  \n")), "answer").title == "(blank: 3 white-space characters)"


def test_reverted_turns_say_so() -> None:
    r = rollout(turn(1, answer="a", reverted=True))
    assert "reverted: hidden from the model, still counted" in only(r, "turn").title


def test_a_conversation_without_turns_says_why() -> None:
    r = rollout(gaps=(Gap("agent_artifact_unavailable"),))
    assert "agent_artifact_unavailable" in only(r, "note").title
    assert lens_problem(r, "observed") is not None


def test_the_end_says_outcome_and_scored_text() -> None:
    r = rollout(turn(1, answer="x" * 612), outcome=Outcome("failed", "model_request_error", "503"))
    said = "failed (model_request_error) · final answer: 612 characters (turn 1) · scored text: 612 characters (turn 1)"
    assert words(r, "end").startswith(f"{said} | 503")


def test_an_appended_empty_message_is_marked_at_the_end() -> None:
    r = rollout(turn(1, tools=(tool_call(),)), scored=Scored(final_text="", final_index=0))
    assert only(r, "end").badge == "◆ scored"


def test_a_reply_that_never_came_to_its_end_says_why() -> None:
    r = rollout(turn(1, answer="a", unfinished="no finish is recorded"))
    assert "unfinished: no finish is recorded" in [block.title for block in blocks(r, "observed")]


def test_parts_that_are_neither_text_nor_tool_are_shown() -> None:
    part = {"id": "p", "type": "patch", "data": {"type": "patch", "hash": "abc"}}
    r = rollout(turn(1, answer="a", extra={"parts": (part,), "parent_message_id": "m", "retries_exhausted": "503"}))
    assert words(r, "patch").startswith('{"hash": "abc"}')
    assert words(r, "fields").startswith('{"retries_exhausted": "503"}')


def test_another_model_or_agent_is_named() -> None:
    r = rollout(turn(1, answer="a", model="other", agent="general"))
    assert only(r, "turn").title.endswith("· model other · agent general")
