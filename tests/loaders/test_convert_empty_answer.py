"""The empty-answer rule over generated messages (CONTRACT 4.4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.loaders.stored_sessions import call, mark, message, reply, session

from rollout_loaders.convert.host_response import host_response
from rollout_loaders.convert.observed import observed
from rollout_loaders.convert.reply import pieces
from rollout_loaders.convert.session_output import session_output
from rollout_loaders.convert.session_rollout import StoredRollout, rollout_of
from rollout_loaders.convert.stored import PartOrder, StoredPart, StoredSession
from rollout_loaders.model import SourceRef

PARTS = st.one_of(
    st.sampled_from(["<think>r</think>", "<think></think>", "<think>r</think>\n", "", " "]).map(reply),
    st.sampled_from(["<think>r</think>final", "final", " <think>x</think>", "<think>open"]).map(reply),
    st.sampled_from(["typed"]).map(lambda words: reply(words, kind="reasoning")),
    st.just(call()),
    st.sampled_from(["step-start", "step-finish"]).map(mark),
)
MESSAGES = st.lists(PARTS, max_size=6)


def conversation(parts: list[StoredPart]) -> StoredSession:
    return session(
        message("user", reply("q")),
        message("assistant", reply("EARLIER"), call("c0")),
        message("assistant", *parts),
    )


def only_block(part: StoredPart) -> bool:
    """A text part that is nothing but its block."""
    text = part.text or ""
    return part.type == "text" and text.startswith("<think>") and text.strip().endswith("</think>")


def has_answer(part: StoredPart) -> bool:
    return part.type == "text" and bool((part.text or "").strip()) and not only_block(part)


def keeps_empty(parts: list[StoredPart]) -> bool:
    """The rule in the words of CONTRACT 4.4: a block-only part, no tool call after the last one, no answer anywhere."""
    blocks = [index for index, part in enumerate(parts) if only_block(part)]
    later_tool = bool(blocks) and any(part.type == "tool" for part in parts[blocks[-1] :])
    return bool(blocks) and not later_tool and not any(has_answer(part) for part in parts)


@given(MESSAGES)
def test_one_empty_answer_at_the_last_block_or_none(parts: list[StoredPart]) -> None:
    stored = conversation(parts)
    kept = [piece for piece in pieces(stored, stored.messages[-1], gate=True) if piece.empty_answer]
    assert len(kept) == keeps_empty(parts)
    if kept:
        blocks = [part.id for part in stored.messages[-1].parts if only_block(part)]
        assert kept[0].part.id == blocks[-1]


@given(MESSAGES)
def test_an_earlier_answer_never_becomes_the_final_one(parts: list[StoredPart]) -> None:
    given_rollout = StoredRollout((conversation(parts),), PartOrder.ROW_TIME, SourceRef("x", "y"), "host-response")
    rollout = rollout_of(given_rollout)
    assert rollout.final_answer.turn == 2
    assert "EARLIER" not in (rollout.final_answer.text or "")
    expected = "\n".join((p.text or "").removeprefix("<think>r</think>") for p in parts if has_answer(p))
    assert rollout.final_answer.text == expected


@given(MESSAGES)
def test_where_an_empty_answer_is_kept_every_reading_ends_in_it(parts: list[StoredPart]) -> None:
    stored = conversation(parts)
    for items in (
        host_response([stored], gate=True),
        session_output(stored, gate=True).items,
        observed(stored, gate=True).items,
    ):
        last = [item.text or "" for item in items if item.is_assistant_message][-1]
        if keeps_empty(parts):
            assert last.strip() == ""
        if any(has_answer(part) for part in parts):
            assert last != "EARLIER"


@given(MESSAGES)
def test_nothing_is_added_with_the_gate_off(parts: list[StoredPart]) -> None:
    stored = conversation(parts)
    assert not any(piece.empty_answer for piece in pieces(stored, stored.messages[-1], gate=False))
    spoken = [item.text for item in observed(stored, gate=False).items if item.is_assistant_message]
    assert spoken == ["EARLIER", *(part.text for part in parts if part.type == "text" and (part.text or "").strip())]
