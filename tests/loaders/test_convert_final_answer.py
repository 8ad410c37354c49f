"""The final answer and whether it stands (CONTRACT 3), and what the context still held (gym-semantics 3.5)."""

from __future__ import annotations

from typing import Any

import pytest

from rollout_loaders.convert.context import with_context
from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.model import Compaction, InputMessage, Invocation, TextPiece, ToolCall, Turn, TurnError


def turn(number: int = 1, *answer: str, **fields: Any) -> Turn:
    pieces = tuple(TextPiece(f"prt_{number}_{i}", text) for i, text in enumerate(answer))
    fields.setdefault("finish", "stop")
    return Turn(number=number, message_id=f"msg_{number}", answer=pieces, **fields)


def root(*turns: Turn, compactions: tuple[Compaction, ...] = ()) -> Invocation:
    return Invocation("ses_1", turns=turns, compactions=compactions)


CALL = ToolCall("prt_t", "c1", "bash", {}, "completed")


def test_no_turn_is_null() -> None:
    for empty in (None, root()):
        found = final_answer_of(empty)
        assert (found.text, found.turn, found.item_id, found.stands) == (None, None, None, False)


def test_it_is_the_last_turn_only() -> None:
    found = final_answer_of(root(turn(1, "4"), turn(2)))
    assert (found.text, found.turn, found.item_id, found.stands) == ("", 2, None, True)


def test_non_blank_pieces_are_joined_by_newline_and_not_stripped() -> None:
    found = final_answer_of(root(turn(1, " a ", "", "b\n")))
    assert (found.text, found.item_id) == (" a \nb\n", "prt_1_2")


def test_a_kept_empty_answer_has_its_id() -> None:
    assert final_answer_of(root(turn(1, ""))).item_id == "prt_1_0"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"tool_calls": (CALL,)}, "tools"),
        ({"finish": "tool-calls"}, "tool-calls"),
        ({"finish": "toolUse"}, "toolUse"),
        ({"finish": "length"}, "cut off"),
        ({"partial": True, "finish": None}, "never ended"),
        ({"unfinished": "it has no finish"}, "no finish"),
        ({"finish": "content-filter"}, "refused"),
        ({"finish": "error"}, "failed"),
        ({"finish": "aborted"}, "aborted"),
        ({"error": TurnError("APIError", "503", 503)}, "APIError"),
        ({"reverted": True}, "reverted"),
    ],
)
def test_a_text_that_does_not_stand(fields: dict[str, Any], word: str) -> None:
    found = final_answer_of(root(turn(1, "4", **fields)))
    assert (found.text, found.stands) == ("4", False)
    assert word in (found.because or "")


@pytest.mark.parametrize(
    ("compaction", "stands"),
    [
        (Compaction("c", "overflow", "failed", after_turn=2), False),
        (Compaction("c", "overflow", "aborted", after_turn=2), False),
        (Compaction("c", "automatic", "unknown", after_turn=2), False),
        (Compaction("c", "automatic", "completed", after_turn=2), True),
        (Compaction("c", "automatic", "failed", after_turn=1), True),
        (Compaction("c", "automatic", "failed", after_turn=2, reverted=True), True),
        # Pi would not have answered again after a threshold compaction: formats 2.2, 07a and 07i.
        (Compaction("c", "threshold", "failed", after_turn=2), True),
    ],
)
def test_a_compaction_that_follows(compaction: Compaction, stands: bool) -> None:
    found = final_answer_of(root(turn(1, "3"), turn(2, "4"), compactions=(compaction,)))
    assert (found.text, found.stands, found.because is None) == ("4", stands, stands)


def held(*compactions: Compaction, **fields: Any) -> list[bool | None]:
    turns = (turn(1, "a"), turn(2, "b"), turn(3, "c", **fields))
    return [one.in_context_at_end for one in with_context(root(*turns, compactions=compactions)).turns]


def test_without_compactions_all_is_held() -> None:
    assert held() == [True, True, True]
    assert held(reverted=True) == [True, True, False]


def test_what_compactions_leave() -> None:
    done = Compaction("c", "overflow", "completed", after_turn=2, first_kept_turn=2)
    assert held(done) == [False, True, True]
    nothing_kept = Compaction("c", "overflow", "completed", after_turn=2, kept_nothing=True)
    assert held(nothing_kept) == [False, False, True]
    assert held(Compaction("c", "overflow", "failed", after_turn=2)) == [True, True, True]
    assert held(Compaction("c", "overflow", "unknown", after_turn=2)) == [None, None, True]
    assert held(done, Compaction("d", "overflow", "unknown", after_turn=3)) == [False, None, None]


def test_turns_above_a_compaction_whose_kept_tail_is_not_recorded_are_in_doubt() -> None:
    assert held(Compaction("c", "overflow", "completed", after_turn=2)) == [None, None, True]
    known = Compaction("b", "overflow", "completed", after_turn=1, first_kept_turn=2)
    assert held(known, Compaction("c", "overflow", "completed", after_turn=2)) == [False, None, True]


@pytest.mark.parametrize("outcome", ["completed", "unknown"])
def test_a_compaction_of_unrecorded_place_leaves_every_turn_in_doubt(outcome: str) -> None:
    assert held(Compaction("c", "overflow", outcome, after_turn=None)) == [None, None, None]


def test_inputs_before_a_kept_reply_are_out_and_a_readers_word_stays() -> None:
    first = InputMessage("in_1", "user", "q")
    said = InputMessage("in_2", "user", "q", in_context_at_end=True)
    kept = Compaction("c", "overflow", "completed", after_turn=1, first_kept_turn=1, first_kept_item_id="prt_1_0")
    found = with_context(root(turn(1, "a", input=(first, said)), compactions=(kept,)))
    assert [message.in_context_at_end for message in found.turns[0].input] == [False, True]
    kept_input = Compaction("c", "overflow", "completed", after_turn=1, first_kept_turn=1, first_kept_item_id="in_1")
    found = with_context(root(turn(1, "a", input=(first,)), compactions=(kept_input,)))
    assert [message.in_context_at_end for message in found.turns[0].input] == [True]
