"""ATIF documents built from Harbor's RFC 0001 (1.5 to 1.8) and from gym-semantics 11 for Gym's export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rollout_loaders.collection import open_paths

from .wider_files import Data, codes, lost_texts, one, write_document


def agent(step: int, message: str, **more: Any) -> Data:
    """A step of the agent, as `StepObject` of the RFC."""
    return {"step_id": step, "source": "agent", "message": message, **more}


def given(step: int, source: str, message: str, **more: Any) -> Data:
    """A system or user step."""
    return {"step_id": step, "source": source, "message": message, **more}


def call(call_id: str, name: str = "financial_search", **arguments: Any) -> Data:
    """`ToolCallSchema`."""
    return {"tool_call_id": call_id, "function_name": name, "arguments": arguments}


def document(steps: list[Data], version: str = "ATIF-v1.7", **more: Any) -> Data:
    """The root object."""
    named = {"name": "harbor-agent", "version": "1.0.0", "model_name": "gemini-2.5-flash"}
    return {"schema_version": version, "session_id": "025B810F", "agent": named, "steps": steps, **more}


def example() -> Data:
    """The RFC's example of section IV, shortened: parallel calls, metrics with token ids, reasoning."""
    return document(
        [
            given(1, "user", "What is the price of GOOGL?", timestamp="2025-10-11T10:30:00Z"),
            agent(
                2,
                "I will search for both.",
                timestamp="2025-10-11T10:30:02Z",
                model_name="gemini-2.5-flash",
                reasoning_content="Two searches are needed.",
                tool_calls=[call("call_price_1", metric="price"), call("call_volume_2", metric="volume")],
                observation={
                    "results": [
                        {"source_call_id": "call_volume_2", "content": "volume is 1.5M"},
                        {"source_call_id": "call_price_1", "content": "price is $185.35"},
                    ]
                },
                metrics={"prompt_tokens": 520, "completion_tokens": 80, "cached_tokens": 200, "cost_usd": 0.00045},
            ),
            agent(
                3,
                "GOOGL trades at $185.35.",
                reasoning_content="All data is here.",
                metrics={
                    "prompt_tokens": 600,
                    "completion_tokens": 44,
                    "completion_token_ids": [1722, 310, 5533],
                    "logprobs": [-0.1, -0.05, -0.02],
                    "cost_usd": 0.00033,
                    "extra": {"reasoning_tokens": 12},
                },
            ),
        ]
    )


def test_the_example_of_the_rfc(tmp_path: Path) -> None:
    rollout = one(write_document(tmp_path / "trajectory.json", example()))
    assert (rollout.source.format, rollout.id) == ("atif", "025B810F")
    assert (rollout.harness.name, rollout.harness.version, rollout.harness.model) == (
        "harbor-agent", "1.0.0", "gemini-2.5-flash",
    )  # fmt: skip
    first, second = rollout.invocations[0].turns
    assert first.reasoning_text == "Two searches are needed."
    assert [(c.call_id, c.output, c.status) for c in first.tool_calls] == [
        ("call_price_1", "price is $185.35", "unknown"),
        ("call_volume_2", "volume is 1.5M", "unknown"),
    ]
    assert first.started_at == "2025-10-11T10:30:02.000Z"
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("GOOGL trades at $185.35.", True)
    assert second.usage == {"input": 600, "output": 44, "reasoning": 12, "cached": None, "cost": 0.00033}
    # 520 + 600 and 80 + 44; only one step states cached and reasoning tokens, so their sums are unknown.
    assert (rollout.usage.input, rollout.usage.output) == (1120, 124)
    assert (rollout.usage.cached, rollout.usage.reasoning) == (None, None)
    assert rollout.usage.cost is not None
    assert round(rollout.usage.cost, 5) == 0.00078
    assert any("3 completion token ids" in note.text for note in rollout.notes)
    assert rollout.task.prompt == "What is the price of GOOGL?"
    assert not lost_texts(rollout, [example()])


