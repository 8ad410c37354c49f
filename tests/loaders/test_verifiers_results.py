"""verifiers' `results.jsonl`: rows as `RolloutOutput` of its API reference lists them, `metadata.json` beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollout_loaders.collection import open_paths

from .wider_files import Data, codes, lost_texts, read, write_document, write_lines

TOOL_CALL: Data = {"id": "call_1", "type": "function", "function": {"name": "calc", "arguments": '{"x": "2+2"}'}}


def row(example: int = 0, **more: Any) -> Data:
    """The required fields of `RolloutOutput`, a tool call and an answer."""
    return {
        "example_id": example,
        "prompt": [{"role": "system", "content": "Be brief please."}, {"role": "user", "content": "What is 2+2?"}],
        "completion": [
            # `sanitize_tool_calls` writes each call as a JSON string.
            {"role": "assistant", "content": "Let me see.", "tool_calls": [json.dumps(TOOL_CALL)]},
            {"role": "tool", "tool_call_id": "call_1", "content": "it is 4"},
            {"role": "assistant", "content": "The answer is 4", "reasoning_content": "that was easy"},
        ],
        "answer": "4",
        "reward": 1.0,
        "error": None,
        "timing": {"start_time": 1796051048.0, "generation": {"start": 1796051048.0, "end": 1796051050.5}},
        "is_completed": True,
        "is_truncated": False,
        "stop_condition": "no_tools_called",
        "metrics": {"exact_match": 1.0},
        "exact_match": 1.0,
        "token_usage": {"input_tokens": 220.0, "output_tokens": 30.0},
        "tool_defs": [],
        **more,
    }


METADATA: Data = {
    "env_id": "gsm8k",
    "model": "org/model",
    "num_examples": 1,
    "rollouts_per_example": 2,
    "version_info": {"vf_version": "0.1.9"},
}


def test_a_row_with_its_metadata(tmp_path: Path) -> None:
    write_document(tmp_path / "metadata.json", METADATA)
    path = write_lines(tmp_path / "results.jsonl", [row(3)])
    (rollout,) = read(path)
    assert (rollout.source.format, rollout.id, rollout.source.locator) == ("verifiers-results", "L1", "L1")
    assert (rollout.harness.name, rollout.harness.version) == ("verifiers", "0.1.9")
    assert (rollout.harness.agent, rollout.harness.model) == ("gsm8k", "org/model")
    assert (rollout.task.task_index, rollout.task.rollout_index, rollout.task.task_id) == (3, None, "3")
    assert rollout.task.prompt == "What is 2+2?"
    assert (rollout.grading.state, rollout.grading.reward) == ("graded", 1.0)
    assert rollout.grading.components == {"exact_match": 1.0}
    assert (rollout.scored.reading, rollout.scored.final_text) == ("row", "The answer is 4")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("The answer is 4", True)
    assert (rollout.outcome.status, rollout.outcome.rule, rollout.outcome.graded) == (
        "completed", "recorded-end", True,
    )  # fmt: skip
    assert (rollout.usage.input, rollout.usage.output, rollout.usage.cached) == (220, 30, None)
    assert rollout.route.gym_reasoning is False
    assert str(tmp_path / "metadata.json") in rollout.source.artifacts
    assert not lost_texts(rollout, [row(3)])


def test_turns_hold_reasoning_answer_and_calls_with_their_results(tmp_path: Path) -> None:
    (rollout,) = read(write_lines(tmp_path / "results.jsonl", [row()]))
    first, second = rollout.invocations[0].turns
    assert [(call.name, call.arguments, call.output) for call in first.tool_calls] == [
        ("calc", {"x": "2+2"}, "it is 4"),
    ]
    assert [message.text for message in first.input] == ["Be brief please.", "What is 2+2?"]
    assert (second.reasoning_text, second.answer_text) == ("that was easy", "The answer is 4")
    assert rollout.invocations[0].started_at == "2026-11-30T15:04:08.000Z"
    assert second.completed_at == "2026-11-30T15:04:10.500Z"


def test_an_empty_last_message_is_what_was_scored_and_promotes_nothing(tmp_path: Path) -> None:
    completion = [
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "Are you sure?"},
        {"role": "assistant", "content": None, "reasoning_content": "hm"},
    ]
    (rollout,) = read(write_lines(tmp_path / "results.jsonl", [row(completion=completion, reward=0.0)]))
    assert rollout.scored.final_text == ""
    assert rollout.final_answer.text == ""
    assert [turn.answer_text for turn in rollout.invocations[0].turns] == ["4", ""]


def test_a_think_block_is_literal(tmp_path: Path) -> None:
    completion = [{"role": "assistant", "content": "<think>so</think>4"}]
    (rollout,) = read(write_lines(tmp_path / "results.jsonl", [row(completion=completion)]))
    assert rollout.final_answer.text == "<think>so</think>4"
    assert "think-block-in-scored-text" in [finding.code for finding in rollout.findings]


def test_an_example_of_the_prompt_is_no_turn_of_this_run(tmp_path: Path) -> None:
    prompt = [
        {"role": "user", "content": "1+1?"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "2+2?"},
    ]
    (rollout,) = read(write_lines(tmp_path / "results.jsonl", [row(prompt=prompt, completion=[])]))
    assert rollout.invocations[0].turns == ()
    assert (rollout.final_answer.text, rollout.scored.final_text) == (None, None)
    assert [m.role for m in rollout.invocations[0].trailing_input] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("more", "status", "rule"),
    [
        ({"stop_condition": "max_turns_reached"}, "incomplete", "recorded-end"),
        (
            {"stop_condition": "max_turns_reached", "completion": [{"role": "assistant", "content": "4"}]},
            "completed",
            "recorded-single-turn",
        ),
        ({"is_truncated": True}, "incomplete", "recorded-cut-off"),
        ({"stop_condition": "my_own_condition"}, "unknown", "recorded-other"),
        ({"stop_condition": None}, "unknown", "end-missing"),
    ],
)
def test_how_a_row_says_that_it_ended(tmp_path: Path, more: Data, status: str, rule: str) -> None:
    (rollout,) = read(write_lines(tmp_path / "results.jsonl", [row(**more)]))
    assert (rollout.outcome.status, rollout.outcome.rule) == (status, rule)
    assert rollout.grading.state == "graded"


def test_an_error_of_the_run_makes_its_reward_no_measure_of_the_policy(tmp_path: Path) -> None:
    error = {"error": "SandboxError", "error_chain_repr": "SandboxError('x')", "error_chain_str": "SandboxError: x"}
    failed = row(error=error, reward=0.0, stop_condition="has_error")
    older = row(error="ModelError('503')", reward=0.0)
    for rollout, said in zip(
        read(write_lines(tmp_path / "results.jsonl", [failed, older])), ("SandboxError: x", "ModelError('503')"),
        strict=True,
    ):  # fmt: skip
        assert (rollout.grading.state, rollout.grading.rule) == ("invalid", "run-error")
        assert (rollout.outcome.status, rollout.outcome.error) == ("failed", said)
        assert said in rollout.grading.because[0].text
        assert rollout.final_answer.stands is False


def test_a_completion_may_be_plain_text_or_missing(tmp_path: Path) -> None:
    rows = [row(prompt="2+2=", completion=" 4"), row(completion=None)]
    text, missing = read(write_lines(tmp_path / "results.jsonl", rows))
    assert (text.final_answer.text, text.task.prompt) == (" 4", "2+2=")
    assert missing.final_answer.text is None


def test_a_reward_that_is_no_number_is_no_zero(tmp_path: Path) -> None:
    text = json.dumps(row()).replace('"reward": 1.0', '"reward": NaN')
    none = row(reward=None)
    nan, absent = read(write_lines(tmp_path / "results.jsonl", [text, none]))
    assert (nan.grading.state, nan.grading.reward) == ("unreadable", None)
    assert (absent.grading.state, absent.grading.reward) == ("not_graded", None)


def test_a_zero_without_any_metric_says_that_it_may_be_no_score(tmp_path: Path) -> None:
    (rollout,) = read(write_lines(tmp_path / "results.jsonl", [row(reward=0.0, metrics={})]))
    assert any("No metric is recorded" in note.text for note in rollout.notes)


def test_damage_costs_its_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(1), '{"example_id": 2, ', {"no": "rollout"}, row(3)], end="")
    collection = open_paths([str(path)])
    rollouts = list(collection.rollouts())
    assert [rollout.id for rollout in rollouts] == ["L1", "L4"]
    assert "no-final-newline" in codes(rollouts[1])
    assert {d.code for d in collection.diagnostics} >= {"record-unreadable", "not-a-rollout"}


def test_one_row_is_read_alone(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(n) for n in range(20)])
    (rollout,) = open_paths([f"{path}#L7"]).rollouts()
    assert (rollout.id, rollout.task.task_index) == ("L7", 6)


def test_a_broken_metadata_file_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "metadata.json").write_text('{"env_id": "gsm', encoding="utf-8")
    collection = open_paths([str(write_lines(tmp_path / "results.jsonl", [row()]))])
    (rollout,) = collection.rollouts()
    assert rollout.harness.agent is None
    assert "evidence-unreadable" in {d.code for d in collection.diagnostics}
