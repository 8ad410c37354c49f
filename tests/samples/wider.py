"""Samples of other harnesses' formats: one recorded stream of OpenCode, the others written from their documentation.

The builders of the formats' own tests write them; each of those modules names the source of its shapes.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.loaders import (
    test_atif,
    test_claude_code,
    test_codex_exec,
    test_mini_swe,
    test_openclaw,
    test_verifiers_results,
)
from tests.loaders.wider_files import write_document, write_lines

from .sample import sample


@sample(
    "opencode-stdout-compaction",
    "A printed stream: its summary cannot be told from an answer",
    "No roles and no user messages; the continue prompt is synthetic and no turn, the summary is one.",
)
def opencode_stdout(recordings: Path, folder: Path) -> dict[str, Any]:
    source = recordings / "opencode-1.18.33/07a-auto-compaction-threshold/stdout.jsonl"
    shutil.copy(source, folder / "stdout.jsonl")
    return {
        "source": {"format": "opencode-stdout"},
        "invocations": [{"turns": {"$len": 4}}],
        "final_answer": {"text": "The answer is 4.", "stands": True},
        "outcome": {"status": "completed"},
        "diagnostics": [{"code": "no-roles"}],
    }


@sample(
    "verifiers-results",
    "verifiers' results.jsonl with its metadata: a reward, an error, an empty last message",
    "Issue 7; verifiers API reference (RolloutOutput): the completion was scored; an errored rollout's 0 measures nothing.",
)
def verifiers_results(recordings: Path, folder: Path) -> dict[str, Any]:
    error = {"error": "SandboxError", "error_chain_repr": "SandboxError('x')", "error_chain_str": "SandboxError: x"}
    empty = [
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "Are you sure?"},
        {"role": "assistant", "content": "", "reasoning_content": "I said so."},
    ]
    rows = [
        test_verifiers_results.row(0),
        test_verifiers_results.row(1, error=error, reward=0.0, stop_condition="has_error"),
        test_verifiers_results.row(2, completion=empty, reward=0.0),
    ]
    write_lines(folder / "results.jsonl", rows)
    write_document(folder / "metadata.json", test_verifiers_results.METADATA)
    return {
        "rollouts": {
            "L1": {
                "harness": {"name": "verifiers", "version": "0.1.9", "agent": "gsm8k"},
                "grading": {"state": "graded", "reward": 1.0},
                "scored": {"reading": "row", "final_text": "The answer is 4"},
                "outcome": {"status": "completed"},
            },
            "L2": {"grading": {"state": "invalid"}, "outcome": {"status": "failed", "error": "SandboxError: x"}},
            "L3": {
                "grading": {"state": "graded", "reward": 0.0},
                "scored": {"final_text": ""},
                "final_answer": {"text": ""},
            },
        }
    }


@sample(
    "atif-subagent",
    "An ATIF trajectory with an embedded subagent and a context boundary",
    "Harbor RFC 0001, 1.7: subagent_trajectories, context_management. No end of the run is recorded.",
)
def atif_subagent(recordings: Path, folder: Path) -> dict[str, Any]:
    child = test_atif.document(
        [test_atif.given(1, "user", "Find the price"), test_atif.agent(2, "It is $185.")], trajectory_id="sub-1"
    )
    result = {
        "source_call_id": "call_sub",
        "content": "The helper found $185.",
        "subagent_trajectory_ref": [{"trajectory_id": "sub-1"}],
    }
    boundary = test_atif.given(
        3,
        "system",
        "Context compaction performed",
        observation={"results": [{"content": "Summary: the helper found $185."}]},
        extra={"context_management": {"type": "compaction", "boundary": "replace"}},
    )
    steps = [
        test_atif.given(1, "user", "What is the price of GOOGL?"),
        test_atif.agent(
            2,
            "I ask a helper.",
            reasoning_content="A search is needed.",
            tool_calls=[test_atif.call("call_sub", "delegate", task="Find the price")],
            observation={"results": [result]},
            metrics={"prompt_tokens": 520, "completion_tokens": 80},
        ),
        boundary,
        test_atif.agent(4, "GOOGL trades at $185.", metrics={"prompt_tokens": 300, "completion_tokens": 20}),
    ]
    data = test_atif.document(steps, trajectory_id="main", subagent_trajectories=[child])
    write_document(folder / "trajectory.json", data)
    return {
        "id": "main",
        "source": {"format": "atif"},
        "invocations": [
            {
                "id": "main",
                "turns": [
                    {"in_context_at_end": False, "tool_calls": [{"name": "delegate", "child": "sub-1"}]},
                    {"in_context_at_end": True},
                ],
                "compactions": [{"summary": "Summary: the helper found $185.", "after_turn": 1}],
            },
            {"id": "sub-1", "parent_id": "main", "spawned_by": "call_sub"},
        ],
        "final_answer": {"text": "GOOGL trades at $185.", "turn": 2, "stands": True},
        "grading": {"state": "not_graded", "reward": None},
        "outcome": {"status": "unknown", "rule": "no-end-recorded"},
    }


@sample(
    "claude-code-subagent",
    "A Claude Code transcript with a subagent beside it, parallel results and a rewind",
    "Blocks of one API message are one turn; an abandoned branch is listed and in no total.",
)
def claude_code_subagent(recordings: Path, folder: Path) -> dict[str, Any]:
    session = test_claude_code.Transcript()
    session.user("What is 2+2? Ask a helper too.")
    session.reply("msg_1", test_claude_code.thinking("I ask and compute."))
    first = session.reply("msg_1", test_claude_code.tool_use("toolu_1", command="echo $((2+2))"))
    task = test_claude_code.tool_use("toolu_t", "Task", prompt="Add 2 and 2", description="adder")
    second = session.reply("msg_1", task, stop="tool_use")
    session.result("toolu_1", "4", parent=first)
    detail = {"agentId": "a1b2c3d4", "status": "completed", "totalDurationMs": 1500}
    answered = session.result("toolu_t", [test_claude_code.text("It is 4.")], toolUseResult=detail, parent=second)
    session.reply("msg_2", test_claude_code.text("Five."), stop="end_turn")
    session.user("Look again", parent=answered)
    session.reply("msg_3", test_claude_code.text("<think>4, then</think>The answer is 4."), stop="end_turn")
    helper = test_claude_code.Transcript(agent="a1b2c3d4")
    helper.user("Add 2 and 2")
    helper.reply("msg_h", test_claude_code.text("It is 4."), stop="end_turn")
    write_lines(folder / f"{test_claude_code.SESSION}.jsonl", session.lines)
    write_lines(folder / "agent-a1b2c3d4.jsonl", helper.lines)
    return {
        "id": test_claude_code.SESSION,
        "source": {"format": "claude-code"},
        "invocations": [
            {
                "turns": [
                    {
                        "reasoning": [{"text": "I ask and compute."}],
                        "tool_calls": [{"output": "4"}, {"output": "It is 4.", "child": "a1b2c3d4"}],
                    },
                    {"answer": [{"text": "<think>4, then</think>The answer is 4."}]},
                ],
                "branches": {"$len": 1},
            },
            {"id": "a1b2c3d4", "spawned_by": "toolu_t"},
        ],
        "final_answer": {"text": "<think>4, then</think>The answer is 4.", "turn": 2, "stands": True},
        "outcome": {"status": "unknown", "rule": "no-end-recorded"},
        "usage": {"reasoning": None, "cost": None},
    }


@sample(
    "codex-exec-plan",
    "A Codex stream whose plan is completed after the answer",
    "Items become calls under Gym's names; a plan stands where it was started, so the answer stands.",
)
def codex_exec_plan(recordings: Path, folder: Path) -> dict[str, Any]:
    build = test_codex_exec
    lines = [
        build.THREAD,
        build.STARTED,
        build.started("item_0", "todo_list", items=[{"text": "list the files", "completed": False}]),
        build.completed("item_1", "reasoning", text="**Looking at files**"),
        build.started("item_2", "command_execution", command="bash -lc ls", status="in_progress"),
        build.command("item_2", "a.txt and b.txt"),
        build.completed("item_3", "agent_message", text="There are two files."),
        build.completed("item_0", "todo_list", items=[{"text": "list the files", "completed": True}]),
        build.ended(),
    ]
    write_lines(folder / "codex.jsonl", lines)
    return {
        "source": {"format": "codex-exec"},
        "final_answer": {"text": "There are two files.", "stands": True},
        "outcome": {"status": "completed", "recorded": {"event": "turn.completed"}},
        "usage": {"input": 100, "output": 20, "cached": 50, "reasoning": None},
    }


@sample(
    "openclaw-spawned",
    "An OpenClaw session with the session that it spawned",
    "Pi's session file with reasoning keys of its own; sessions.json says what spawned what.",
)
def openclaw_spawned(recordings: Path, folder: Path) -> dict[str, Any]:
    child = test_openclaw.Session(test_openclaw.CHILD)
    child.message("user", test_openclaw.text("Find the number"))
    child.reply(test_openclaw.text("It is four."))
    write_lines(folder / f"{test_openclaw.SESSION}.jsonl", test_openclaw.plain().lines)
    write_lines(folder / f"{test_openclaw.CHILD}.jsonl", child.lines)
    index = {
        "agent:main:main": {"sessionId": test_openclaw.SESSION},
        "agent:main:subagent:x": {"sessionId": test_openclaw.CHILD, "spawnedBy": "agent:main:main"},
    }
    write_document(folder / "sessions.json", index)
    return {
        "id": test_openclaw.SESSION,
        "source": {"format": "openclaw"},
        "invocations": [
            {"turns": [{"reasoning": [{"text": "I will run it."}]}, {"reasoning": [{"text": "That was easy."}]}]},
            {"id": test_openclaw.CHILD, "parent_id": test_openclaw.SESSION},
        ],
        "final_answer": {"text": "The answer is 4.", "stands": True},
        "outcome": {"status": "unknown"},
    }


@sample(
    "mini-swe-submitted",
    "A mini-swe-agent trajectory: the submission ends the run, no reply answers",
    "What is tested is info.submission, whatever the last reply says.",
)
def mini_swe_submitted(recordings: Path, folder: Path) -> dict[str, Any]:
    write_document(folder / "owner__repo__123.traj.json", test_mini_swe.submitted())
    return {
        "id": "owner__repo__123",
        "source": {"format": "mini-swe-agent"},
        "invocations": [{"turns": [{"tool_calls": [{"name": "bash", "exit_code": 0}]}, {"tool_calls": {"$len": 1}}]}],
        "final_answer": {"text": "I submit my change.", "stands": False},
        "outcome": {"status": "completed", "recorded": {"info.exit_status": "Submitted"}},
        "usage": {"input": 1000, "output": 80, "cost": 0.05},
    }
