"""Messages that a harness sends in the model's name: recognition, places, effects (gym-semantics 8.6; seed 002)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.factories import rollout, turn
from tests.paths import RECORDINGS

from rollout_loaders.evidence.harness_notes import HARNESS_NOTES, notes_of, trailing_note
from rollout_loaders.evidence.harness_notes.effects import EFFECTS
from rollout_loaders.model import (
    CallRef,
    CapturedMessage,
    Evidence,
    HarnessNote,
    Invocation,
    JsonObject,
    ModelCall,
    Rollout,
    RowRecord,
    TokenEntry,
)

NOTE = HARNESS_NOTES[0].text
RECORDED = RECORDINGS / "opencode-1.18.33" / "09b-steps-limit-model-still-calls" / "requests.jsonl"


def said(text: str | None, role: str = "assistant", **fields: Any) -> CapturedMessage:
    return CapturedMessage(role, text, fields.pop("only_text", True), **fields)


def asked(*last: CapturedMessage) -> tuple[CapturedMessage, ...]:
    return (said("What is 2+2?", "user"), *last)


def call(index: int, *, note: bool = False, **fields: Any) -> ModelCall:
    messages = asked(said(NOTE)) if note else asked()
    return ModelCall(call_id=fields.pop("call_id", None), index=index, request_messages=messages, **fields)


def noted(found: Rollout) -> list[tuple[int, int | None]]:
    return [(note.call_index, note.turn) for note in notes_of(found)]


def run(*calls: ModelCall, **fields: Any) -> Rollout:
    turns = fields.pop("turns", tuple(turn(number) for number in (1, 2, 3)))
    refs = fields.pop("call_refs", ())
    row = fields.pop("row", None)
    entries = fields.pop("token_entries", ())
    evidence = Evidence(model_calls=calls, call_refs=refs, row=row, token_entries=entries)
    return rollout(
        invocations=(Invocation(id="ses_1", turns=tuple(turns)), *fields.pop("children", ())), evidence=evidence
    )


# -- recognition -------------------------------------------------------------------------------------------------


def test_the_note_is_the_text_of_the_reference() -> None:
    assert NOTE.startswith("CRITICAL - MAXIMUM STEPS REACHED\n\nThe maximum number of steps allowed for this task")
    assert NOTE.endswith("Any attempt to use tools is a critical violation. Respond with text ONLY.")
    assert NOTE.count("\n") == 15
    assert HARNESS_NOTES[0].releases[-1] == "1.18.33"


@pytest.mark.skipif(not RECORDED.exists(), reason="the recordings lie beside this repository only where it is built")
def test_the_note_is_the_text_on_the_wire() -> None:
    with RECORDED.open(encoding="utf-8") as lines:
        last = [json.loads(line)["body"]["messages"][-1] for line in lines]
    assert [message["content"] == NOTE for message in last] == [False, False, True, True, True]


@pytest.mark.parametrize("text", [NOTE, NOTE + "\n"])
def test_the_exact_text_is_a_note_with_or_without_its_last_newline(text: str) -> None:
    assert trailing_note(asked(said(text))) is HARNESS_NOTES[0]


@pytest.mark.parametrize(
    "messages",
    [
        asked(said(NOTE.replace("CRITICAL", "Critical"))),
        asked(said(NOTE + "\n\nOne more thing.")),
        asked(said("\n" + NOTE)),
        asked(said(NOTE, "user")),
        asked(said(NOTE, "system")),
        asked(said(NOTE), said("and then", "user")),
        asked(said(NOTE, only_text=False)),
        asked(said(NOTE, tool_calls=({"name": "bash"},))),
        asked(said(None)),
        (),
    ],
)
def test_near_misses_are_no_notes(messages: tuple[CapturedMessage, ...]) -> None:
    assert trailing_note(messages) is None


def test_calls_without_a_captured_request_are_passed_over() -> None:
    assert notes_of(run(ModelCall(None, 0))) == ()


# -- which turn --------------------------------------------------------------------------------------------------


def test_a_recorded_reference_names_the_turn() -> None:
    ref = CallRef("c9", None, None, owner="turn", invocation_id="ses_1", turn=2)
    assert noted(run(call(0), call(1, note=True, call_id="c9"), call_refs=(ref,))) == [(1, 2)]


def test_a_response_id_that_a_turn_keeps_names_it() -> None:
    turns = (turn(1, extra={"response_id": "r1"}), turn(2, extra={"response_id": "r2"}))
    assert noted(run(call(0), call(1), call(2, note=True, response_id="r2"), turns=turns)) == [(2, 2)]


def test_a_title_request_does_not_count() -> None:
    calls = (
        call(0, session_id="ses_1", tools_sent=False),
        call(1, session_id="ses_1", tools_sent=True),
        call(2, session_id="ses_1", tools_sent=True, note=True),
        call(3, session_id="ses_1", tools_sent=True, note=True),
    )
    assert noted(run(*calls)) == [(2, 2), (3, 3)]


def test_a_request_belongs_to_the_turn_during_which_it_came() -> None:
    turns = tuple(
        turn(n, started_at=f"2026-01-05T10:0{n}:00.000Z", completed_at=f"2026-01-05T10:0{n}:30.000Z") for n in (1, 2, 3)
    )
    calls = (
        call(0, session_id="ses_1", started_at="2026-01-05T10:01:01Z"),
        call(1, session_id="ses_1", started_at="2026-01-05T10:01:09Z"),  # the same turn, tried again
        call(2, session_id="ses_1", started_at="2026-01-05T10:03:01Z", note=True),
        call(3, session_id="ses_1", started_at="2026-01-05T10:59:00Z", note=True),
    )
    assert noted(run(*calls, turns=turns)) == [(2, 3), (3, None)]


def test_a_subagents_call_belongs_to_the_subagent() -> None:
    child = Invocation(id="ses_2", turns=(turn(1),), parent_id="ses_1")
    notes = notes_of(run(call(0, session_id="ses_2", note=True), children=(child,)))
    assert [(note.invocation, note.turn) for note in notes] == [("ses_2", 1)]


def test_a_call_that_cannot_be_placed_has_no_turn() -> None:
    assert noted(run(call(0, session_id="elsewhere", note=True))) == [(0, None)]


def test_a_request_of_another_rollout_of_the_store_is_not_this_ones() -> None:
    assert noted(run(call(0, session_id="ses_9", note=True, source="requests.jsonl"))) == []
    assert noted(run(call(0, session_id="ses_1", note=True, source="requests.jsonl"), turns=(turn(1),))) == [(0, 1)]


# -- what it does ------------------------------------------------------------------------------------------------


def effect(token_capture: JsonObject | None, **fields: Any) -> HarnessNote:
    row = RowRecord(reward=0.0, reward_literal=None, has_reward=True, token_capture=token_capture)
    return notes_of(run(call(0, note=True), row=row, **fields))[0]


@pytest.mark.parametrize(
    ("row", "token_capture", "words"),
    [
        ("external-staging", {"external_staging": True}, "stay chained: the worker keeps the parent's exact tokens"),
        ("prefix-supply", {"prefix_supply": True}, "stay chained: the parent's exact tokens carry over"),
        ("source-history", {"parent_resolution": "source_history"}, "each call past the limit starts a new chain"),
        ("in-process", {"prefix_supply": False}, "fails closed: the build finds `parent_digest_mismatch`"),
    ],
)
def test_each_way_of_capturing(row: str, token_capture: JsonObject, words: str) -> None:
    text = effect(token_capture).effect
    assert words in text
    others = [other for other in EFFECTS if other.id != row]
    assert len(others) == 3
    assert not any(other.says in text for other in others)


def test_without_a_recorded_way_all_are_named() -> None:
    for note in (effect(None), effect({"chains": 1}), effect(None, token_entries=(_entry(),))):
        assert all(other.says in note.effect for other in EFFECTS)
    assert "No token capture is recorded here" in effect(None).effect
    assert "is not recorded" in effect({"chains": 1}).effect
    assert "is not recorded" in effect(None, token_entries=(_entry(),)).effect


def test_counted_mismatches_are_named() -> None:
    text = effect({"parent_link_failures": {"parent_digest_mismatch": 2}}).effect
    assert text.endswith("The row counts 2 `parent_digest_mismatch`.")


def test_what_is_said_of_every_note() -> None:
    note = effect(None)
    assert (note.harness, note.name, note.role_on_wire, note.forwarded_as) == (
        "opencode",
        "max-steps",
        "assistant",
        "user",
    )
    assert "the model never wrote it and no session store keeps it" in note.effect


def _entry() -> TokenEntry:
    return TokenEntry("c", None, None, None, None, None, None, None, ())