def test_a_trajectory_records_no_end_and_no_reward(tmp_path: Path) -> None:
    rollout = one(write_document(tmp_path / "trajectory.json", example()))
    assert (rollout.outcome.status, rollout.outcome.rule, rollout.outcome.graded) == (
        "unknown",
        "no-end-recorded",
        None,
    )
    assert (rollout.grading.state, rollout.grading.reward) == ("not_graded", None)
    assert rollout.scored.reading == "host-response"


@pytest.mark.parametrize("version", ["ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", "ATIF-v1.8"])
def test_every_version_is_read_without_a_word(tmp_path: Path, version: str) -> None:
    rollout = one(write_document(tmp_path / "trajectory.json", {**example(), "schema_version": version}))
    assert codes(rollout) == []


def test_a_version_from_the_future_is_read_and_said(tmp_path: Path) -> None:
    rollout = one(write_document(tmp_path / "t.json", {**example(), "schema_version": "ATIF-v2.0"}))
    assert codes(rollout) == ["format-version-unknown"]
    assert rollout.final_answer.text == "GOOGL trades at $185.35."


def test_an_empty_last_step_promotes_nothing(tmp_path: Path) -> None:
    steps = [given(1, "user", "2+2?"), agent(2, "4"), agent(3, "", reasoning_content="Nothing to add.")]
    rollout = one(write_document(tmp_path / "t.json", document(steps)))
    assert [turn.answer_text for turn in rollout.invocations[0].turns] == ["4", ""]
    assert rollout.final_answer.text == ""


def test_a_think_block_is_literal(tmp_path: Path) -> None:
    rollout = one(write_document(tmp_path / "t.json", document([agent(1, "<think>so</think>4")])))
    assert rollout.final_answer.text == "<think>so</think>4"


def test_content_parts_of_1_6_and_1_8(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "Look at this"},
        {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}},
        {"type": "audio", "source": {"media_type": "audio/wav", "path": "audio/b.wav", "duration_sec": 2}},
    ]
    steps = [{"step_id": 1, "source": "user", "message": parts}, agent(2, "I see it.")]
    rollout = one(write_document(tmp_path / "t.json", document(steps, "ATIF-v1.8")))
    (shown,) = rollout.invocations[0].turns[0].input
    assert shown.text == "Look at this\n[image/png, images/a.png]\n[audio/wav, audio/b.wav]"


def test_embedded_subagents_are_invocations_linked_to_their_calls(tmp_path: Path) -> None:
    child = document([given(1, "user", "Find the price"), agent(2, "It is $185.")], trajectory_id="sub-1")
    delegating = agent(
        2,
        "I ask a helper.",
        tool_calls=[call("call_sub", "delegate")],
        observation={
            "results": [
                {
                    "source_call_id": "call_sub",
                    "content": "helper said $185",
                    "subagent_trajectory_ref": [{"trajectory_id": "sub-1"}],
                }
            ]
        },
    )
    steps = [given(1, "user", "Price?"), delegating, agent(3, "It is $185.")]
    data = document(steps, trajectory_id="main", subagent_trajectories=[child])
    rollout = one(write_document(tmp_path / "t.json", data))
    root, sub = rollout.invocations
    assert (root.id, sub.id, sub.parent_id, sub.spawned_by) == ("main", "sub-1", "main", "call_sub")
    assert root.turns[0].tool_calls[0].child == "sub-1"
    assert [turn.answer_text for turn in sub.turns] == ["It is $185."]
    assert rollout.final_answer.turn == 2
    assert [item.place.invocation for item in rollout.scored.items] == ["main"] * len(rollout.scored.items)
    assert not lost_texts(rollout, [data])


def test_a_reference_of_1_6_is_by_session(tmp_path: Path) -> None:
    child = {**document([agent(1, "done")], "ATIF-v1.6"), "session_id": "child-run"}
    result = {"source_call_id": "c", "subagent_trajectory_ref": [{"session_id": "child-run"}]}
    steps = [agent(1, "", tool_calls=[call("c")], observation={"results": [result]})]
    rollout = one(write_document(tmp_path / "t.json", document(steps, "ATIF-v1.6", subagent_trajectories=[child])))
    assert rollout.invocations[0].turns[0].tool_calls[0].child == "child-run"


