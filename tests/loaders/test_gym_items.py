"""Items of any shape (gym-semantics 2) and the turns they make."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.gym_rows import call, message, output, reasoning

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.formats.responses_items import conversation, item
from rollout_loaders.formats.responses_turns import Grouped, group
from rollout_loaders.model import Invocation, Turn

Json = dict[str, Any]
USER = {"role": "user", "content": "go on"}


def grouped(*raws: Any) -> Grouped:
    items = [item(raw) for raw in raws]
    return group(items, [f"output[{index}]" for index in range(len(items))])


def shape(turn: Turn) -> tuple[list[str], list[str], list[str]]:
    return (
        [piece.text for piece in turn.reasoning],
        [piece.text for piece in turn.answer],
        [call.name for call in turn.tool_calls],
    )


@pytest.mark.parametrize(
    ("raw", "kind", "text"),
    [
        (message("4"), "message", "4"),
        ({"role": "user", "content": "hi"}, "message", "hi"),
        ({"type": "message", "role": "assistant", "content": []}, "message", None),
        (
            {
                "role": "assistant",
                "content": [{"type": "output_text", "text": " a"}, {"type": "output_text", "text": ""}],
            },
            "message",
            " a\n",
        ),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, "message", None),
        (
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "x"}],
            },
            "message",
            "see",
        ),
        (reasoning("because"), "reasoning", "because"),
        (
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "s"}],
                "content": [{"type": "reasoning_text", "text": "c"}],
            },
            "reasoning",
            "s\nc",
        ),
        ({"type": "reasoning", "summary": [], "encrypted_content": "xx"}, "reasoning", None),
        (call("bash", {"command": "ls"}, "c1"), "function_call", '{"command": "ls"}'),
        (output("c1", "a.txt"), "function_call_output", "a.txt"),
        (
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "x"}]},
            "function_call_output",
            "x",
        ),
        ({"type": "web_search_call", "id": "ws", "action": {"query": "q"}}, "web_search_call", None),
        ({"type": "brand_new", "text": "t"}, "brand_new", "t"),
        ({"nothing": 1}, "unknown", None),
        ("bare", "string", "bare"),
        (7, "value", None),
    ],
)
def test_type_and_text(raw: Any, kind: str, text: str | None) -> None:
    read = item(raw)
    assert (read.type, read.text) == (kind, text)
    assert read.data == (raw if isinstance(raw, dict) else {"value": raw})


def test_only_an_assistant_message_is_one() -> None:
    assert item(message("4")).is_assistant_message
    assert not item("4").is_assistant_message
    assert not item(USER).is_assistant_message


def test_of_lists_of_transitions_the_last_is_the_conversation_and_the_others_are_kept() -> None:
    read = conversation([[message("1"), USER], [message("1"), USER, message("2")]])
    assert read.items == (message("1"), USER, message("2"))
    assert read.path == "output[1]"
    assert read.earlier == (("output[0][0]", message("1")), ("output[0][1]", USER))


def test_a_last_list_that_is_empty_is_still_the_conversation() -> None:
    assert conversation([[message("1")], []]).items == ()


def test_lists_among_items_are_read_in_place() -> None:
    assert conversation([USER, [message("1")], message("2")]).items == (USER, message("1"), message("2"))


@pytest.mark.parametrize(("value", "items"), [(None, ()), ([], ()), ("x", ("x",)), (USER, (USER,))])
def test_what_is_no_list(value: Any, items: tuple[Any, ...]) -> None:
    assert conversation(value).items == items


def test_reasoning_message_and_calls_are_one_turn_until_a_result_comes_in() -> None:
    turns = grouped(
        reasoning("r1"), message("m1"), call("a", {}, "1"), call("b", {}, "2"), output("1", "x"), output("2", "y"),
        reasoning("r2", "rs_2"), message("m2", "msg-1"),
    ).turns  # fmt: skip
    assert [shape(turn) for turn in turns] == [(["r1"], ["m1"], ["a", "b"]), (["r2"], ["m2"], [])]
    assert [call.output for call in turns[0].tool_calls] == ["x", "y"]


def test_a_second_message_and_reasoning_after_an_answer_start_a_turn() -> None:
    turns = grouped(
        message("1", "a"), message("2", "b"), reasoning("r", "c"), reasoning("s", "d"), message("3", "e")
    ).turns
    assert [shape(turn) for turn in turns] == [([], ["1"], []), ([], ["2"], []), (["r", "s"], ["3"], [])]


def test_reasoning_after_a_call_starts_a_turn() -> None:
    assert len(grouped(call("a", {}, "1"), reasoning("r"), call("b", {}, "2")).turns) == 2


def test_what_came_in_is_the_next_turns_input_or_trails() -> None:
    read = grouped(USER, message("1"), {"role": "user", "content": "more"})
    assert [message.text for message in read.turns[0].input] == ["go on"]
    assert [message.text for message in read.trailing] == ["more"]
    assert read.turn_of == (None, 1, None)


def test_a_repeated_call_id_pairs_each_result_with_the_call_before_it() -> None:
    turns = grouped(call("a", {}, "x"), output("x", "1"), call("a", {}, "x"), output("x", "2")).turns
    assert [call.output for turn in turns for call in turn.tool_calls] == ["1", "2"]


def test_parallel_calls_with_one_id_take_results_in_order() -> None:
    turns = grouped(call("a", {}, "x"), call("b", {}, "x"), output("x", "1"), output("x", "2")).turns
    assert [(call.name, call.output) for call in turns[0].tool_calls] == [("a", "1"), ("b", "2")]


def test_a_result_goes_to_the_latest_turn_that_waits_not_to_an_older_call() -> None:
    turns = grouped(call("a", {}, "x"), USER, call("b", {}, "x"), output("x", "1")).turns
    assert [(call.name, call.output) for turn in turns for call in turn.tool_calls] == [("a", None), ("b", "1")]


def test_an_orphan_result_is_shown_as_what_came_in() -> None:
    read = grouped(output("nowhere", "text"), message("1"))
    orphan = read.turns[0].input[0]
    assert (orphan.kind, orphan.text) == ("orphan-tool-result", "text")


def test_a_call_without_a_result_is_incomplete_and_one_with_keeps_its_recorded_status() -> None:
    done = {**call("a", {}, "1"), "status": "completed"}
    left = {**call("b", {}, "2"), "status": "completed"}
    silent = call("c", {}, "3")
    turns = grouped(done, left, silent, output("1", "x"), {**output("3", "z"), "status": "failed"}).turns
    assert [call.status for call in turns[0].tool_calls] == ["completed", "incomplete", "failed"]


def test_arguments_are_the_object_sent_or_the_string_where_it_is_none() -> None:
    broken = {**call("b", {}, "2"), "arguments": "{broken"}
    calls = grouped(call("a", {"k": [1]}, "1"), broken).turns[0].tool_calls
    assert [call.arguments for call in calls] == [{"k": [1]}, "{broken"]


def test_a_hosted_call_carries_its_item_and_its_own_output() -> None:
    raw = {"type": "mcp_call", "id": "m1", "name": "look", "arguments": "{}", "output": "seen", "error": None}
    (made,) = grouped(raw, message("done")).turns[0].tool_calls
    assert (made.name, made.output, made.extra["item"]) == ("look", "seen", raw)


@pytest.mark.parametrize(
    ("items", "stands"),
    [
        ([{"type": "web_search_call", "id": "w", "action": {"query": "q"}}, message("4")], True),
        ([message("Searching."), {"type": "web_search_call", "id": "w", "action": {"query": "q"}}], False),
        ([call("bash", {}, "c1"), message("4")], False),
    ],
)
def test_the_answer_after_a_hosted_call_stands(items: list[Json], stands: bool) -> None:
    """The provider ran the search inside the reply, so that reply's text is no promise to go on."""
    found = final_answer_of(Invocation("root", turns=grouped(*items).turns))
    assert found.stands is stands


