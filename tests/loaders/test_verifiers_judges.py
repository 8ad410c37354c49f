"""Verifiers with a judge: what the row's evidence gives, against what it says (gym-semantics 9.1 to 9.3)."""

from __future__ import annotations

from typing import Any

import pytest
from tests import factories
from tests.loaders.gradings import graded_row, judged

from rollout_loaders.evidence.grading import grading_of
from rollout_loaders.evidence.judge import first_label, judge_calls, last_judge_text, request_text
from rollout_loaders.model import Grading, JsonObject, JsonValue
from rollout_loaders.reader import ReadOptions

EQUAL = judged("They agree: [[A=B]]", "[[A=B]]")
OTHER = judged("They differ: [[A!=B]]", "[[A!=B]]")
UNCLEAR = judged("I cannot tell.", None)


def said(grading: Grading) -> str:
    return " ".join(reason.text for reason in grading.because)


def equivalence(reward: float, *evaluations: JsonObject, **fields: Any) -> Grading:
    extras: dict[str, JsonValue] = {"expected_answer": "4", "judge_evaluations": list(evaluations)}
    return grading_of(graded_row(reward, extras, **fields))


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("[[A=B]]", "[[A=B]]"),
        ("not [[A!=B]] but [[A=B]]", "[[A!=B]]"),
        ("[[A=B]] rather than [[A!=B]]", "[[A=B]]"),
        ("no verdict", None),
        (None, None),
    ],
)
def test_the_label_that_stands_first_wins(reply: str | None, label: str | None) -> None:
    assert first_label(reply) == label


def test_only_the_last_text_of_the_last_item_counts() -> None:
    blocks: JsonValue = [{"type": "output_text", "text": "[[A!=B]]"}, {"type": "output_text", "text": "[[A=B]]"}]
    message: JsonValue = {"type": "message", "content": blocks}
    assert last_judge_text({"output": [message]}) == "[[A=B]]"
    assert last_judge_text({"output": [message, {"type": "reasoning", "summary": []}]}) is None
    assert last_judge_text({"output": []}) is None
    assert last_judge_text({}) is None


def test_request_text_of_strings_and_item_lists() -> None:
    assert request_text({"input": "2+2?"}) == "user: 2+2?"
    items: JsonValue = [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": [{"type": "input_text", "text": "A: 4"}, {"type": "input_text", "text": "B: 4"}]},
    ]
    assert request_text({"input": items}) == "system: Be strict.\nuser: A: 4\nB: 4"
    assert request_text({"instructions": "Grade.", "input": "x"}) == "system: Grade.\nuser: x"
    assert request_text({"input": 7}) is None
    assert request_text(None) is None


def test_second_call_is_swapped_only_after_an_equal_first() -> None:
    assert [call.swapped for call in judge_calls((EQUAL, OTHER))] == [False, True]
    assert [call.swapped for call in judge_calls((OTHER, EQUAL))] == [False, False]
    assert [call.decided for call in judge_calls((EQUAL, OTHER))] == [False, True]
    assert [call.verdict for call in judge_calls((EQUAL, OTHER, UNCLEAR))] == ["equal", "not equal", None]


@pytest.mark.parametrize(
    ("reward", "evaluations", "recomputed"),
    [
        (1.0, (EQUAL,), "agrees"),
        (0.0, (EQUAL,), "disagrees"),
        (0.0, (OTHER,), "agrees"),
        (1.0, (OTHER,), "disagrees"),
        (0.0, (UNCLEAR,), "agrees"),
        (1.0, (UNCLEAR,), "disagrees"),
        (1.0, (EQUAL, EQUAL), "agrees"),
        (0.0, (EQUAL, EQUAL), "disagrees"),
        (0.0, (EQUAL, OTHER), "agrees"),
        (-1.0, (EQUAL, OTHER), "agrees"),
        (1.0, (EQUAL, OTHER), "disagrees"),
        (-0.5, (EQUAL, OTHER), "cannot be recomputed"),
        (0.5, (OTHER, EQUAL), "agrees"),
        (0.0, (OTHER, EQUAL), "disagrees"),
        (0.25, (OTHER, EQUAL), "cannot be recomputed"),
        (0.0, (OTHER, OTHER), "agrees"),
        (0.5, (OTHER, OTHER), "disagrees"),
        (1.0, (EQUAL, EQUAL, EQUAL), "cannot be recomputed"),
        (1.0, (judged("same", "SAME"),), "cannot be recomputed"),
    ],
)
def test_equivalence_reward_from_the_labels(
    reward: float, evaluations: tuple[JsonObject, ...], recomputed: str
) -> None:
    grading = equivalence(reward, *evaluations)
    assert grading.verifier == "equivalence_llm_judge"
    assert grading.recomputed == recomputed
    assert recomputed.replace("recomputed", "").strip() in said(grading)