def test_copied_context_came_in_and_is_no_turn(tmp_path: Path) -> None:
    copied = {"is_copied_context": True}
    steps = [
        given(1, "user", "2+2?", **copied),
        agent(2, "The answer was 4", **copied),
        given(3, "user", "Are you sure?"),
        agent(4, ""),
    ]
    rollout = one(write_document(tmp_path / "t.json", document(steps)))
    (turn,) = rollout.invocations[0].turns
    assert [(m.role, m.text, m.kind) for m in turn.input] == [
        ("user", "2+2?", "copied context"),
        ("assistant", "The answer was 4", "copied context"),
        ("user", "Are you sure?", "text"),
    ]
    assert rollout.final_answer.text == ""
    assert any("2 steps were copied" in note.text for note in rollout.notes)


def test_a_context_boundary_is_a_compaction(tmp_path: Path) -> None:
    boundary = given(
        3,
        "system",
        "Context compaction performed",
        observation={"results": [{"content": "Summary: asked about 2+2"}]},
        extra={"context_management": {"type": "compaction", "boundary": "replace"}},
    )
    steps = [given(1, "user", "2+2?"), agent(2, "4"), boundary, agent(4, "It is 4.")]
    data = document(steps)
    rollout = one(write_document(tmp_path / "t.json", data))
    root = rollout.invocations[0]
    (compaction,) = root.compactions
    assert (compaction.summary, compaction.after_turn, compaction.outcome) == (
        "Summary: asked about 2+2",
        1,
        "completed",
    )
    assert [turn.in_context_at_end for turn in root.turns] == [False, True]
    assert not lost_texts(rollout, [data])


def test_a_step_that_acted_without_a_call_is_no_final_answer(tmp_path: Path) -> None:
    # Terminus and mini-SWE-agent act by text; their results name no call (RFC, ObservationResultSchema).
    acting = agent(2, "I run ls", observation={"results": [{"content": "a.txt b.txt"}]})
    rollout = one(write_document(tmp_path / "t.json", document([given(1, "user", "List"), acting])))
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("I run ls", False)
    assert [m.text for m in rollout.invocations[0].trailing_input] == ["a.txt b.txt"]


def test_an_export_of_gym(tmp_path: Path) -> None:
    gym = {
        "exporter": "nemo_gym",
        "source": {"format": "ng_trajectory", "_ng_task_index": 3, "_ng_rollout_index": 1, "invocation": "root"},
        "conversion": {"profile": "ng-trajectory-to-atif-v1", "status": "complete"},
    }
    data = document(
        [given(1, "user", "2+2?"), agent(2, "4", extra={"nemo_gym": {"turn": 1}})],
        trajectory_id="run:3:1",
        final_metrics={"total_prompt_tokens": 100, "total_completion_tokens": 20, "total_steps": 2},
        extra={"nemo_gym": gym},
    )
    rollout = one(write_document(tmp_path / "3-1.json", data))
    assert (rollout.id, rollout.task.task_index, rollout.task.rollout_index) == ("3-1", 3, 1)
    assert (rollout.outcome.status, rollout.outcome.rule) == ("completed", "recorded-end")
    assert (rollout.usage.input, rollout.usage.output, rollout.usage.cached) == (100, 20, None)
    assert rollout.usage.counted_by == "final_metrics of the trajectory"


def test_damage_costs_a_step_and_keeps_it(tmp_path: Path) -> None:
    data = document([agent(1, "4")])
    data["steps"].append("no step at all")
    rollout = one(write_document(tmp_path / "t.json", data))
    assert codes(rollout) == ["record-unreadable"]
    assert not lost_texts(rollout, [data])


