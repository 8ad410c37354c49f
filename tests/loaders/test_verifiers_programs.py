"""Verifiers that are programs: letters, queries, tests, instructions, tool calls (gym-semantics 9.3)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.loaders.gradings import graded_row

from rollout_loaders.evidence.grading import grading_of
from rollout_loaders.model import Grading, JsonValue

Fields = dict[str, Any]
MODE = "lenient_boxed"


def said(grading: Grading) -> str:
    return " ".join(reason.text for reason in grading.because)


@pytest.mark.parametrize(
    ("reward", "fields", "recomputed"),
    [
        (1.0, {"expected_answer": "E", "extracted_answer": "E"}, "agrees"),
        (0.0, {"expected_answer": "E", "extracted_answer": "E"}, "disagrees"),
        (0.0, {"expected_answer": "I", "extracted_answer": "H"}, "agrees"),
        (1.0, {"expected_answer": "I", "extracted_answer": "H"}, "disagrees"),
        (0.0, {"expected_answer": "C", "extracted_answer": None}, "agrees"),
        (1.0, {"expected_answer": "e", "extracted_answer": "E", "grading_mode": MODE}, "agrees"),
        (
            0.0,
            {"expected_answer": "", "extracted_answer": "E", "grading_mode": MODE},
            "cannot be recomputed",
        ),
        (0.0, {"expected_answer": "E", "extracted_answer": 5, "grading_mode": MODE}, "cannot be recomputed"),
    ],
)
def test_mcqa(reward: float, fields: Fields, recomputed: str) -> None:
    grading = grading_of(graded_row(reward, fields, texts=("It is \\boxed{E}",)))
    assert (grading.verifier, grading.recomputed) == ("mcqa", recomputed)


def test_mcqa_says_mode_and_what_the_text_held() -> None:
    without = grading_of(graded_row(0.0, {"expected_answer": "C", "extracted_answer": None}, texts=("It is C.",)))
    assert "no answer letter was extracted (the grading mode is not recorded); expected is `C`" in said(without)
    assert "holds no `\\boxed{…}`" in said(without)
    boxed = grading_of(
        graded_row(0.0, {"expected_answer": "C", "extracted_answer": None}, texts=("So \\boxed{the family}.",))
    )
    assert "The first box of the scored text is `\\boxed{the family}.`" in said(boxed)
    named = {"expected_answer": "C", "extracted_answer": "C", "grading_mode": "lenient_answer_colon"}
    assert "graded as `lenient_answer_colon`" in said(grading_of(graded_row(1.0, named)))


def test_a_solution_tag_is_another_verifiers_letter() -> None:
    fields: Fields = {"expected_answer": "A", "extracted_answer": "A"}
    grading = grading_of(graded_row(1.0, fields, texts=("<solution>A</solution>",)))
    assert (grading.verifier, grading.recomputed) == (None, None)
    assert "`extracted_answer` is `A`" in said(grading)


@pytest.mark.parametrize(
    ("reward", "match", "reason", "recomputed"),
    [
        (1.0, True, "none", "agrees"),
        (0.0, True, "none", "disagrees"),
        (0.0, False, "execution_error", "agrees"),
        (0.0, False, "gold_execution_error", "agrees"),
        (1.0, False, "no_sql_extracted", "disagrees"),
        (1.0, True, "execution_error", "disagrees"),
        (0.0, None, "none", "cannot be recomputed"),
    ],
)
def test_bird_sql(reward: float, match: bool | None, reason: str, recomputed: str) -> None:
    fields: Fields = {"execution_match": match, "extracted_sql": "SELECT 1", "gt_sql": "SELECT 2"}
    grading = grading_of(graded_row(reward, fields, failure_reason=reason))
    assert (grading.verifier, grading.recomputed, grading.state) == ("bird_sql", recomputed, "graded")
    assert f"`failure_reason` is `{reason}`" in said(grading)
    assert (grading.expected, grading.extracted) == ("SELECT 2", "SELECT 1")


def test_bird_sql_execution_error_may_be_other_rows() -> None:
    grading = grading_of(graded_row(0.0, {"execution_match": False}, failure_reason="execution_error"))
    assert "failed to run, or ran and returned other rows" in said(grading)


@pytest.mark.parametrize(
    ("reward", "result", "extra", "recomputed"),
    [
        (1.0, [True, True], {}, "agrees"),
        (1.0, [True, 1], {}, "agrees"),
        (1.0, [True, False], {}, "disagrees"),
        (0.0, [True, -2], {}, "agrees"),
        (0.0, [True, True], {}, "disagrees"),
        (0.0, None, {"extracted_model_code": None}, "agrees"),
        (0.0, None, {}, "cannot be recomputed"),
        (-1.0, [True], {"reasoning_format_violation_rate": 1.0}, "cannot be recomputed"),
        (1.0, [True], {"reasoning_format_violation_rate": 0.0}, "agrees"),
    ],
)
def test_code_gen(reward: float, result: JsonValue, extra: Fields, recomputed: str) -> None:
    grading = grading_of(graded_row(reward, {"extracted_model_code": "print(4)", "result": result, **extra}))
    assert (grading.verifier, grading.recomputed) == ("code_gen", recomputed)


def test_code_gen_shows_the_failing_test() -> None:
    details: Fields = {"error_message": "Wrong answer", "expected": "4\n", "output": "5\n"}
    fields: Fields = {"extracted_model_code": "print(5)", "result": [True, -2], "metadata": details}
    grading = grading_of(graded_row(0.0, fields))
    assert "1 of 2 recorded test results passed" in said(grading)
    assert "Test 2 gave -2; `Wrong answer`; expected `4`, got `5`." in said(grading)
    assert [verdict.passed for verdict in grading.verdicts] == [True, False]


@pytest.mark.parametrize(
    ("expected", "output", "shown"),
    [
        ("1 2\n3\n", "1\n2\n3\n", "expected `1 2\\n3\\n`, got `1\\n2\\n3\\n`."),
        ("9" * 200 + "1", "9" * 200 + "2", "9991` (201 characters), got `…"),
    ],
)
def test_code_gen_shows_where_two_outputs_that_look_alike_differ(expected: str, output: str, shown: str) -> None:
    details: Fields = {"error_message": "Wrong answer", "expected": expected, "output": output}
    fields: Fields = {"extracted_model_code": "print(5)", "result": [-2], "metadata": details}
    assert shown in said(grading_of(graded_row(0.0, fields)))


@pytest.mark.parametrize(
    ("reward", "overall", "followed", "recomputed"),
    [
        (1.0, True, [True, True], "agrees"),
        (0.0, False, [True, False], "agrees"),
        (1.0, False, [True, False], "disagrees"),
        (0.0, False, [True, True], "disagrees"),
        (0.0, False, [], "agrees"),
        (1.0, True, None, "agrees"),
        (0.0, None, None, "cannot be recomputed"),
    ],
)
def test_instruction_following(reward: float, overall: bool | None, followed: JsonValue, recomputed: str) -> None:
    fields: Fields = {
        "follow_all_instructions": overall,
        "follow_instruction_list": followed,
        "instruction_id_list": ["paragraphs", "count:lower"],
        "kwargs": [{}, {"N": 3}],
    }
    grading = grading_of(graded_row(reward, fields))
    assert (grading.verifier, grading.recomputed) == ("instruction_following", recomputed)


def test_instruction_following_names_what_was_not_followed() -> None:
    fields: Fields = {
        "follow_instruction_list": [True, False],
        "instruction_id_list": ["a", "b"],
        "kwargs": [None, {"N": 3}],
    }
    assert 'not followed: `b` (`{"N": 3}`)' in said(grading_of(graded_row(0.0, fields)))


COUNTS: Fields = {"f2p_total": 7, "f2p_passed": 7, "p2p_total": 31, "p2p_passed": 31, "evaluation_completed": True}
REPORT: Fields = {
    "one": {
        "resolved": False,
        "patch_exists": True,
        "tests_status": {
            "FAIL_TO_PASS": {"success": [], "failure": ["test_super_sub"]},
            "PASS_TO_PASS": {"success": ["test_kept"], "failure": []},
        },
    }
}


@pytest.mark.parametrize(
    ("reward", "fields", "name", "recomputed"),
    [
        (1.0, {"resolved": True, "evaluation_completed": True}, "swebench", "agrees"),
        (0.0, {"resolved": True, "evaluation_completed": True}, "swebench", "disagrees"),
        (0.0, {"resolved": False, "evaluation_completed": False}, "swebench", "agrees"),
        (1.0, {"resolved": True, "evaluation_completed": False}, "swebench", "disagrees"),
        (1.0, {"resolved": False, "patch_exists": True}, "swe", "disagrees"),
        (0.0, {"resolved": False, "eval_oom_killed": False}, "swe_agents", "agrees"),
        (0.0, {"resolved": False, "container_timed_out": False}, "anyterminal", "agrees"),
        (1.0, COUNTS, "deepswe", "agrees"),
        (1.0, {**COUNTS, "f2p_passed": 6}, "deepswe", "disagrees"),
        (0.0, {**COUNTS, "p2p_passed": 30}, "deepswe", "agrees"),
        (0.0, {**COUNTS, "evaluation_completed": False}, "deepswe", "agrees"),
        (0.0, {**COUNTS, "f2p_passed": None}, "deepswe", "cannot be recomputed"),
        (0.0, {"metadata": {"eval_report": REPORT, "model_patch": ""}}, "swe", "agrees"),
        (1.0, {"metadata": {"eval_report": REPORT}}, "swe", "disagrees"),
    ],
)
def test_swe_family(reward: float, fields: Fields, name: str, recomputed: str) -> None:
    grading = grading_of(graded_row(reward, fields))
    assert (grading.verifier, grading.recomputed) == (name, recomputed)


def test_anyswe_by_its_agent() -> None:
    grading = grading_of(graded_row(1.0, {"resolved": True, "patch_exists": True}, agent="anyswe_pi"))
    assert grading.verifier == "anyswe"


def test_swe_sentences() -> None:
    counts = said(grading_of(graded_row(0.0, {**COUNTS, "f2p_passed": 6})))
    assert "Reward 0: 6 of 7 fail-to-pass tests passed; 31 of 31 pass-to-pass tests passed." in counts
    listed = grading_of(graded_row(0.0, {"metadata": {"eval_report": REPORT, "model_patch": ""}}))
    assert "1 of 2 listed tests passed; failed: `test_super_sub`." in said(listed)
    assert "`patch_exists` is true; `model_patch` is empty." in said(listed)
    stopped = grading_of(graded_row(0.0, {"resolved": False, "evaluation_completed": False, "eval_timed_out": True}))
    assert "is not decided by the records" in said(stopped)
    assert "Also recorded: `eval_timed_out` is true." in said(stopped)


def test_a_verifier_that_failed_makes_the_reward_invalid() -> None:
    fields: Fields = {**COUNTS, "evaluation_completed": False, "verifier_error": "Verifier timed out after 900 seconds"}
    assert grading_of(graded_row(0.0, fields)).state == "invalid"


def image(reason: str, **fields: Any) -> Fields:
    base: Fields = {
        "tool_name_match": True,
        "target_match": True,
        "argument_score": None,
        "expected_action": {"name": "zoom", "arguments": {"factor": 3}},
        "model_output": 'zoom({"factor": 2})',
        "num_rollout_tool_calls": 1,
    }
    return {**base, **fields, "_reason": reason}


@pytest.mark.parametrize(
    ("reward", "fields", "recomputed"),
    [
        (1.0, image("none", argument_score=0.96), "agrees"),
        (0.0, image("none", argument_score=0.96), "disagrees"),
        (0.96, image("none", argument_score=0.96), "agrees"),
        (0.0, image("argument_below_threshold", argument_score=0.31), "agrees"),
        (1.0, image("argument_below_threshold", argument_score=0.31), "disagrees"),
        (0.0, image("argument_below_threshold", argument_score=0.7), "cannot be recomputed"),
        (1.0, image("none", argument_score=0.4), "cannot be recomputed"),
        (0.0, image("none", argument_score=0.96, num_rollout_tool_calls=2), "agrees"),
        (0.0, image("tool_name_mismatch", tool_name_match=False, target_match=None), "agrees"),
        (1.0, image("tool_name_mismatch", tool_name_match=False, target_match=None), "disagrees"),
        (0.0, image("tool_name_mismatch"), "disagrees"),
        (0.0, image("target_mismatch", target_match=False), "agrees"),
        (1.0, image("none", tool_family="answer", tool_name_match=False, target_match=None), "agrees"),
        (0.0, image("answer_incorrect", tool_family="answer"), "agrees"),
        (0.0, image("argument_below_threshold", argument_score=1.0), "disagrees"),
    ],
)
def test_image_tools(reward: float, fields: Fields, recomputed: str) -> None:
    extras = {key: value for key, value in fields.items() if key != "_reason"}
    grading = grading_of(graded_row(reward, extras, failure_reason=fields["_reason"]))
    assert (grading.verifier, grading.recomputed) == ("image_tools", recomputed)
    assert f"`failure_reason` is `{fields['_reason']}`" in said(grading)


@pytest.mark.parametrize(
    ("reward", "score", "reason", "recomputed"),
    [
        (1.0, 0.85, "none", "agrees"),
        (0.0, 0.6, "similarity_below_threshold", "agrees"),
        (0.75, 0.6, "none", "cannot be recomputed"),
        (1.0, 0.6, "similarity_below_threshold", "disagrees"),
        (0.0, None, "model_output_invalid", "agrees"),
    ],
)
def test_swe_pivot(reward: float, score: float | None, reason: str, recomputed: str) -> None:
    fields: Fields = {"tool_name_match": score is not None, "target_match": None, "similarity_score": score}
    grading = grading_of(graded_row(reward, fields, failure_reason=reason))
    assert (grading.verifier, grading.recomputed) == ("swe_pivot", recomputed)


def drawn(detail: str, key: str, made: str, wanted: list[int], score: float, reward: float = 1.0) -> Grading:
    fields: Fields = {
        "tool_name_match": True,
        "target_match": True,
        "argument_score": score,
        "argument_detail": detail,
        "expected_action": {"name": "zoom", "arguments": {key: wanted}},
        "model_output": f'zoom({{"{key}": {made}}})',
    }
    return grading_of(graded_row(reward, fields, failure_reason="none"))


@pytest.mark.parametrize(
    ("detail", "key", "made", "wanted", "score"),
    [
        # 50 of 100 shared, 150 in all; 3-4-5 triangle of 500 on a scale of 1000; 153 of 765.
        ("iou", "bbox_2d", "[0, 0, 10, 10]", [5, 0, 15, 10], 50 / 150),
        ("point_distance", "point_2d", "[0, 0]", [300, 400], 0.5),
        ("color_distance", "color", "[0, 0, 0]", [153, 0, 0], 1 - 153 / 765),
    ],
)
def test_image_tools_score_of_the_two_calls(detail: str, key: str, made: str, wanted: list[int], score: float) -> None:
    honest = drawn(detail, key, made, wanted, score)
    assert "the two calls give" not in said(honest)
    altered = drawn(detail, key, made, [one + 1 for one in wanted], score)
    assert altered.recomputed == "disagrees"
    assert "the two calls give" in said(altered)


@pytest.mark.parametrize("made", ["[0, 0, 10", "[0, 0, 10, 0]", '"here"'])
def test_image_tools_calls_that_cannot_be_compared(made: str) -> None:
    assert drawn("iou", "bbox_2d", made, [0, 0, 10, 10], 0.9).recomputed == "agrees"


def test_whether_a_verifier_reads_the_scored_text_is_said_where_its_kind_is_known() -> None:
    tests_run = grading_of(graded_row(1.0, {"resolved": True, "evaluation_completed": True}))
    assert tests_run.reads_text is False
    letters = grading_of(graded_row(1.0, {"expected_answer": "E", "extracted_answer": "E"}))
    assert letters.reads_text is True
    assert grading_of(graded_row(1.0, {})).reads_text is None