def test_altered_judge_reply_changes_sentence_and_verdict() -> None:
    honest = equivalence(1.0, EQUAL)
    altered = equivalence(1.0, judged("They differ: [[A!=B]]", "[[A=B]]"))
    assert (
        honest.because[0].text == "Reward 1: the judge says equal (`[[A=B]]`) against the expected `4`; one evaluation."
    )
    assert altered.recomputed == "disagrees"
    assert "the judge says not equal" in altered.because[0].text
    assert "records the label `[[A=B]]`, its reply shows `[[A!=B]]` first" in said(altered)
    assert "gives 0, the row says 1" in said(altered)


def test_an_altered_label_alone_is_a_contradiction() -> None:
    """The reply still says not equal, which is what the reward says."""
    altered = equivalence(0.0, judged("They differ: [[A!=B]]", "[[A=B]]"))
    assert altered.recomputed == "disagrees"
    assert "disagrees with itself: evaluation 1 records the label `[[A=B]]`" in said(altered)


def test_which_of_two_calls_decided_is_said() -> None:
    swapped = equivalence(0.0, EQUAL, OTHER)
    assert "the swapped evaluation decided: it says not equal" in swapped.because[0].text
    assert swapped.because[0].rests_on == "judge_evaluations[1]"
    rescued = equivalence(0.5, OTHER, EQUAL)
    assert "on the full text, decided" in rescued.because[0].text


def test_empty_final_answer() -> None:
    grading = equivalence(0.0, failure_reason="empty_final_answer", texts=("4", ""))
    assert grading.because[0].text == (
        "Reward 0: the scored text is empty (`empty_final_answer`); the judge was not called."
    )
    assert grading.because[0].where is not None
    assert grading.because[0].where.turn == 3
    assert grading.because[0].rests_on == "failure_reason"
    assert grading.recomputed == "agrees"
    assert grading.state == "graded"


@pytest.mark.parametrize(
    ("reward", "texts", "recomputed"),
    [(0.0, (" \n",), "agrees"), (0.0, ("4",), "disagrees"), (1.0, ("",), "disagrees")],
)
def test_empty_final_answer_against_the_text(reward: float, texts: tuple[str, ...], recomputed: str) -> None:
    assert equivalence(reward, failure_reason="empty_final_answer", texts=texts).recomputed == recomputed


def test_empty_final_answer_without_any_message() -> None:
    grading = grading_of(graded_row(0.0, {"judge_evaluations": []}, texts=(), failure_reason="empty_final_answer"))
    assert "there is no assistant message (`empty_final_answer`)" in grading.because[0].text


def test_too_long_says_by_how_much() -> None:
    reason = "final_answer_too_long: 12000 characters exceeds 10000"
    grading = equivalence(0.0, failure_reason=reason, texts=("x" * 12_000,))
    assert "12,000 characters, 2,000 over the limit of 10,000" in grading.because[0].text
    assert grading.recomputed == "agrees"
    short = equivalence(0.0, failure_reason=reason, texts=("x" * 10_000,))
    assert short.recomputed == "disagrees"
    assert "only 10,000 characters" in said(short)


