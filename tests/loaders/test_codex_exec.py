"""`codex exec --json`, event by event as `codex-rs/exec` defines them (thread, turn and item events)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .wider_files import Data, codes, lost_texts, one, write_lines

THREAD: Data = {"type": "thread.started", "thread_id": "0199a213-81c0-7800-8aa1-bbab2a035a53"}
STARTED: Data = {"type": "turn.started"}


def completed(ident: str, kind: str, **more: Any) -> Data:
    return {"type": "item.completed", "item": {"id": ident, "type": kind, **more}}


def started(ident: str, kind: str, **more: Any) -> Data:
    return {"type": "item.started", "item": {"id": ident, "type": kind, **more}}


def ended(tokens_in: int = 100, tokens_out: int = 20) -> Data:
    usage = {"input_tokens": tokens_in, "cached_input_tokens": 50, "output_tokens": tokens_out}
    return {"type": "turn.completed", "usage": usage}


def command(ident: str, said: str = "a.txt", status: str = "completed", code: int | None = 0) -> Data:
    return completed(
        ident, "command_execution", command="bash -lc ls", aggregated_output=said, exit_code=code, status=status
    )


def run() -> list[Data]:
    return [
        THREAD,
        STARTED,
        completed("item_0", "reasoning", text="**Looking at files**"),
        started("item_1", "command_execution", command="bash -lc ls", aggregated_output="", status="in_progress"),
        command("item_1", "a.txt and b.txt"),
        completed("item_2", "agent_message", text="There are two files."),
        ended(),
    ]


def test_items_are_reasoning_calls_and_answers(tmp_path: Path) -> None:
    rollout = one(write_lines(tmp_path / "out.jsonl", run()))
    assert (rollout.source.format, rollout.id, rollout.harness.name) == (
        "codex-exec", "0199a213-81c0-7800-8aa1-bbab2a035a53", "codex",
    )  # fmt: skip
    first, second = rollout.invocations[0].turns
    assert first.reasoning_text == "**Looking at files**"
    (call,) = first.tool_calls
    assert (call.name, call.arguments, call.output, call.exit_code, call.status) == (
        "exec_command", {"command": "bash -lc ls"}, "a.txt and b.txt", 0, "completed",
    )  # fmt: skip
    assert second.answer_text == "There are two files."
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("There are two files.", True)
    assert (rollout.outcome.status, rollout.outcome.rule) == ("completed", "recorded-end")
    assert (rollout.usage.input, rollout.usage.output, rollout.usage.cached) == (100, 20, 50)
    assert rollout.usage.reasoning is None
    assert rollout.task.prompt is None
    assert not lost_texts(rollout, run())


def test_a_plan_that_is_completed_at_the_end_takes_no_answer_away(tmp_path: Path) -> None:
    plan = [{"text": "list the files", "completed": False}]
    done = [{"text": "list the files", "completed": True}]
    lines = [
        THREAD,
        STARTED,
        started("item_0", "todo_list", items=plan),
        command("item_1"),
        completed("item_2", "agent_message", text="Done."),
        completed("item_0", "todo_list", items=done),
        ended(),
    ]
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    turns = rollout.invocations[0].turns
    assert [[call.name for call in turn.tool_calls] for turn in turns] == [["update_plan"], ["exec_command"], []]
    assert turns[0].tool_calls[0].arguments == {"items": done}
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("Done.", True)


def test_parallel_calls_are_one_turn(tmp_path: Path) -> None:
    lines = [
        THREAD,
        started("a", "command_execution", command="a", status="in_progress"),
        started("b", "command_execution", command="b", status="in_progress"),
        command("b", "out of b", "failed", 2),
        command("a", "out of a"),
        completed("m", "agent_message", text="Done."),
        ended(),
    ]
    first, _ = one(write_lines(tmp_path / "out.jsonl", lines)).invocations[0].turns
    assert [(call.id, call.output, call.status) for call in first.tool_calls] == [
        ("a", "out of a", "completed"),
        ("b", "out of b", "failed"),
    ]


def test_other_tools_have_the_names_that_gym_gives_them(tmp_path: Path) -> None:
    mcp = completed(
        "m", "mcp_tool_call", server="docs", tool="lookup", arguments={"q": "x"}, status="completed",
        result={"content": [{"type": "text", "text": "found it"}], "structured_content": None}, error=None,
    )  # fmt: skip
    change = completed("f", "file_change", changes=[{"path": "a.py", "kind": "update"}], status="completed")
    search = completed("w", "web_search", query="weather in Paris")
    rollout = one(write_lines(tmp_path / "out.jsonl", [THREAD, mcp, change, search, ended()]))
    calls = [call for turn in rollout.invocations[0].turns for call in turn.tool_calls]
    assert [(call.name, call.output) for call in calls] == [
        ("lookup", "found it"), ("apply_patch", None), ("web_search", None),
    ]  # fmt: skip
    assert [call.status for call in calls] == ["completed", "completed", "unknown"]


def test_a_last_turn_of_reasoning_only_promotes_nothing(tmp_path: Path) -> None:
    lines = [THREAD, completed("m", "agent_message", text="4"), completed("r", "reasoning", text="hm"), ended()]
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    assert [turn.answer_text for turn in rollout.invocations[0].turns] == ["4", ""]
    assert rollout.final_answer.text == ""


def test_a_failed_turn(tmp_path: Path) -> None:
    failed = {"type": "turn.failed", "error": {"message": "stream disconnected"}}
    lines = [THREAD, completed("m", "agent_message", text="I look"), {"type": "error", "message": "retrying"}, failed]
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    assert (rollout.outcome.status, rollout.outcome.error) == ("failed", "stream disconnected")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("I look", False)


def test_an_error_that_the_run_got_over_is_shown_and_fails_nothing(tmp_path: Path) -> None:
    lines = [THREAD, completed("e", "error", message="model slow"), completed("m", "agent_message", text="4"), ended()]
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    (turn,) = rollout.invocations[0].turns
    assert [(message.text, message.synthetic, message.kind) for message in turn.input] == [
        ("model slow", True, "error")
    ]
    assert rollout.outcome.status == "completed"


def test_a_log_that_stops_inside_a_command(tmp_path: Path) -> None:
    torn = '{"type":"item.completed","item":{"id":"item_1","type":"command_exec'
    lines: list[Data | str] = [THREAD, STARTED, started("item_1", "command_execution", command="sleep 9"), torn]
    rollout = one(write_lines(tmp_path / "out.jsonl", lines, end=""))
    assert codes(rollout) == ["torn-line"]
    assert rollout.invocations[0].turns[0].tool_calls[0].status == "incomplete"
    assert (rollout.outcome.status, rollout.outcome.rule) == ("unknown", "end-missing")
    assert rollout.final_answer.stands is False


def test_several_codex_turns_are_summed(tmp_path: Path) -> None:
    lines = [THREAD, completed("a", "agent_message", text="4"), ended(), STARTED]
    lines += [completed("b", "agent_message", text="5"), ended(300, 30)]
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    assert (rollout.usage.input, rollout.usage.output) == (400, 50)
    assert rollout.final_answer.text == "5"