def test_a_document_that_is_cut_off_keeps_what_stands_before(tmp_path: Path) -> None:
    path = write_document(tmp_path / "trajectory.json", example())
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b"All data is here.") + 5])
    rollout = one(path)
    assert codes(rollout) == ["artifact-truncated"]
    assert rollout.invocations[0].turns[0].reasoning_text == "Two searches are needed."
    assert rollout.final_answer.stands is False
    assert rollout.outcome.status == "unknown"
    assert "artifact-truncated" in [finding.code for finding in rollout.findings]


def test_a_cut_inside_a_long_text_full_of_brackets(tmp_path: Path) -> None:
    steps = [agent(1, "First."), agent(2, '{"a": [1, 2], "b": ","}, ' * 5000)]
    path = write_document(tmp_path / "trajectory.json", document(steps))
    path.write_bytes(path.read_bytes()[:-60])
    rollout = one(path)
    assert rollout.invocations[0].turns[0].answer_text == "First."


def test_every_cut_is_read_or_said(tmp_path: Path) -> None:
    whole = write_document(tmp_path / "whole.json", example()).read_bytes()
    for length in range(0, len(whole) - 1, 37):
        path = tmp_path / "cut.json"
        path.write_bytes(whole[:length])
        collection = open_paths([str(path)], reader="atif")
        found = list(collection.rollouts())
        assert found or collection.diagnostics
        for rollout in found:
            assert "artifact-truncated" in codes(rollout)
            assert rollout.final_answer.stands is False


def trial(**more: Any) -> Data:
    """Harbor's `result.json` of a trial."""
    return {
        "task_name": "terminal-bench/sample",
        "trial_name": "sample__abc",
        "agent_result": {"n_input_tokens": 100, "n_cache_tokens": 20, "n_output_tokens": 10, "cost_usd": 0.25},
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": None,
        "started_at": "2026-07-29T00:00:00+00:00",
        "finished_at": "2026-07-29T00:01:30+00:00",
        **more,
    }


def in_trial(folder: Path, **more: Any) -> Path:
    steps = [given(1, "user", "Fix it"), agent(2, "Done.")]
    write_document(folder / "agent" / "trajectory.json", document(steps))
    write_document(folder / "result.json", trial(**more))
    return folder


def test_a_trial_of_harbor_gives_the_reward_and_the_end(tmp_path: Path) -> None:
    rollout = one(in_trial(tmp_path / "sample__abc"))
    assert (rollout.id, rollout.task.task_id) == ("sample__abc", "terminal-bench/sample")
    assert (rollout.grading.state, rollout.grading.reward) == ("graded", 1.0)
    assert (rollout.outcome.status, rollout.outcome.graded) == ("completed", True)
    assert (rollout.usage.input, rollout.usage.output, rollout.usage.cached, rollout.usage.cost) == (100, 10, 20, 0.25)
    assert str(tmp_path / "sample__abc" / "result.json") in rollout.source.artifacts


@pytest.mark.parametrize(
    ("raised", "status", "state"),
    [("AgentTimeoutError", "incomplete", "graded"), ("EnvironmentStartError", "failed", "invalid")],
)
def test_what_ended_a_trial(tmp_path: Path, raised: str, status: str, state: str) -> None:
    info = {"exception_type": raised, "exception_message": "after 900 seconds"}
    rollout = one(in_trial(tmp_path / "t", exception_info=info, verifier_result={"rewards": {"reward": 0.0}}))
    assert (rollout.outcome.status, rollout.grading.state) == (status, state)


def test_a_trial_without_a_verdict_is_not_graded(tmp_path: Path) -> None:
    rollout = one(in_trial(tmp_path / "t", verifier_result=None))
    assert (rollout.grading.state, rollout.grading.reward) == ("not_graded", None)


def test_several_rewards_without_a_main_one_are_components(tmp_path: Path) -> None:
    rollout = one(in_trial(tmp_path / "t", verifier_result={"rewards": {"speed": 0.5, "style": 1.0}}))
    assert (rollout.grading.state, rollout.grading.components) == ("not_graded", {"speed": 0.5, "style": 1.0})
