"""Emissions of the split in the four readings: gym-semantics 4.2, 4.3, 4.6, 4.7 and CONTRACT 4."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loaders import opencode_data
from tests.loaders.stored_sessions import call, mark, message, reply, session, texts

from rollout_loaders.collection import open_paths
from rollout_loaders.convert.host_response import host_response
from rollout_loaders.convert.observed import observed
from rollout_loaders.convert.session_output import session_output
from rollout_loaders.convert.stored import PartOrder, StoredPart
from rollout_loaders.convert.turns import turns

R, A, C, O = "reasoning", "assistant", "function_call", "function_call_output"  # noqa: E741
ARGS = '{"command": "ls"}'
CALL = [(C, ARGS), (O, "out")]

ROWS: dict[str, tuple[list[StoredPart], dict[str, list[tuple[str, str]]]]] = {
    "split with answer": (
        [reply("<think>r</think>\n\n4")],
        {"host": [(A, "4")], "session": [(R, "r"), (A, "4")], "observed": [(R, "r"), (A, "4")]},
    ),
    "only whitespace after the block": (
        [reply("<think>r</think>\n ")],
        {"host": [(A, "")], "session": [(R, "r"), (A, "")], "observed": [(R, "r"), (A, "")]},
    ),
    "reasoning only, then a tool call": (
        [reply("<think>r</think>"), call()],
        {"host": CALL, "session": [(R, "r"), *CALL], "observed": [(R, "r"), *CALL]},
    ),
    "a tool call, then reasoning only": (
        [call(), reply("<think>r</think>")],
        {"host": [*CALL, (A, "")], "session": [*CALL, (R, "r"), (A, "")], "observed": [*CALL, (R, "r"), (A, "")]},
    ),
    "reasoning only, beside a text part 4": (
        [reply("<think>r</think>"), reply("4")],
        {"host": [(A, "4")], "session": [(R, "r"), (A, "4")], "observed": [(R, "r"), (A, "4")]},
    ),
    "two reasoning-only parts give one empty answer, at the last": (
        [reply("<think>a</think>"), reply("<think>b</think>")],
        {
            "host": [(A, "")],
            "session": [(R, "a"), (R, "b"), (A, "")],
            "observed": [(R, "a"), (R, "b"), (A, "")],
        },
    ),
    "whitespace before the block": (
        [reply(" <think>r</think>4")],
        {name: [(A, " <think>r</think>4")] for name in ("host", "session", "observed")},
    ),
    "an unclosed block": (
        [reply("<think>r")],
        {name: [(A, "<think>r")] for name in ("host", "session", "observed")},
    ),
    "a later block": (
        [reply("<think>a</think><think>b</think>4")],
        {
            "host": [(A, "<think>b</think>4")],
            "session": [(R, "a"), (A, "<think>b</think>4")],
            "observed": [(R, "a"), (A, "<think>b</think>4")],
        },
    ),
    "an empty block is removed": (
        [reply("<think></think>4")],
        {name: [(A, "4")] for name in ("host", "session", "observed")},
    ),
    "an empty block alone keeps an empty answer": (
        [reply("<think></think>")],
        {name: [(A, "")] for name in ("host", "session", "observed")},
    ),
    "typed reasoning": (
        [reply("r", kind="reasoning"), reply("4")],
        {"host": [(A, "4")], "session": [(R, "r"), (A, "4")], "observed": [(R, "r"), (A, "4")]},
    ),
}


def emissions(parts: list[StoredPart], gate: bool) -> dict[str, list[tuple[str, str | None]]]:
    """What one message gives; a message before it keeps the padding of an empty host response away."""
    stored = session(message("assistant", reply("before")), message("assistant", *parts))
    return {
        "host": texts(host_response([stored], gate=gate))[1:],
        "session": texts(session_output(stored, gate=gate).items)[1:],
        "observed": texts(observed(stored, gate=gate).items)[1:],
    }


@pytest.mark.parametrize("name", ROWS)
def test_gate_on(name: str) -> None:
    parts, expected = ROWS[name]
    assert emissions(parts, gate=True) == expected


@pytest.mark.parametrize("name", ROWS)
def test_gate_off_leaves_every_text_literal(name: str) -> None:
    parts, _ = ROWS[name]
    literal = {part.text for part in parts if part.type == "text"}
    for found in emissions(parts, gate=False).values():
        assert {text for kind, text in found if kind == A} == literal
        assert {text for kind, text in found if kind == R} <= {"r"} - literal


def test_dropping_an_empty_block_is_said_to_be_our_choice(tmp_path: Path) -> None:
    """CONTRACT 4.1: the sources leave it open, and `because` says so."""
    for text, said in (("<think></think>4", True), ("<think>r</think>4", False)):
        stored = opencode_data.Session()
        stored.assistant(opencode_data.text(text))
        path = opencode_data.write_export(tmp_path / "export.json", stored)
        (rollout,) = open_paths([str(path)]).rollouts()
        assert ("our choice" in rollout.route.because) is said


def test_typed_reasoning_alone_gives_no_empty_answer() -> None:
    """As in Gym; a local run without any assistant message item is padded with an empty one (CONTRACT 3)."""
    parts = [reply("r", kind="reasoning")]
    assert emissions(parts, gate=True) == {"host": [], "session": [(R, "r")], "observed": [(R, "r")]}
    alone = session(message("assistant", *parts))
    assert texts(host_response([alone], gate=True)) == [(A, "")]
    assert texts(session_output(alone, gate=True).items) == [(R, "r")]


def test_a_blank_text_part_is_no_item_in_the_host_response_and_an_empty_message_in_session_output() -> None:
    found = emissions([reply("4"), reply("")], gate=False)
    assert found["host"] == [(A, "4")]
    assert found["session"] == [(A, "4"), (A, "")]
    assert found["observed"] == [(A, "4")]


FINAL_SHAPES = {
    "reasoning only": ([reply("<think>r</think>")], "", ""),
    "reasoning only, another text part 4": ([reply("<think>r</think>"), reply("4")], "4", "4"),
    "reasoning then a tool call": ([reply("<think>r</think>"), call()], "", "earlier"),
    "answer with reasoning": ([reply("<think>r</think>5")], "5", "5"),
    "plain": ([reply("6")], "6", "6"),
}


@pytest.mark.parametrize("shape", FINAL_SHAPES)
def test_five_shapes_of_a_final_message_after_an_earlier_answer(shape: str) -> None:
    """S0: built with an earlier answer and a reasoning-only tool turn before the final message."""
    parts, answer, scored = FINAL_SHAPES[shape]
    stored = session(
        message("user", reply("q")),
        message("assistant", reply("<think>t</think>"), call("c0")),
        message("assistant", reply("earlier"), call("c1")),
        message("assistant", *parts),
    )
    assert turns(stored, gate=True).turns[-1].answer_text == answer
    for items in (host_response([stored], gate=True), session_output(stored, gate=True).items):
        assert [item.text for item in items if item.is_assistant_message][-1] == scored


def test_ids_of_a_split_reply() -> None:
    """CONTRACT 4.3: reasoning `{part id}-reasoning`, the answer keeps the part id, in observed and in turns."""
    stored = session(message("assistant", reply("<think>r</think>4"), call("call_9")))
    assert [item.id for item in observed(stored, gate=True).items] == ["prt_00_0-reasoning", "prt_00_0", "call_9", None]
    (turn,) = turns(stored, gate=True).turns
    assert ([p.id for p in turn.reasoning], [p.id for p in turn.answer]) == (["prt_00_0-reasoning"], ["prt_00_0"])
    assert turn.order == ("prt_00_0-reasoning", "prt_00_0", "prt_00_1")


def test_host_response_interleaves_all_sessions_and_session_output_has_the_root_only() -> None:
    root = session(message("assistant", call("spawn")), message("assistant", reply("root")), session_id="ses_root")
    child = session(message("assistant", reply("child")), session_id="ses_child", start=1050)
    summary = session(message("assistant", reply("sum"), summary=True), session_id="ses_root", start=1300)
    root = session(*root.messages, *summary.messages, session_id="ses_root")
    spoken = [item.text for item in host_response([root, child], gate=True) if item.is_assistant_message]
    assert spoken == ["child", "root", "sum"]
    assert [i.text for i in session_output(root, gate=True).items if i.is_assistant_message] == ["root", "sum"]
    assert host_response([root, child], gate=True)[2].place.invocation == "ses_child"


def test_part_order_by_row_time_by_id_and_by_message() -> None:
    """CONTRACT 4.8: a part's row time can contradict the order of messages (formats 1.3, 11d)."""
    stored = session(
        message("assistant", reply("first", time_created=2000)), message("assistant", reply("second", time_created=1))
    )
    by = {order: [i.text for i in host_response([stored], gate=False, order=order)] for order in PartOrder}
    assert by[PartOrder.ROW_TIME] == ["second", "first"]
    assert by[PartOrder.PART_ID] == by[PartOrder.MESSAGE] == ["first", "second"]
    assert [turn.answer_text for turn in turns(stored, gate=False).turns] == ["first", "second"]