def test_stated_limit() -> None:
    rollout = graded_row(1.0, {"expected_answer": "4", "judge_evaluations": [EQUAL]}, texts=("x" * 120,))
    assert "120 characters, 20 over the stated limit of 100" in said(
        grading_of(rollout, ReadOptions(max_answer_chars=100))
    )
    assert "within the stated limit of 120" in said(grading_of(rollout, ReadOptions(max_answer_chars=120)))
    assert "stated limit" not in said(grading_of(rollout))


def test_older_releases_sent_a_literal_for_an_empty_answer() -> None:
    grading = equivalence(0.0, judged("[[A!=B]]", "[[A!=B]]", asked="Candidate: [NO VALID ANSWER EXTRACTED]"), texts=())
    assert "an older release" in said(grading)


def math(reward: float, library: JsonValue, evaluations: JsonValue, extracted: JsonValue = "4") -> Grading:
    extras: dict[str, JsonValue] = {
        "expected_answer": "4",
        "extracted_answer": extracted,
        "library_reward": library,
        "judge_evaluations": evaluations,
    }
    return grading_of(graded_row(reward, extras, texts=("The answer", "is 4")))


@pytest.mark.parametrize(
    ("reward", "library", "evaluations", "recomputed"),
    [
        (1.0, 1.0, None, "agrees"),
        (0.0, 1.0, None, "disagrees"),
        (0.0, 0.0, None, "agrees"),
        (1.0, 0.0, None, "disagrees"),
        (0.0, 0.0, [OTHER], "agrees"),
        (1.0, 0.0, [OTHER], "disagrees"),
        (1.0, 0.0, [EQUAL, EQUAL], "agrees"),
        (0.0, 0.0, [EQUAL, OTHER], "agrees"),
        (1.0, 0.0, [EQUAL, OTHER], "disagrees"),
        (1.0, 0.0, [EQUAL], "cannot be recomputed"),
        (1.0, 0.0, [], "cannot be recomputed"),
        (1.0, "1", None, "cannot be recomputed"),
    ],
)
def test_math_with_judge(reward: float, library: JsonValue, evaluations: JsonValue, recomputed: str) -> None:
    grading = math(reward, library, evaluations)
    assert grading.verifier == "math_with_judge"
    assert grading.recomputed == recomputed
    assert grading.extracted == "4"


def test_math_with_judge_joins_all_messages() -> None:
    assert "all messages of the row's response joined, not only the last: 14 characters in 2 messages" in said(
        math(1.0, 1.0, None)
    )


def test_math_without_an_answer() -> None:
    grading = math(0.0, 0.0, None, extracted=None)
    assert "no answer was extracted" in grading.because[0].text


def simpleqa(reward: float, verdict: str, **others: JsonValue) -> Grading:
    extras: dict[str, JsonValue] = {
        "verdict": verdict,
        "judge_output": "A sound reply",
        "is_correct": 1.0 if verdict == "correct" else 0.0,
        "is_incorrect": 1.0 if verdict == "incorrect" else 0.0,
        "is_not_attempted": 1.0 if verdict == "not_attempted" else 0.0,
        "expected_answer": "Paris",
        "extracted_answer": "It is Paris.",
    }
    return grading_of(graded_row(reward, {**extras, **others}))


@pytest.mark.parametrize(
    ("reward", "verdict", "extra", "recomputed"),
    [
        (1.0, "correct", {}, "agrees"),
        (0.0, "correct", {}, "disagrees"),
        (0.0, "incorrect", {}, "agrees"),
        (0.0, "not_attempted", {}, "agrees"),
        (1.0, "not_attempted", {}, "disagrees"),
        (1.0, "correct", {"is_correct": 0.0}, "disagrees"),
        (1.0, "correct", {"judge_output": "B"}, "disagrees"),
        (1.0, "correct", {"judge_output": "A"}, "agrees"),
        (1.0, "splendid", {}, "cannot be recomputed"),
        (0.5, "partial", {"is_partial": 1.0}, "cannot be recomputed"),
    ],
)
def test_simpleqa(reward: float, verdict: str, extra: dict[str, JsonValue], recomputed: str) -> None:
    grading = simpleqa(reward, verdict, **extra)
    assert grading.verifier == "simpleqa"
    assert grading.recomputed == recomputed


