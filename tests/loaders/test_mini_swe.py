"""mini-swe-agent's `.traj.json`, as its documentation ("Output files") shows it, text models and tool-call models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .wider_files import Data, codes, lost_texts, one, write_document


def response(finish: str = "stop") -> Data:
    """`extra.response`: the raw API response."""
    usage = {"prompt_tokens": 500, "completion_tokens": 40}
    return {"model": "claude-sonnet-4-5", "choices": [{"finish_reason": finish}], "usage": usage}


def acting(said: str, *commands: str) -> Data:
    """A reply of a text model whose code blocks were parsed into actions."""
    actions = [{"command": command} for command in commands]
    extra = {"actions": actions, "cost": 0.003, "timestamp": 1706000000.0, "response": response()}
    return {"role": "assistant", "content": said, "extra": extra}


def observed(said: str, code: int = 0) -> Data:
    """What came of it."""
    return {"role": "user", "content": said, "extra": {"returncode": code, "timestamp": 1706000001.0}}


SUBMITTED: Data = {
    "role": "user",
    "content": "",
    "extra": {"exit_status": "Submitted", "submission": "diff --git a/file.py"},
}


def trajectory(*messages: Data, status: str | None = "Submitted", **info: Any) -> Data:
    """The root object of v2.0 (`mini-swe-agent-1.1`)."""
    start = [
        {"role": "system", "content": "You are a helpful assistant that can run bash"},
        {"role": "user", "content": "Please solve this issue: it is broken"},
    ]
    given: Data = {
        "model_stats": {"instance_cost": 0.05, "api_calls": 2},
        "config": {
            "agent_type": "minisweagent.agents.default.DefaultAgent",
            "model": {"model_name": "anthropic/claude-sonnet-4-5"},
        },
        "mini_version": "2.0.0",
        "exit_status": status,
        "submission": "diff --git a/file.py",
        **info,
    }
    return {
        "info": given,
        "messages": [*start, *messages],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "owner__repo__123",
    }


def submitted() -> Data:
    return trajectory(
        acting("I list the files.\n\n```mswea_bash_command\nls -la\n```", "ls -la"),
        observed("<returncode>0</returncode>\n<output>\nfile1.py\n</output>"),
        acting("I submit my change.", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
        SUBMITTED,
    )


def test_actions_are_calls_and_observations_their_results(tmp_path: Path) -> None:
    data = submitted()
    rollout = one(write_document(tmp_path / "owner__repo__123.traj.json", data))
    assert (rollout.source.format, rollout.id, rollout.task.task_id) == (
        "mini-swe-agent", "owner__repo__123", "owner__repo__123",
    )  # fmt: skip
    assert (rollout.harness.version, rollout.harness.model) == ("2.0.0", "anthropic/claude-sonnet-4-5")
    first, second = rollout.invocations[0].turns
    (call,) = first.tool_calls
    assert (call.name, call.arguments, call.exit_code, call.status) == ("bash", {"command": "ls -la"}, 0, "completed")
    assert call.output is not None
    assert "file1.py" in call.output
    assert [m.role for m in first.input] == ["system", "user"]
    assert first.answer_text.startswith("I list the files.")
    assert second.tool_calls[0].status == "incomplete"
    assert rollout.task.prompt == "Please solve this issue: it is broken"
    assert first.started_at == "2024-01-23T08:53:20.000Z"
    assert not lost_texts(rollout, [data])


def test_a_submission_ends_the_run_and_is_no_final_answer(tmp_path: Path) -> None:
    rollout = one(write_document(tmp_path / "x.traj.json", submitted()))
    assert (rollout.outcome.status, rollout.outcome.rule) == ("completed", "recorded-end")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("I submit my change.", False)
    assert any("info.submission" in note.text for note in rollout.notes)


def test_tokens_come_from_the_responses_and_the_cost_from_the_agent(tmp_path: Path) -> None:
    rollout = one(write_document(tmp_path / "x.traj.json", submitted()))
    assert (rollout.usage.input, rollout.usage.output, rollout.usage.cost) == (1000, 80, 0.05)


@pytest.mark.parametrize(
    ("status", "info", "outcome"),
    [
        ("LimitsExceeded", {}, "incomplete"),
        ("ContextWindowExceededError", {}, "incomplete"),
        ("AuthenticationError", {"exception_str": "no key"}, "failed"),
        ("SomethingNew", {}, "unknown"),
        (None, {}, "unknown"),
    ],
)
def test_how_a_trajectory_says_that_it_ended(tmp_path: Path, status: str | None, info: Data, outcome: str) -> None:
    data = trajectory(acting("I look.", "ls"), observed("ok"), status=status, **info)
    assert one(write_document(tmp_path / "x.traj.json", data)).outcome.status == outcome


def test_a_tool_call_model(tmp_path: Path) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    reply = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "I should look first.",
        "tool_calls": [call],
        "extra": {"actions": [{"command": "ls", "tool_call_id": "call_1"}], "response": response("tool_calls")},
    }
    result = {"role": "tool", "tool_call_id": "call_1", "content": "file1.py here", "extra": {"returncode": 0}}
    data = trajectory(reply, result, {"role": "assistant", "content": "It is fixed."})
    rollout = one(write_document(tmp_path / "x.traj.json", data))
    first, second = rollout.invocations[0].turns
    assert first.reasoning_text == "I should look first."
    assert [(c.call_id, c.arguments, c.output) for c in first.tool_calls] == [
        ("call_1", {"command": "ls"}, "file1.py here"),
    ]
    assert (first.finish, second.answer_text) == ("tool_calls", "It is fixed.")
    assert not lost_texts(rollout, [data])


def test_an_old_trajectory_of_plain_messages(tmp_path: Path) -> None:
    data: Data = {
        "info": {"exit_status": "Submitted", "submission": "", "model_stats": {"instance_cost": 0.0, "api_calls": 1}},
        "messages": [
            {"role": "system", "content": "You can run bash"},
            {"role": "user", "content": "Fix it"},
            {"role": "assistant", "content": "THOUGHT: done\n\n```bash\necho done\n```"},
        ],
        "trajectory_format": "mini-swe-agent-1",
    }
    rollout = one(write_document(tmp_path / "inst.traj.json", data))
    assert (rollout.id, rollout.outcome.status) == ("inst", "completed")
    assert rollout.usage.input is None


def test_damage_costs_a_message_and_keeps_it(tmp_path: Path) -> None:
    data = trajectory(acting("I look.", "ls"))
    data["messages"].append("no message at all")
    rollout = one(write_document(tmp_path / "x.traj.json", data))
    assert codes(rollout) == ["record-unreadable"]
    assert not lost_texts(rollout, [data])
