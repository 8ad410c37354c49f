"""Turns, items, inputs and tool calls of a Pi event log."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loaders.pi_logs import (
    SESSION,
    T0,
    TWO_TURNS,
    Event,
    assistant,
    call,
    end,
    event,
    item_shapes,
    lines_of,
    only_call,
    read_log,
    run,
    text,
    thinking,
    tool_result,
    usage,
    user,
)

from rollout_loaders.errors import ReadError
from rollout_loaders.formats import pi_events, pi_session
from rollout_loaders.reader import ReadOptions


def test_items_are_those_of_gyms_sandbox_path(tmp_path: Path) -> None:
    """gym-semantics 5.3: thinking first, then the joined text, then calls, numbered by their place in the output."""
    rollout = read_log(tmp_path, run(*TWO_TURNS))
    assert item_shapes(rollout) == [
        ("reasoning", "reasoning-0", "hm"),
        ("message", "msg-1", "Looking."),
        ("function_call", "c1", '{"command": "echo 4"}'),
        ("function_call_output", None, "4\n"),
        ("message", "msg-4", "The answer\nis 4."),
    ]
    assert (rollout.scored.reading, rollout.scored.final_text, rollout.scored.final_item_id) == (
        "host-response",
        "The answer\nis 4.",
        "msg-4",
    )
    assert (rollout.scored.origin.turn, rollout.scored.final_index) == (2, 4)


def test_observed_items_begin_with_what_came_in(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(*TWO_TURNS))
    assert rollout.root is not None
    observed = rollout.root.items
    assert (observed[0].role, observed[0].text) == ("user", "What is 2+2?")
    assert observed[1:] == rollout.scored.items


def test_turns_keep_the_order_of_the_record(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(*TWO_TURNS))
    assert rollout.root is not None
    first, second = rollout.root.turns
    assert [piece.text for piece in first.reasoning] == ["hm"]
    assert first.order == ("msg-1", "reasoning-0", "c1")
    assert [message.text for message in first.input] == ["What is 2+2?"]
    assert (first.finish, second.finish) == ("toolUse", "stop")
    assert rollout.final_answer.text == "The answer\nis 4."
    assert rollout.final_answer.stands
    assert rollout.id == SESSION
    assert (rollout.task.prompt, rollout.harness.name, rollout.harness.model) == ("What is 2+2?", "pi", "lab-model")


def test_think_tags_are_literal_text(tmp_path: Path) -> None:
    said = "<think>\nNothing more to say.\n</think>"
    rollout = read_log(tmp_path, run(end(assistant(text(said)))))
    assert (rollout.final_answer.text, rollout.scored.final_text) == (said, said)
    assert not rollout.route.gym_reasoning


def test_forcing_the_split_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "stdout.jsonl"
    path.write_bytes(lines_of(run()))
    for reader in (pi_events.READER, pi_session.READER):
        with pytest.raises(ReadError) as refused:
            reader.open(path, "stdout.jsonl", ReadOptions(gym_reasoning=True))
        assert "\n" not in str(refused.value)
        reader.open(path, "stdout.jsonl", ReadOptions(gym_reasoning=False))


def test_a_reply_without_text_ends_the_run_on_an_empty_answer(tmp_path: Path) -> None:
    """Formats trap 2: the final answer is "", the scored text an earlier turn's (CONTRACT 4.4)."""
    rollout = read_log(
        tmp_path, run(end(assistant(text("4"), call("c1"), stop="toolUse")), end(assistant(thinking("x"))))
    )
    assert (rollout.final_answer.text, rollout.scored.final_text) == ("", "4")


def test_blank_text_is_no_answer_and_no_item(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(assistant(text("4"), text(" \n")))))
    assert rollout.final_answer.text == "4"
    assert item_shapes(rollout) == [("message", "msg-0", "4")]


def test_a_log_without_any_message_item_gets_gyms_empty_one(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(assistant(error="401 no"))))
    assert rollout.scored.final_text == ""
    assert [item.is_assistant_message for item in rollout.scored.items] == [True]


def test_a_session_folder_is_read_as_session_output_without_it(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(assistant(error="401 no"))), options=ReadOptions(session_folder=True))
    assert (rollout.scored.reading, rollout.scored.final_text, rollout.scored.items) == ("session-output", None, ())


def test_several_prompts_are_inputs_of_their_turns(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, [*run(end(assistant(text("4")))), event("agent_start"), end(user("And 3+3?")),
                                  end(assistant(text("6"))), event("agent_end", messages=[])])  # fmt: skip
    assert rollout.root is not None
    assert [[message.text for message in turn.input] for turn in rollout.root.turns] == [["What is 2+2?"], ["And 3+3?"]]
    assert rollout.task.prompt == "What is 2+2?"


