"""The verdict line and the Why panel: a number never stands alone unless it is graded."""

from __future__ import annotations

import pytest
from tests.factories import ROOT, graded, rollout, think_only, turn

from rollout_loaders.model import (
    Attribution,
    Grading,
    JudgeCall,
    OtherReading,
    Outcome,
    Place,
    Reason,
    Rollout,
    Route,
    Scored,
    Verdict,
)
from rollout_views.block import Block
from rollout_views.verdict import reward_words, verdict_line
from rollout_views.why import needs_explaining, why_blocks


def test_the_line_of_the_contract() -> None:
    assert verdict_line(think_only()) == (
        "reward 0 · graded · completed · scored text: empty (turn 3) · no_content_match, masked"
    )


@pytest.mark.parametrize(
    ("state", "reward", "shown"),
    [
        ("graded", 1.0, "reward 1 · graded"),
        ("graded", 0.25, "reward 0.25 · graded"),
        ("graded", -1.0, "reward -1 · graded"),
        ("invalid", 0.0, "reward 0 invalid"),
        ("masked", 0.0, "reward 0 masked"),
        ("not_graded", None, "reward – not graded"),
        ("unreadable", None, "reward – unreadable"),
        ("graded", None, "reward – graded without a reward · graded"),
    ],
)
def test_a_reward_that_is_not_valid_never_stands_alone(state: str, reward: float | None, shown: str) -> None:
    r = rollout(turn(1, answer="x"), grading=Grading(state, reward))
    assert verdict_line(r).startswith(shown + " · ")


def test_reward_words_for_a_cell() -> None:
    assert [reward_words("graded", 1.0), reward_words("invalid", 0.0), reward_words("not_graded", None)] == [
        "1",
        "0 invalid",
        "– not graded",
    ]


@pytest.mark.parametrize(
    ("scored", "shown"),
    [
        (Scored(), "none"),
        (Scored(final_text="", final_index=0), "empty"),
        (Scored(final_text="x" * 612, final_index=0, origin=Place(ROOT, 7)), "612 characters (turn 7)"),
        (Scored(final_text="  ", final_index=0), "2 characters, all white space"),
        (Scored(final_text="x", final_index=0, origin=Place("ses_c", 2)), "1 character (turn 2 of subagent ses_c)"),
        (Scored(final_text=None, final_index=0), "none (the graded item holds no text)"),
    ],
)
def test_scored_text(scored: Scored, shown: str) -> None:
    assert f"scored text: {shown}" in verdict_line(rollout(turn(1, answer="x"), scored=scored))


def test_failure_kind_and_forced_gate_are_said() -> None:
    r = rollout(
        turn(1, answer="x"),
        outcome=Outcome("failed", "model_request_error"),
        route=Route(False, True, "forced by --no-gym-reasoning"),
    )
    assert "· failed (model_request_error) ·" in verdict_line(r)
    assert verdict_line(r).endswith("· split forced off")


def test_an_attribution_that_succeeded_is_not_a_warning() -> None:
    r = rollout(turn(1, answer="x"), attribution=Attribution("attributed", "response_id", masked=False))
    assert verdict_line(r).endswith("scored text: 1 character (turn 1)")


def shown(of: Rollout) -> list[tuple[str, str, str]]:
    return [(block.label, block.title, block.body) for block in why_blocks(of)]


def one(of: Rollout, label: str) -> Block:
    (block,) = [block for block in why_blocks(of) if block.label == label]
    return block


def test_why_gives_every_sentence_with_its_jump() -> None:
    sentence = Reason("The judge said no.", Place(ROOT, 1), "judge_evaluations[0]")
    r = rollout(turn(1, answer="x"), grading=Grading("graded", 0.0, because=(sentence,)))
    block = one(r, "reward")
    assert (block.title, block.mark, block.links[0].place) == (
        "The judge said no.",
        "from judge_evaluations[0]",
        Place(ROOT, 1),
    )


def test_expected_against_extracted() -> None:
    r = rollout(turn(1, answer="x"), grading=Grading("graded", 0.0, expected="4", extracted=None))
    labels = [label for label, _, _ in shown(r)]
    assert labels[labels.index("expected") + 1] == "extracted"
    assert one(r, "extracted").title.startswith("·")


def test_the_judges_own_words_are_not_folded_and_its_question_is() -> None:
    call = JudgeCall("asked", "I think [[A!=B]]", "[[A!=B]]", "not equal", decided=True)
    r = rollout(turn(1, answer="x"), grading=Grading("graded", 0.0, judge_calls=(call,)))
    assert (one(r, "judge").title, one(r, "judge").body) == (
        "not equal · label [[A!=B]] · this one decided",
        "I think [[A!=B]]",
    )
    assert not one(r, "judge").folded
    assert one(r, "asked").folded


def test_criteria_say_passed_and_failed_in_words() -> None:
    r = rollout(
        turn(1, answer="x"),
        grading=Grading("graded", 0.5, verdicts=(Verdict("a", True), Verdict("b", False, 0.0, "d"))),
    )
    titles = [title for label, title, _ in shown(r) if label == "criterion"]
    assert titles == ["passed · a", "failed · b · score 0"]


def test_silence_of_the_verifier_is_said() -> None:
    r = rollout(turn(1, answer="x"), grading=Grading("not_graded"))
    assert one(r, "reward").title == "no reward is recorded, and nothing in the record says why"


def test_scored_text_and_final_answer_are_told_apart() -> None:
    r = rollout(
        turn(1, answer="early"),
        turn(2, reasoning="hm"),
        scored=Scored("host-response", (), "early", "msg-1", 0, Place(ROOT, 1, "prt_t1-answer-1")),
    )
    assert (one(r, "scored").body, one(r, "scored").badge) == ("early", "◆ scored")
    assert one(r, "final").title == "final answer: (empty) (turn 2)"
    assert one(r, "final").body == ""


def test_another_reading_is_a_problem() -> None:
    other = OtherReading("session-output", "", "a blank part", Place())
    r = rollout(turn(1, answer="x"), scored=Scored("host-response", (), "x", "m", 0, Place(), (other,)))
    assert one(r, "reading").tone == "problem"
    assert "ends in an empty text" in one(r, "reading").title


def test_a_plain_session_without_anything_said_needs_no_explaining() -> None:
    assert not needs_explaining(rollout(turn(1, answer="x"), grading=Grading(), outcome=Outcome("completed")))
    assert needs_explaining(rollout(turn(1, answer="x"), grading=graded(0.0, "because")))


@pytest.mark.parametrize(
    ("reads", "shown"),
    [
        (False, "scored text: 4 characters (turn 1), which this verifier does not read"),
        (True, "scored text: 4 characters (turn 1)"),
        (None, "scored text: 4 characters (turn 1)"),
    ],
)
def test_a_text_that_the_verifier_does_not_read_is_not_said_to_be_what_it_graded(
    reads: bool | None, shown: str
) -> None:
    line = verdict_line(rollout(turn(1, answer="four"), grading=graded(0.0, reads_text=reads)))
    assert line.split(" · ")[3] == shown