def test_part_ties_are_broken_by_id() -> None:
    stored = session(message("assistant", reply("a", time_created=5), reply("b", time_created=5)))
    assert [item.text for item in host_response([stored], gate=False)] == ["a", "b"]


def test_observed_user_text_and_pruned_output() -> None:
    """gym-semantics 4.3: synthetic user text is kept, ignored text is not; a pruned output is what the model saw."""
    stored = session(
        message("user", reply("q"), reply("s", synthetic=True), reply("i", ignored=True), reply(" ")),
        message(
            "assistant", call("c1", output="long", pruned=True), call("c2", output=None, error="no", status="error")
        ),
    )
    assert texts(observed(stored, gate=True).items) == [
        ("user", "q"),
        ("user", "s"),
        (C, ARGS),
        (O, "[Old tool result content cleared]"),
        (C, ARGS),
        (O, "no"),
    ]
    assert [item.text for item in host_response([stored], gate=True)][1:3] == ["long", ARGS]
    (turn,) = turns(stored, gate=True).turns
    assert (turn.tool_calls[0].output, turn.tool_calls[0].pruned) == ("long", True)


def test_session_output_says_which_part_it_cannot_read() -> None:
    found = session_output(session(message("assistant", mark("hologram"), mark("patch"), reply("4"))), gate=True)
    assert [(gap.code, gap.detail) for gap in found.gaps] == [("agent_artifact_record_unparseable", "hologram")]
    assert texts(found.items) == [(A, "4")]
