"""Every other verifier: a field besides `reward` is named, or the row holds none; hostile fields cost nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.loaders.gradings import graded_row

from rollout_loaders.evidence.grading import grading_of
from rollout_loaders.evidence.quoting import quote
from rollout_loaders.model import Grading

Fields = dict[str, Any]


def said(grading: Grading) -> str:
    return " ".join(reason.text for reason in grading.because)


@pytest.mark.parametrize(
    ("fields", "phrase"),
    [
        ({"verdict_gen_base": "B>A", "category": "writing"}, "`verdict_gen_base` is `B>A`"),
        ({"score": 0.25, "name": "x"}, "`score` is 0.25"),
        ({"info": {"result": "bust", "value": 26}}, "`info.result` is `bust`"),
        ({"binary_match": True, "expected_answer": "correct"}, "`binary_match` is true"),
        ({"sentence_chrf": 39.5, "text": "…"}, "`sentence_chrf` is 39.5"),
        (
            {"result": {"reward_info": {"db_check": {"db_match": False}}}},
            "`result.reward_info.db_check.db_match` is false",
        ),
        (
            {"items": [{"criterion": "a", "passed": True}, {"criterion": "b", "passed": False}], "judge_per_item": "x"},
            "judge",
        ),
        ({"terminated": True}, "`terminated` is true"),
    ],
)
def test_a_field_is_named(fields: Fields, phrase: str) -> None:
    grading = grading_of(graded_row(0.0, fields))
    assert phrase in grading.because[0].text
    assert (grading.verifier, grading.recomputed) == (None, None)
    assert grading.because[0].rests_on != "reward"


def test_a_row_that_holds_none_says_so() -> None:
    bare = grading_of(graded_row(1.0))
    assert bare.because[0].text == (
        "Reward 1: the row holds no field that says why; beside the response and the reward the verifier recorded "
        "nothing."
    )
    other = grading_of(graded_row(0.0, {"num_generated_tokens": 473, "gen_seconds": 1.5}))
    assert "holds no field that says why; it also holds `num_generated_tokens`, `gen_seconds`" in other.because[0].text


def test_failure_reason_comes_first() -> None:
    grading = grading_of(graded_row(0.0, {"score": 0.0}, failure_reason="agent gave up"))
    assert grading.because[0].text.startswith("Reward 0: `failure_reason` is `agent gave up`; `score` is 0")


def test_components_are_said_once() -> None:
    components: Fields = {"correctness": 1.0, "format": 0.0}
    grading = grading_of(graded_row(1.0, components, reward_components=components))
    assert "Its components are `correctness` 1, `format` 0." in said(grading)
    assert said(grading).count("`correctness`") == 1
    assert [(verdict.name, verdict.score) for verdict in grading.verdicts] == [("correctness", 1.0), ("format", 0.0)]


def test_a_list_of_judged_items_is_counted() -> None:
    items: Any = [{"criterion": f"c{at}", "passed": at < 4, "raw": "YES"} for at in range(20)]
    grading = grading_of(graded_row(0.2, {"judge_per_item": items}))
    assert "`judge_per_item` is a list of which 4 of 20 passed" in said(grading)
    assert len(grading.verdicts) == 20


def test_an_error_beside_the_reward_is_not_decided() -> None:
    grading = grading_of(graded_row(0.0, {"exception_type": "RuntimeError", "turn_count": 0}))
    assert grading.state == "graded"
    assert "whether the reward measures the policy is not decided by the records" in said(grading)
    assert "not decided" not in said(grading_of(graded_row(0.0, {"error": None, "score": 0.0})))


def test_quotes_are_clipped_with_their_length() -> None:
    assert quote("x" * 100, 10) == "`xxxxxxxxxx…` (100 characters)"
    assert quote("a\n  b `c`") == "`a b 'c'`"
    assert quote("a" + " " * 1_000 + "b", 10) == "`a…` (1,002 characters)"
    assert quote("") == "an empty text"
    assert quote("  ") == "only whitespace (2 characters)"
    assert quote({"b": [1, None]}) == '`{"b": [1, null]}`'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KNOWN = (
    *("judge_evaluations", "library_reward", "expected_answer", "extracted_answer", "execution_match", "extracted_sql"),
    *("extracted_model_code", "result", "metadata", "verdict", "judge_output", "is_correct", "rubric_evaluations"),
    *("aggregation_mode", "num_passed", "rubric", "follow_instruction_list", "follow_all_instructions", "kwargs"),
    *("instruction_id_list", "tool_name_match", "target_match", "argument_score", "similarity_score", "model_output"),
    *("expected_action", "resolved", "evaluation_completed", "f2p_total", "f2p_passed", "p2p_total", "p2p_passed"),
    *("model_patch", "patch_exists", "verifier_error", "delegated_response", "grading_mode", "score", "error"),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    fields=st.dictionaries(st.sampled_from(KNOWN), JSON, max_size=6),
    reason=st.none() | st.sampled_from(["empty_final_answer", "final_answer_too_long: x", "none", "odd"]),
    texts=st.lists(st.none() | st.sampled_from(["", "<think>a</think>b", "\\boxed{A}"]), max_size=2),
)
def test_no_field_can_break_it(fields: Fields, reason: str | None, texts: list[str | None]) -> None:
    grading = grading_of(graded_row(0.0, fields, failure_reason=reason, texts=texts))
    assert grading.state in ("graded", "invalid")
    assert grading.because
    assert all(reason.text and reason.text.endswith(".") for reason in grading.because)
    assert grading.recomputed != "disagrees" or "disagree" in said(grading)
