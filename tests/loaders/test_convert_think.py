"""The split of a leading think block: gym-semantics 4.7, CONTRACT 4.1 and 4.2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loaders.stored_sessions import message, reply, session

from rollout_loaders.convert.reply import pieces
from rollout_loaders.convert.think import CLOSE, OPEN, split

WORDS = st.text(alphabet="<>/think \n\tab4\u00a0\u2028", max_size=30)
TAGGED = st.lists(st.sampled_from([OPEN, CLOSE, " ", "\n", "r", "4", "<thin", "\x00"]), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>r</think>\n\n4", "r", "4"),
        ("<think>r</think>", "r", ""),
        ("<think>r</think> \n", "r", ""),
        (" <think>r</think>4", None, " <think>r</think>4"),
        ("x <think>r</think> 4", None, "x <think>r</think> 4"),
        ("<think>r", None, "<think>r"),
        ("<think>a</think><think>b</think>4", "a", "<think>b</think>4"),
        ('<think foo="1">a</think>4', None, '<think foo="1">a</think>4'),
        ("<THINK>a</THINK>4", None, "<THINK>a</THINK>4"),
        ("<think></think>4", "", "4"),
        ("</think>4", None, "</think>4"),
        ("", None, ""),
    ],
)
def test_rows_of_the_table(text: str, reasoning: str | None, answer: str) -> None:
    found = split(text)
    assert (found.reasoning, found.answer) == (reasoning, answer)


@given(st.one_of(TAGGED, WORDS, st.text()))
def test_the_stored_text_can_be_put_together_again(text: str) -> None:
    found = split(text)
    if found.reasoning is None:
        assert found.answer == text
        assert not (text.startswith(OPEN) and CLOSE in text)
    else:
        assert OPEN + found.reasoning + CLOSE + found.removed + found.answer == text
        assert CLOSE not in found.reasoning
        assert found.removed.strip() == ""
        assert found.answer == found.answer.lstrip()


@given(TAGGED)
def test_with_the_gate_off_a_text_stays_as_it_is(text: str) -> None:
    stored = session(message("assistant", reply(text)))
    (piece,) = pieces(stored, stored.messages[0], gate=False)
    assert (piece.split.reasoning, piece.split.removed, piece.split.answer) == (None, "", text)


@given(TAGGED)
def test_a_part_is_split_exactly_once(text: str) -> None:
    stored = session(message("assistant", reply(f"<think>a</think><think>b</think>{text}")))
    (piece,) = pieces(stored, stored.messages[0], gate=True)
    assert piece.split.reasoning == "a"
    assert piece.split.answer == f"<think>b</think>{text}"


def test_only_assistant_text_parts_are_split() -> None:
    block = "<think>r</think>4"
    stored = session(message("user", reply(block)), message("assistant", reply(block, kind="reasoning")))
    for stored_message in stored.messages:
        (piece,) = pieces(stored, stored_message, gate=True)
        assert not piece.split.has_block
