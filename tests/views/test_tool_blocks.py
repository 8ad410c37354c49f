"""Tool calls as blocks: arguments as people read them, results whole, what is missing in words."""

from __future__ import annotations

import time

import pytest
from tests.factories import (
    rollout,
    tool_call,
    turn,
)
from tests.views.shown import only

from rollout_views.block import Block
from rollout_views.transcript import blocks


def result_of(**fields: object) -> Block:
    call = tool_call(**fields)  # type: ignore[arg-type]
    (block,) = [b for b in blocks(rollout(turn(1, tools=(call,))), "observed") if b.label in ("result", "error")]
    return block


def test_a_result_says_exit_code_and_duration() -> None:
    assert result_of(exit_code=1, duration_ms=1500).title == "(exit 1 · 1.5s)"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"output": None, "status": "incomplete", "interrupted": True}, "the run was broken off here"),
        ({"output": None, "status": "failed", "invalid": True}, "the harness could not run this call"),
        ({"output": None, "status": "incomplete"}, "the call never ended"),
        ({"output": None, "status": "timeout"}, "recorded as timeout"),
        ({"output": None, "status": "completed"}, "although the call is recorded as completed"),
        ({"output": None, "status": "unknown"}, "does not say how the call ended"),
    ],
)
def test_a_missing_result_says_why(fields: dict[str, object], why: str) -> None:
    block = result_of(**fields)
    assert block.tone == "problem"
    assert block.title.startswith("none recorded, ")
    assert why in block.title


def test_an_empty_result_is_no_missing_one() -> None:
    assert result_of(output="").title == "(empty)"


def test_a_pruned_result_is_shown_in_full_and_says_what_later_inputs_saw() -> None:
    block = result_of(output="the text", pruned=True)
    assert block.body == "the text"
    assert "[Old tool result content cleared]" in block.mark


def test_an_error_is_shown_beside_an_output() -> None:
    call = tool_call(output="partial", error="boom", status="failed")
    shown = [
        (b.label, b.body) for b in blocks(rollout(turn(1, tools=(call,))), "observed") if b.label in ("result", "error")
    ]
    assert shown == [("result", "partial"), ("error", "boom")]


def test_an_invalid_call_says_so() -> None:
    assert "could not run it" in only(rollout(turn(1, tools=(tool_call(invalid=True),))), "tool").title


def test_attachments_are_lines() -> None:
    r = rollout(turn(1, tools=(tool_call(attachments=("image/png, 1,204 bytes (base64)",)),)))
    assert only(r, "attached").title == "image/png, 1,204 bytes (base64)"


# Arguments


def arguments(value: object, name: str = "x") -> Block:
    return only(rollout(turn(1, tools=(tool_call(name, value),))), "tool")  # type: ignore[arg-type]


def test_a_command_is_the_body_and_its_other_arguments_stand_beside_the_name() -> None:
    block = arguments({"command": "ls\npwd", "timeout": 5}, "bash")
    assert (block.title, block.body, block.format) == ("bash  timeout=5", "ls\npwd", "shell")


@pytest.mark.parametrize("names", [("oldString", "newString"), ("old_string", "new_string"), ("oldText", "newText")])
def test_an_edit_is_a_diff_that_holds_every_line(names: tuple[str, str]) -> None:
    block = arguments({"filePath": "/a", names[0]: "keep\nold", names[1]: "keep\nnew\n"})
    assert block.format == "diff"
    assert block.body.split("\n") == [" keep", "-old", "+new", "+"]
    assert block.title == 'x  filePath="/a"'


def test_several_edits_are_several_hunks() -> None:
    block = arguments({"path": "/a", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}]})
    assert block.body == "@@ edit 1 of 2\n-a\n+b\n@@ edit 2 of 2\n-c\n+d"


def test_long_edits_are_not_compared_but_whole() -> None:
    old, new = "\n".join(f"a{n}" for n in range(5000)), "\n".join(f"b{n}" for n in range(5000))
    start = time.process_time()
    block = arguments({"oldString": old, "newString": new})
    assert time.process_time() - start < 1
    assert block.body.count("\n-") + block.body.count("\n+") == 9_999


def test_short_arguments_stand_on_the_line_long_ones_are_json() -> None:
    assert arguments({"filePath": "/a"}).title == 'x  filePath="/a"'
    long = arguments({"q": "w" * 200, "n": None})
    assert (long.title, long.format) == ("x", "json")
    assert '"n": null' in long.body


def test_arguments_that_are_no_object_are_shown_as_they_are() -> None:
    assert arguments('{"a": ').body == '{"a": '
    assert "no JSON object" in arguments('{"a": ').title
    assert arguments({}).title == "x  (no arguments)"


def test_what_a_killed_call_had_written_is_shown() -> None:
    call = tool_call(output=None, status="incomplete", interrupted=True, extra={"partial_output": "started", "odd": 1})
    shown = [(b.label, b.title, b.body) for b in blocks(rollout(turn(1, tools=(call,))), "observed")]
    assert ("result", "(partial: written before the call was broken off)", "started") in shown
    assert ("fields", '{"odd": 1}', "") in shown
