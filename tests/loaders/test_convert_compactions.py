"""Compaction records: gym-semantics 4.4 and 4.7, CONTRACT 4.5, formats 1.6."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from tests.loaders.stored_sessions import call, compact, message, reply, session

from rollout_loaders.convert.compactions import Compactions, compactions
from rollout_loaders.convert.observed import observed
from rollout_loaders.convert.stored import StoredMessage, StoredPart, StoredSession
from rollout_loaders.model import TurnError

FIRST_KEPT = "compaction_first_kept_item_unavailable"


def compacted(
    *tail: StoredPart, role: str = "assistant", tail_id: str | None = "msg_01", after: Sequence[StoredMessage] = ()
) -> StoredSession:
    """user, the tail message, the compaction order that keeps it, its summary, the continue prompt, what follows."""
    return session(
        message("user", reply("q")),
        message(role, *tail),
        message("user", compact(tail=tail_id), id="msg_02"),
        message("assistant", reply("SUMMARY"), summary=True, parent_id="msg_02"),
        message("user", reply("Continue", synthetic=True)),
        *after,
    )


def records(stored: StoredSession, gate: bool = True, activation: set[str] | None = None) -> Compactions:
    return compactions(stored, observed(stored, gate=gate, activation=activation).first_items)


TAILS: dict[str, tuple[list[StoredPart], str, str]] = {
    "split, with answer": ([reply("<think>r</think>4")], "prt_01_0-reasoning", "prt_01_0"),
    "split, reasoning only": ([reply("<think>r</think>"), call("c")], "prt_01_0-reasoning", "prt_01_0"),
    "plain": ([reply("4")], "prt_01_0", "prt_01_0"),
    "typed reasoning first": ([reply("r", kind="reasoning"), reply("4")], "prt_01_0", "prt_01_0"),
    "tool first": ([call("call_7"), reply("4")], "call_7", "call_7"),
    "empty block, then a call": ([reply("<think></think>"), call("call_7")], "call_7", "prt_01_0"),
}


@pytest.mark.parametrize("name", TAILS)
@pytest.mark.parametrize("activation", [None, {"msg_02", "msg_03", "msg_04"}, {"msg_01"}])
def test_first_kept_item_is_the_same_from_a_full_pass_and_from_an_activation(
    name: str, activation: set[str] | None
) -> None:
    parts, split_id, raw_id = TAILS[name]
    stored = compacted(*parts)
    for gate, expected in ((True, split_id), (False, raw_id)):
        found = records(stored, gate, activation)
        assert [record.first_kept_item_id for record in found.records] == [expected]
        assert FIRST_KEPT not in {gap.code for gap in found.gaps}
        full = observed(stored, gate=gate).items
        assert expected in {item.id for item in full}


def test_an_activation_limits_the_items_only() -> None:
    stored = compacted(reply("<think>r</think>4"), after=[message("assistant", reply("5"))])
    later = observed(stored, gate=True, activation={"msg_05"})
    assert [item.text for item in later.items] == ["5"]
    assert later.first_items == observed(stored, gate=True).first_items


@pytest.mark.parametrize(
    ("role", "tail_id", "detail"), [("user", "msg_01", "msg_01"), ("assistant", None, None), ("assistant", "x", "x")]
)
def test_a_user_or_missing_tail_has_no_item_and_the_gap(role: str, tail_id: str | None, detail: str | None) -> None:
    stored = compacted(reply("4"), role=role, tail_id=tail_id, after=[message("assistant", reply("5"))])
    found = records(stored)
    (record,) = found.records
    assert record.first_kept_item_id is None
    assert [(gap.code, gap.detail) for gap in found.gaps if gap.code == FIRST_KEPT] == [(FIRST_KEPT, detail)]
    assert record.first_kept_turn == (1 if role == "user" else 2)


def test_a_missing_tail_without_a_later_turn_keeps_no_turn() -> None:
    (record,) = records(compacted(reply("4"), tail_id=None)).records
    assert (record.first_kept_turn, record.after_turn) == (None, 1)
    assert record.kept_nothing
    assert not record.leaves_open
    (dangling,) = records(compacted(reply("4"), tail_id="gone")).records
    assert dangling.leaves_open


def test_an_assistant_tail_keeps_its_own_turn() -> None:
    (record,) = records(compacted(reply("4"), after=[message("assistant", reply("5"))])).records
    assert (record.first_kept_turn, record.after_turn) == (1, 1)


def test_gaps_that_gym_always_records() -> None:
    codes = [gap.code for gap in records(compacted(reply("4"))).gaps]
    assert codes == ["compaction_token_counts_unavailable", "compaction_model_call_boundary_unavailable"]


def with_summaries(*summaries: StoredMessage) -> Compactions:
    return records(session(message("user", compact(), id="msg_00"), *summaries))


def summary(text: str | None, **fields: object) -> StoredMessage:
    parts = [] if text is None else [reply(text)]
    return message("assistant", *parts, summary=True, **{"parent_id": "msg_00", **fields})


@pytest.mark.parametrize(
    ("given", "outcome", "text", "error"),
    [
        ([summary("S")], "completed", "S", None),
        ([], "unknown", None, None),
        ([summary("", time_completed=None, finish=None)], "unknown", None, None),
        ([summary("half", time_completed=None, finish=None)], "unknown", "half", None),
        ([summary(None, error=TurnError("APIError", "503 busy", 503), finish=None)], "failed", None, "503 busy"),
        ([summary(None, error=TurnError("ContextOverflowError", None))], "failed", None, "ContextOverflowError"),
        ([summary("<think>r</think>S")], "completed", "<think>r</think>S", None),
    ],
)
def test_outcome_summary_and_error(
    given: list[StoredMessage], outcome: str, text: str | None, error: str | None
) -> None:
    (record,) = with_summaries(*given).records
    assert (record.outcome, record.summary, record.error) == (outcome, text, error)


def test_two_summaries_of_one_compaction_are_both_shown_and_called_ambiguous() -> None:
    found = with_summaries(summary("one"), summary("two"))
    assert [record.summary for record in found.records] == ["one\ntwo"]
    assert "compaction_summary_ambiguous" in {gap.code for gap in found.gaps}


def test_a_summary_that_no_compaction_asked_for_is_a_record_of_its_own() -> None:
    found = with_summaries(summary("S"), summary("stray", parent_id="msg_gone"))
    assert [(record.summary, record.trigger) for record in found.records] == [("S", "automatic"), ("stray", None)]


def test_a_reverted_compaction_is_marked_and_keeps_no_context() -> None:
    stored = compacted(reply("4"))
    found = records(session(*stored.messages, revert_message_id="msg_02"))
    assert (found.records[0].reverted, found.kept_from) == (True, None)


def test_orders_that_nothing_follows_take_linear_time() -> None:
    def seconds(orders: int) -> float:
        stored = session(message("assistant", reply("one")), *(message("user", compact()) for _ in range(orders)))
        started = time.process_time()
        found = compactions(stored, {}).records
        taken = time.process_time() - started
        assert {(record.after_turn, record.first_kept_turn) for record in found} == {(1, None)}
        return taken

    seconds(100)
    few = min(seconds(1_000) for _ in range(3))
    assert seconds(10_000) < 40 * few + 0.2  # quadratic would be 100 times
