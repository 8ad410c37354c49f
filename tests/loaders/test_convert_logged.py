"""The core of conversations with roles of their own: pairing by place, ids, sums."""

from __future__ import annotations

import time

from rollout_loaders.convert.logged import LoggedConversation, Result, summed
from rollout_loaders.model import InputMessage, ToolCall, Turn


def call(ident: str | None, place: str) -> ToolCall:
    return ToolCall(place, ident, "bash", {}, "unknown")


def test_a_result_goes_to_the_latest_turn_and_there_to_the_first_call() -> None:
    conversation = LoggedConversation("root")
    for number in (1, 2):
        draft = conversation.turn(f"m{number}")
        for place in ("a", "b"):
            conversation.call(draft, call("same", f"{number}{place}"))
    answered = [conversation.result("same", Result(text), f"r{text}") for text in ("1", "2", "3", "4")]
    assert answered == [2, 2, 1, 1]
    outputs = [[c.output for c in draft.calls] for draft in conversation.drafts]
    assert outputs == [["3", "4"], ["1", "2"]]


def test_a_result_without_a_call_is_shown_as_what_came_in() -> None:
    conversation = LoggedConversation("root")
    assert conversation.result("nobody", Result("text of it"), "r") is None
    (message,) = conversation.trailing
    assert (message.role, message.kind) == ("tool", "orphan-tool-result")
    assert "text of it" in message.text


def test_ids_are_used_once() -> None:
    conversation = LoggedConversation("root")
    assert [conversation.unused("x") for _ in range(3)] == ["x", "x.2", "x.3"]
    assert conversation.unused("x.2") == "x.2.2"


def test_repeated_ids_and_calls_take_linear_time() -> None:
    conversation = LoggedConversation("root")
    draft = conversation.turn("m")
    started = time.process_time()
    for _ in range(20_000):
        conversation.call(draft, call("same", "same"))
    for _ in range(20_000):
        conversation.result("same", Result("x"), "same")
    assert time.process_time() - started < 3
    assert all(c.output == "x" for c in draft.calls)


def test_a_reply_without_any_text_is_a_turn_and_emits_nothing() -> None:
    conversation = LoggedConversation("root")
    first = conversation.turn("a")
    conversation.answer(first, "a.0", "4")
    conversation.incoming(InputMessage("u", "user", "Sure?"))
    second = conversation.turn("b")
    conversation.reason(second, "b.0", "   ")
    conversation.answer(second, "b.1", "")
    made = conversation.invocation()
    assert [turn.answer_text for turn in made.turns] == ["4", ""]
    assert [item.type for item in conversation.output] == ["message"]


def test_a_sum_over_turns_that_do_not_all_say_a_number_is_unknown() -> None:
    turns = [
        Turn(1, "a", usage={"input": 10, "output": 1, "cached": 5}),
        Turn(2, "b", usage={"input": 20, "output": 2, "cached": None}),
        Turn(3, "c"),
    ]
    total = summed(turns, "them")
    assert (total.input, total.output, total.cached, total.cost) == (30, 3, None, None)
    assert total.counted_by == "them; 1 of 3 turns hold no counts"
    assert summed([Turn(1, "a")], "them").counted_by is None
