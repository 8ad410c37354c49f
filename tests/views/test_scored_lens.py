"""The scored lens: the verifier's items in its order, the graded one marked, a line for what it did not see."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import (
    ROOT,
    call_item,
    invocation,
    message_item,
    output_item,
    reasoning_item,
    rollout,
    tool_call,
    turn,
)

from rollout_loaders.model import Grading, Item, OtherReading, Place, Rollout, Scored, TextPiece
from rollout_views.transcript import blocks, lens_problem, sections


def at(number: int, home: str = ROOT) -> Place:
    return Place(home, number)


TURNS = (
    turn(1, reasoning="r" * 1204, answer="4", tools=(tool_call(output="four"),)),
    turn(2, reasoning=[TextPiece("p-reasoning", "r" * 10)], answer=[TextPiece("p", "")]),
)
HOST = (
    message_item("4", place=at(1)),
    call_item("bash", {"command": "x"}, place=at(1)),
    output_item("four", place=at(1)),
    message_item("", ident="msg-3", place=at(2)),
)


def host_rollout(items: tuple[Item, ...] = HOST, graded: int = 3) -> Rollout:
    text = items[graded].text
    return rollout(*TURNS, scored=Scored("host-response", items, text, items[graded].id, graded, items[graded].place))


def shown(of: Rollout) -> list[str]:
    return [f"{block.label}|{block.title}|{block.body}|{block.badge}" for block in blocks(of, "scored")]


def test_items_in_order_with_the_graded_one_marked_and_what_was_not_seen() -> None:
    assert shown(host_rollout()) == [
        "items|items 1–3 of 4 · turn 1||",
        "unseen|not seen: reasoning, 1,204 characters||",
        "answer||4|",
        "tool|bash|x|",
        "result||four|",
        "items|item 4 of 4 · turn 2||",
        "unseen|not seen: reasoning, 10 characters||",
        "answer|(empty)||◆ scored",
        "end|graded: item 4 of 4, empty (turn 2) (reading: host-response)||",
    ]


def test_what_no_verifier_read_is_not_called_graded() -> None:
    unread = replace(host_rollout(), grading=Grading(state="not_graded"))
    assert shown(unread)[-1] == "end|scored text: item 4 of 4, empty (turn 2) (reading: host-response)||"


def test_reasoning_that_was_handed_over_is_shown_as_outside_the_graded_text() -> None:
    items = (reasoning_item("r" * 10, place=at(2)), message_item("", place=at(2)))
    found = [block for block in blocks(host_rollout(items, 1), "scored") if block.label == "think"]
    assert [block.mark for block in found] == ["in the response; not part of the graded text"]


def test_a_turn_of_which_nothing_was_seen_is_one_line() -> None:
    r = host_rollout((message_item("", place=at(2)),), 0)
    assert sections(r, "scored")[0].title == "turn 1 not seen"
    first = next(iter(blocks(r, "scored")))
    parts = ("reasoning, 1,204 characters", "answer, 1 character", "tool call bash", "result of bash, 4 characters")
    assert first.title == f"not seen: turn 1: {'; '.join(parts)}"


def test_a_subagent_that_was_not_seen_is_named() -> None:
    child = invocation(turn(1, answer="from below"), ident="ses_child", title="search")
    r = rollout(*TURNS, children=(child,), scored=Scored("session-output", HOST, "", "msg-3", 3, at(2)))
    assert "unseen|not seen: subagent search, turn 1: answer, 10 characters||" in shown(r)


def test_interleaved_sessions_keep_the_verifiers_order() -> None:
    child = invocation(turn(1, answer="inner"), ident="ses_child")
    items = (message_item("4", place=at(1)), message_item("inner", place=at(1, "ses_child")), *HOST[1:])
    r = rollout(*TURNS, children=(child,), scored=Scored("host-response", items, "", "msg-3", 4, at(2)))
    answers = [block.body or block.title for block in blocks(r, "scored") if block.label == "answer"]
    assert answers == ["4", "inner", "(empty)"]
    assert "items|item 2 of 5 · turn 1 of subagent ses_child||" in shown(r)


def test_items_without_a_place_are_shown_and_compared_by_their_text() -> None:
    items = tuple(Item(i.type, i.data, i.id, i.role, i.text, i.call_id, i.name) for i in HOST)
    lines = shown(rollout(*TURNS, scored=Scored("row", items, "", "msg-3", 3)))
    assert lines[0] == "items|items 1–4 of 4 · turn not recorded||"
    assert "unseen|not seen: turn 1: reasoning, 1,204 characters||" in lines


def test_nothing_to_grade_says_so() -> None:
    r = rollout(*TURNS, scored=Scored("row", (reasoning_item("x"),)))
    assert shown(r)[-1] == "end|nothing to grade: no assistant message among 1 item||"


def test_no_response_at_all_greys_the_lens_with_its_reason() -> None:
    assert "nothing was handed to a verifier" in str(lens_problem(rollout(scored=Scored()), "scored"))
    assert lens_problem(host_rollout(), "scored") is None


def test_other_readings_are_given() -> None:
    other = OtherReading("session-output", "other text", "it ends in another text", at(1))
    r = rollout(*TURNS, scored=Scored("host-response", HOST, "", "msg-3", 3, at(2), (other,)))
    assert shown(r)[-1] == "reading|session-output: 10 characters; it ends in another text|other text|"


def test_content_that_is_no_text_is_shown_as_recorded() -> None:
    item = Item("message", {"content": [{"type": "refusal", "refusal": "no"}]}, "m", "assistant", None)
    lines = shown(rollout(*TURNS, scored=Scored("row", (item,), None, "m", 0)))
    assert lines[1] == "answer|(no text block)||◆ scored"
    assert '"refusal": "no"' in lines[2]


def test_items_of_any_other_type_are_shown_as_json() -> None:
    item = Item("mcp_call", {"type": "mcp_call", "server": "s"})
    assert any('"server": "s"' in line for line in shown(rollout(*TURNS, scored=Scored("row", (item,)))))


def test_fields_that_no_drawing_shows_are_named() -> None:
    item = Item("message", {"content": [], "generation_token_ids": [1]}, "m", "assistant", "x")
    marks = [block.mark for block in blocks(rollout(*TURNS, scored=Scored("row", (item,))), "scored")]
    assert "more fields in the record: generation_token_ids" in marks
