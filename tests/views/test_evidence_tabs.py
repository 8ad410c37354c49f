"""The evidence tabs: each says what it has, or in one sentence that it has nothing."""

from __future__ import annotations

import pytest
from tests.factories import ROOT, compaction, note, rollout, think_only, tool_call, turn

from rollout_loaders.model import (
    Attempt,
    Attribution,
    Evidence,
    Finding,
    Gap,
    ModelCall,
    Outcome,
    OutcomeReading,
    Place,
    Reason,
    Retry,
    Rollout,
    RowRecord,
)
from rollout_views.block import Block
from rollout_views.evidence_tabs import TABS, blocks_of, tab_is_empty


def shown(of: Rollout, tab: str) -> list[tuple[str, str]]:
    return [(block.label, block.title) for block in blocks_of(of, tab)]


def one(of: Rollout, tab: str, label: str) -> Block:
    return next(block for block in blocks_of(of, tab) if block.label == label)


@pytest.mark.parametrize("tab", TABS)
def test_no_tab_is_ever_an_empty_area(tab: str) -> None:
    for of in (Rollout("x", rollout().source), rollout(), think_only()):
        assert all(block.title or block.body for block in blocks_of(of, tab))
        assert blocks_of(of, tab)


def test_empty_tabs_are_known() -> None:
    bare = rollout(turn(1, answer="x"))
    empty = [tab for tab in TABS if tab_is_empty(bare, tab)]
    assert empty == ["Attribution", "Compactions", "Notes", "Gaps", "Findings"]


def test_outcome_gives_rule_reasons_other_readings_and_attempts() -> None:
    outcome = Outcome(
        "failed", "unknown", "503", None, "pi-8", (Reason("F is set", Place(ROOT, 1), "L58"),),
        readings=(OutcomeReading("recorded", "completed", None, True, "row"),), recorded={"status": "completed"},
    )  # fmt: skip
    attempt = Attempt(2, "failure", "L1", "f.jsonl", "agent_failed", terminal=True, decides=True)
    lines = shown(rollout(turn(1), outcome=outcome, attempts=(attempt,)), "Outcome")
    assert ("status", "failed (unknown)") in lines
    assert ("rule", "pi-8") in lines
    assert ("because", "F is set") in lines
    assert ("graded", "the run's policy decides, and it is not recorded") in lines
    assert ("reading", "recorded: completed · graded · rule row") in lines
    assert ("attempt", "attempt 2 · failure · agent_failed · terminal · this one decides · f.jsonl#L1") in lines


def test_attribution_explains_each_token_of_the_trail() -> None:
    found = Attribution(
        "no_attribution",
        reasons=("no_content_match",),
        chains=2,
        roots=1,
        masked=True,
        mask_rule="row",
        tree=("a", " b"),
    )
    lines = shown(rollout(turn(1, answer="x"), attribution=found), "Attribution")
    assert ("reason", "no_content_match: no captured call has the scored content") in lines
    assert ("chains", "2 chains, 1 root") in lines
    assert ("masked", "yes, by row") in lines
    assert one(rollout(turn(1), attribution=found), "Attribution", "tree").body == "a\n b"


def test_calls_draw_time_and_leave_unknown_unknown() -> None:
    r = rollout(
        turn(
            1, answer="x", started_at="2026-01-01T10:00:00Z", completed_at="2026-01-01T10:00:10Z", usage={"input": 100}
        ),
        turn(2, tools=(tool_call(started_at="2026-01-01T10:00:10Z", duration_ms=10_000),), retries=(Retry(2, "429"),)),
    )
    calls = one(r, "Calls", "calls")
    first, second, third = calls.body.split("\n")
    assert first[19:43] == "█" * 12 + " " * 12
    assert "10.0s" in first
    assert second[19:43] == " " * 24
    assert third[19:43] == " " * 12 + "█" * 12
    assert ("plot", "in a turn: █·  100 to 100") in shown(r, "Calls")
    assert one(r, "Calls", "retries").body == "turn 2: 429"
    assert one(r, "Calls", "tokens").title == "in · · out · · reasoning · · cached ·"


def test_captured_calls_are_listed() -> None:
    call = ModelCall("c1", 0, "resp_1", tokens_in=1200, duration_ms=99.0, status_code=503, finish_reason="stop")
    r = rollout(turn(1, answer="x"), evidence=Evidence(model_calls=(call,)))
    body = one(r, "Calls", "captured").body
    assert "in 1.2k out · cached ·" in body
    assert "stop HTTP 503  resp_1" in body


def test_compactions_notes_gaps_and_findings() -> None:
    r = rollout(
        turn(1, answer="x"),
        compactions=(compaction(1),),
        harness_notes=(note(),),
        gaps=(Gap("turns_unavailable", ROOT, "msg_9", "no turn for these messages"), Gap("new_code")),
        findings=(Finding("empty-final-answer", "error", "It is empty.", Place(ROOT, 1)),),
    )
    assert ("where", "ses_root · after turn 1") in shown(r, "Compactions")
    assert shown(r, "Notes")[0][0] == "note"
    assert shown(r, "Gaps") == [
        ("gap", "turns_unavailable: no turn for these messages"),
        ("gap", "new_code: a code that the known list of gap codes does not have"),
    ]
    assert one(r, "Gaps", "gap").body == "msg_9"
    assert shown(r, "Findings") == [("error", "empty-final-answer: It is empty.")]
    assert one(r, "Findings", "error").links[0].place == Place(ROOT, 1)


def test_raw_shows_the_row_the_document_and_the_items() -> None:
    row = RowRecord(1.0, None, True, extras={"judge_output": "no"})
    r = rollout(turn(1, answer="x"), evidence=Evidence(row=row), extra={"odd": 1})
    lines = shown(r, "Raw")
    assert ("row", "extras") in lines
    assert ("fields", '{"odd": 1}') in lines
    assert any(label == "item" and "message" in title for label, title in lines)
    assert all(block.folded for block in blocks_of(r, "Raw") if block.body)


def test_raw_does_not_lay_out_a_document_of_a_hundred_thousand_turns() -> None:
    r = rollout(*(turn(number, answer="a") for number in range(1, 2_001)))
    assert any("2,000 turns, printed by show --json" in block.title for block in blocks_of(r, "Raw"))