def line(verdict: str, score: float, *, wanted: str = "YES", weight: float = 1.0) -> JsonObject:
    return {
        "question": "Was Alex named?",
        "pass_criteria": wanted,
        "judge_prompt": "…",
        "judge_response": f"[[{verdict}]]",
        "verdict": verdict,
        "score": score,
        "weight": weight,
    }


YES, NO = line("YES", 1.0), line("NO", 0.0)


@pytest.mark.parametrize(
    ("reward", "mode", "lines", "recomputed"),
    [
        (0.5, "mean", (YES, NO), "agrees"),
        (1.0, "mean", (YES, NO), "disagrees"),
        (0.0, "min", (YES, NO), "agrees"),
        (1.0, "max", (YES, NO), "agrees"),
        (0.0, "all", (YES, NO), "agrees"),
        (1.0, "any", (YES, NO), "agrees"),
        (0.75, "weighted", (line("YES", 1.0, weight=3.0), NO), "agrees"),
        (0.5, "weighted", (line("YES", 1.0, weight=3.0), NO), "disagrees"),
        (1.0, "mean", (line("NO", 1.0, wanted="NO"),), "agrees"),
        (1.0, "mean", (line("NO", 1.0),), "disagrees"),
        (1.0, "median", (YES,), "cannot be recomputed"),
        (0.0, "mean", (), "agrees"),
    ],
)
def test_multichallenge(reward: float, mode: str, lines: tuple[JsonObject, ...], recomputed: str) -> None:
    grading = grading_of(graded_row(reward, {"rubric_evaluations": list(lines), "aggregation_mode": mode}))
    assert grading.verifier == "multichallenge"
    assert grading.recomputed == recomputed
    assert len(grading.verdicts) == len(grading.judge_calls) == len(lines)


def test_multichallenge_names_the_failed_line_and_counts() -> None:
    grading = grading_of(
        graded_row(0.5, {"rubric_evaluations": [YES, NO], "aggregation_mode": "mean", "num_passed": 2})
    )
    assert "1 of 2 rubric lines passed" in said(grading)
    assert "Line 2 failed: `Was Alex named?`, verdict `NO`, passes with `YES`." in said(grading)
    assert grading.recomputed == "disagrees"
    assert "`num_passed` is 2, 1 lines passed" in said(grading)


def test_multichallenge_without_evaluations() -> None:
    rubric: JsonValue = [{"question": "Was Alex named?", "pass_criteria": "YES"}]
    grading = grading_of(graded_row(None, {"rubric": rubric}))
    assert (grading.state, grading.reward, grading.recomputed) == ("not_graded", None, "cannot be recomputed")


def test_a_wrapped_answer_is_its_own_familys() -> None:
    wrapped: JsonObject = {"reward": 1.0, "library_reward": 1.0, "extracted_answer": "4", "judge_evaluations": None}
    extras: JsonObject = {"delegated_response": wrapped, "verifier_type": "math_with_judge", "expected_answer": "4"}
    grading = grading_of(graded_row(1.0, extras))
    assert (grading.verifier, grading.recomputed, grading.expected) == ("math_with_judge", "agrees", "4")
    assert grading.because[0].rests_on == "delegated_response.library_reward"
    assert grading_of(graded_row(0.0, extras)).recomputed == "disagrees"


def test_items_before_the_last_message_are_not_the_answer() -> None:
    items = (
        factories.message_item("4", ident="m1"),
        factories.reasoning_item("hm"),
        factories.message_item("", ident="m2"),
    )
    grading = grading_of(graded_row(0.0, {"judge_evaluations": []}, items=items, failure_reason="empty_final_answer"))
    assert grading.recomputed == "agrees"
    assert "left out: 1 reasoning item (2 characters), 1 earlier assistant message (1 character)" in said(grading)