def test_a_refusal_is_shown_and_marks_the_turn() -> None:
    raw = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]}
    (turn,) = grouped(raw).turns
    assert (turn.answer_text, turn.finish) == ("I will not.", "refusal")


def test_think_tags_stay_literal() -> None:
    (turn,) = grouped(message("<think>r</think>\n\n4")).turns
    assert (turn.reasoning, turn.answer_text) == ((), "<think>r</think>\n\n4")


def test_images_in_the_input_are_named() -> None:
    raw = {
        "role": "user",
        "content": [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "x"}],
    }
    assert grouped(raw).trailing[0].text == "see\n[input_image]"


def test_ids_are_unique_where_the_record_repeats_them() -> None:
    turns = grouped(message("1", "same"), message("2", "same"), {**message("3"), "id": None}).turns
    assert [turn.order[0] for turn in turns] == ["same", "output[1]", "output[2]"]


def test_recorded_turns_decide_over_the_grouping_rule() -> None:
    raws = [message("1", "prt_1"), call("a", {}, "c1"), output("c1", "x"), message("2", "prt_2")]
    items = [item(raw) for raw in raws]
    keys = {"prt_1": "1", "c1": "1", "prt_2": "1"}
    assert len(group(items, ["", "", "", ""], turn_keys=keys).turns) == 1
    assert len(group(items, ["", "", "", ""]).turns) == 2


_RAW = st.sampled_from(
    [
        message("m"), message(""), reasoning("r"), call("a", {}, "1"), call("b", {}, "2"), output("1", "x"),
        output("2", "y"), output("3", "z"), USER, "bare", {"type": "odd"}, {"type": "web_search_call", "id": "w"},
    ]
)  # fmt: skip


@given(st.lists(_RAW, max_size=14))
def test_grouping_loses_nothing_and_invents_nothing(raws: list[Any]) -> None:
    read = grouped(*raws)
    calls = [made for turn in read.turns for made in turn.tool_calls]
    shown = sum(len(t.input) + len(t.reasoning) + len(t.answer) + len(t.tool_calls) for t in read.turns)
    paired = sum(made.output is not None for made in calls)
    assert shown + len(read.trailing) + paired == len(raws)
    outputs = [read_item.text or "" for raw in raws if (read_item := item(raw)).type == "function_call_output"]
    orphans = [
        m.text for m in (*read.trailing, *(m for t in read.turns for m in t.input)) if m.kind.startswith("orphan")
    ]
    assert sorted(outputs) == sorted([made.output for made in calls if made.output is not None] + orphans)
    assert [turn.number for turn in read.turns] == list(range(1, len(read.turns) + 1))
