"""The stored lens: every part verbatim, in store order, think tags and all."""

from __future__ import annotations

from tests.factories import ROOT, branch, compaction, invocation, part, rollout, turn

from rollout_loaders.model import JsonValue, Place, Rollout, Scored, StoredPart, TextPiece
from rollout_views.transcript import blocks, lens_problem, open_lens, sections

THINK = "<think>\nThe check passed.\n</think>"


def stored(*parts: StoredPart) -> Rollout:
    root = invocation(
        turn(1, reasoning=[TextPiece("p1-reasoning", "The check passed.")], answer=[TextPiece("p1", "")]), parts=parts
    )
    return rollout(
        invocations=(root,),
        scored=Scored("host-response", (), "", "msg-1", 0, Place(ROOT, 1, "p1")),
    )


def test_text_is_verbatim_and_says_that_the_observed_lens_takes_something_out() -> None:
    r = stored(part("p1", text=THINK, role="assistant", turn=1))
    text = next(block for block in blocks(r, "stored") if block.label == "text")
    assert text.body == THINK
    assert text.badge == "◆ scored"
    assert "stored whole" in text.mark


def test_a_users_think_tag_is_no_split() -> None:
    r = stored(part("p9", text=THINK, role="user"))
    assert next(block for block in blocks(r, "stored") if block.label == "text").mark == ""


def test_messages_are_sections_in_store_order() -> None:
    r = stored(
        part("p0", text="q", message_id="msg_0", role="user"),
        part("p1", text=THINK, role="assistant", turn=1),
        part("p2", "step-finish", data={"reason": "stop"}, role="assistant", turn=1),
    )
    assert [section.title for section in sections(r, "stored")] == [
        "user · text 1",
        "1 assistant · text 34 · step-finish",
    ]


def test_unknown_part_types_are_json() -> None:
    r = stored(part("p1", "hologram", data={"depth": 3}))
    shown = next(block for block in blocks(r, "stored") if block.label == "part")
    assert shown.title == "hologram"
    assert '"depth": 3' in shown.body


def test_fields_beside_the_text_are_shown_too() -> None:
    r = stored(part("p1", text="t", data={"synthetic": True, "time": {"start": 1}}))
    shown = {block.label: block for block in blocks(r, "stored")}
    assert shown["text"].title == "synthetic"
    assert '"start": 1' in shown["fields"].body


def test_a_tool_part_shows_call_result_and_the_rest() -> None:
    state: dict[str, JsonValue] = {
        "status": "completed",
        "input": {"command": "ls"},
        "output": "a\nb",
        "title": "List",
        "time": {"start": 1},
    }
    r = stored(part("p1", "tool", data={"tool": "bash", "callID": "c", "state": state}))
    shown = [(block.label, block.title, block.body) for block in blocks(r, "stored")][1:]
    assert shown[:2] == [("tool", "bash  (completed)", "ls"), ("result", "", "a\nb")]
    assert shown[2][:2] == ("fields", "callID, title, time")
    assert '"title": "List"' in shown[2][2]


def test_a_tool_part_of_another_shape_is_json() -> None:
    r = stored(part("p1", "tool", data={"tool": "bash", "state": "lost"}))
    assert '"state": "lost"' in next(block for block in blocks(r, "stored") if block.label == "part").body


def test_pi_blocks_are_drawn_by_their_own_names() -> None:
    r = stored(
        part("p1", "thinking", data={"thinking": "hm", "thinkingSignature": "s"}),
        part("p2", "toolCall", data={"name": "bash", "arguments": {"command": "ls"}}),
    )
    shown = [(block.label, block.body) for block in blocks(r, "stored")]
    assert ("think", "hm") in shown
    assert ("tool", "ls") in shown


def test_a_graded_summary_carries_the_badge() -> None:
    root = invocation(
        turn(1, answer="a"),
        compactions=(compaction(1, summary="sum", summary_message_ids=("msg_s",)),),
        parts=(part("p5", text="sum", message_id="msg_s", role="assistant"),),
    )
    r = rollout(invocations=(root,), scored=Scored("x", (), "sum", "msg_s", 0, Place(ROOT, None, "msg_s")))
    assert [block.label for block in blocks(r, "stored") if block.badge] == ["text"]


def test_parts_of_abandoned_branches_come_last_and_say_so() -> None:
    root = invocation(
        turn(1, answer="a"), parts=(part("p1", text="a"),), branches=(branch(parts=(part("p2", text="b"),)),)
    )
    shown = list(blocks(rollout(invocations=(root,)), "stored"))
    assert [block.body for block in shown if block.label == "text"] == ["a", "b"]
    assert shown[2].title.startswith("abandoned branch")


def test_the_lens_is_greyed_with_its_reason_where_nothing_is_stored() -> None:
    r = rollout(turn(1, answer="a"))
    assert lens_problem(r, "stored") == "this record (gym-rollouts) holds no parts as the harness stored them"
    assert open_lens(r, "stored") == "observed"


def test_the_next_lens_opens() -> None:
    from tests.factories import message_item

    only_scored = rollout(scored=Scored("row", (message_item("x"),), "x", "item_1", 0), invocations=())
    assert open_lens(only_scored, "observed") == "scored"
    assert open_lens(only_scored, "stored") == "scored"