def test_other_roles_are_shown_as_what_they_are(tmp_path: Path) -> None:
    rollout = read_log(
        tmp_path,
        run(
            end({"role": "system", "content": "", "sections": {"rules": "Be brief."}}),
            end({"role": "custom", "customType": "note", "content": "Injected", "display": True}),
            end({"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 2, "cancelled": False}),
            end({"role": "user", "content": [text("see"), {"type": "image", "data": "AAAA", "mimeType": "image/png"}]}),
            end({"role": "hologram", "content": "from a later release"}),
            end(assistant(text("4"))),
        ),
    )
    assert rollout.root is not None
    shown = [(message.role, message.kind, message.text) for message in rollout.root.turns[0].input[1:]]
    assert shown == [
        ("system", "text", "[rules]\nBe brief."),
        ("custom", "custom", "Injected"),
        ("bashExecution", "shell", "$ ls\na\n\n(exit code 2)"),
        ("user", "text", "see"),
        ("user", "image", "image/png, 4 characters of base64"),
        ("hologram", "hologram", "from a later release"),
    ]


def test_what_came_in_last_and_was_never_answered_is_kept(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, [*run(end(assistant(text("4")))), end(user("Are you sure?"))])
    assert rollout.root is not None
    assert [message.text for message in rollout.root.trailing_input] == ["Are you sure?"]


def test_usage_is_summed_as_gym_does(tmp_path: Path) -> None:
    """gym-semantics 5.3: cached reads count as input; a single 0 makes the cached sum unknown."""
    first, second = assistant(text("a"), usage=usage(10, 2, 5)), assistant(text("b"), usage=usage(20, 3, 7))
    both = read_log(tmp_path, run(end(first), end(second))).usage
    assert (both.input, both.output, both.cached, both.reasoning) == (10 + 5 + 20 + 7, 5, 12, None)
    third = assistant(text("c"), usage=usage(1, 1, 0))
    assert read_log(tmp_path, run(end(first), end(second), end(third))).usage.cached is None


def test_zeros_of_a_refused_call_are_unknown(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(assistant(error="503 overloaded"))))
    assert rollout.root is not None
    assert rollout.root.turns[0].usage == {}
    assert (rollout.usage.input, rollout.usage.output) == (None, None)


def test_a_repeated_call_id_pairs_by_place(tmp_path: Path) -> None:
    """Formats trap 13."""
    rollout = read_log(
        tmp_path,
        run(
            end(assistant(call("c"), stop="toolUse")),
            end(tool_result("c", "first")),
            end(assistant(call("c"), call("c"), stop="toolUse")),
            end(tool_result("c", "second")),
            end(tool_result("c", "third", error=True)),
        ),
    )
    assert rollout.root is not None
    outputs = [[tool.output for tool in turn.tool_calls] for turn in rollout.root.turns]
    assert outputs == [["first"], ["second", "third"]]
    twins = rollout.root.turns[1].tool_calls
    assert [tool.status for tool in twins] == ["completed", "failed"]
    assert len({tool.id for tool in twins}) == 2
    assert rollout.root.turns[1].order == tuple(tool.id for tool in twins)


def test_parallel_calls_get_their_own_times_and_results(tmp_path: Path) -> None:
    """Starts in call order, ends in completion order, results in call order again (formats 2.1)."""
    started = [event("tool_execution_start", toolCallId=name, toolName="bash", args={}) for name in ("a", "b")]
    ended = [
        event("tool_execution_end", toolCallId=name, toolName="bash", result={"content": []}, isError=name == "a")
        for name in ("b", "a")
    ]
    events = run(
        end(assistant(call("a"), call("b"), stop="toolUse")),
        *started,
        *ended,
        end(tool_result("a")),
        end(tool_result("b")),
    )
    rollout = read_log(tmp_path, [[T0 / 1000 + index, one] for index, one in enumerate(events)])
    assert rollout.root is not None
    a, b = rollout.root.turns[0].tool_calls
    assert (a.duration_ms, b.duration_ms) == (3000, 1000)
    assert (a.status, b.status) == ("failed", "completed")
    assert a.started_at == "2026-11-30T15:06:05.000Z"


def test_a_bare_log_has_no_receipt_times(tmp_path: Path) -> None:
    tool = only_call(read_log(tmp_path, run(*TWO_TURNS)))
    assert (tool.status, tool.output, tool.started_at, tool.duration_ms) == ("completed", "4\n", None, None)


def test_a_duration_that_pi_recorded_is_used(tmp_path: Path) -> None:
    ended = event("tool_execution_end", toolCallId="c1", toolName="bash", isError=False, durationMs=41.6)
    rollout = read_log(tmp_path, run(end(assistant(call("c1"), stop="toolUse")), ended, end(tool_result("c1"))))
    assert only_call(rollout).duration_ms == 42


def test_a_call_that_was_killed_keeps_its_partial_output(tmp_path: Path) -> None:
    """Formats 2.1 `16c`: start and updates without an end."""
    update = event("tool_execution_update", toolCallId="c1", toolName="bash", partialResult={"content": [text("half")]})
    events = [*run(TWO_TURNS[0], TWO_TURNS[1], update)[:-1]]
    tool = only_call(read_log(tmp_path, events))
    assert (tool.status, tool.output, tool.interrupted) == ("incomplete", "half", True)


def test_exit_codes_and_calls_that_could_not_run(tmp_path: Path) -> None:
    bad: Event = {**call("c3"), "arguments": {}, "argumentsError": "Unexpected end of JSON input"}
    rollout = read_log(
        tmp_path,
        run(
            end(assistant(call("c1"), call("c2", name="no_such_tool"), bad, stop="toolUse")),
            end(tool_result("c1", "two\n\n\nCommand exited with code 3", error=True)),
            end(tool_result("c2", "Tool no_such_tool not found", error=True, name="no_such_tool")),
            end(tool_result("c3", "Unexpected end of JSON input", error=True)),
        ),
    )
    assert rollout.root is not None
    one, two, three = rollout.root.turns[0].tool_calls
    assert (one.exit_code, one.invalid, one.status) == (3, False, "failed")
    assert (two.exit_code, two.invalid) == (None, True)
    assert three.invalid
    assert three.extra["arguments_error"] == "Unexpected end of JSON input"


def test_a_result_without_its_call_is_shown(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(tool_result("ghost", "boo")), end(assistant(text("4")))))
    assert rollout.root is not None
    assert any("boo" in message.text for message in rollout.root.turns[0].input)
    assert ("function_call_output", None, "boo") in item_shapes(rollout)
