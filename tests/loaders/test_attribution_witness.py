"""The content witness recomputed on canonical content (gym-semantics 8.4; seed 000's two clean captured roots)."""

from __future__ import annotations

from typing import Any

from tests.factories import call_item, message_item, output_item, reasoning_item, rollout, turn

from rollout_loaders.evidence.attribution import attribution_of
from rollout_loaders.evidence.authored import canonical_arguments, trailing_run, whole
from rollout_loaders.evidence.harness_notes import HARNESS_NOTES
from rollout_loaders.evidence.witness import READINGS, Witness, witness_of
from rollout_loaders.model import (
    CapturedMessage,
    Evidence,
    Item,
    JsonObject,
    ModelCall,
    Rollout,
    RowRecord,
    Scored,
    TokenEntry,
)

THINK = "<think>two and two</think>\n\n4"


def captured(call_id: str, *items: Item) -> TokenEntry:
    return TokenEntry(
        call_id=call_id,
        parent_call_id=None,
        parent_resolution="root",
        parent_reason=None,
        response_id=None,
        created_at=None,
        prompt_tokens=None,
        generated_tokens=None,
        output_items=tuple(item.data for item in items),
    )


def scored(*items: Item, entries: tuple[TokenEntry, ...] = (), **evidence: Any) -> Rollout:
    return rollout(
        turn(1, answer="4"), scored=Scored(items=items), evidence=Evidence(token_entries=entries, **evidence)
    )


def witness(*items: Item, entries: tuple[TokenEntry, ...] = (), **evidence: Any) -> Witness:
    found = witness_of(scored(*items, entries=entries, **evidence))
    assert found is not None
    return found


def matches(found: Witness) -> dict[str, tuple[str, ...]]:
    return {reading.id: reading.matches for reading in found.readings}


TWO_ROOTS = (captured("title", message_item("A sum")), captured("main", message_item(THINK)))


def test_the_unsplit_response_is_attributed_to_its_call() -> None:
    found = witness(message_item(THINK), entries=TWO_ROOTS)
    assert found.matches == ("main",)
    assert found.nearest is None


def test_the_split_response_matches_nothing_and_would_have_without_the_block() -> None:
    found = witness(reasoning_item("two and two"), message_item("4"), entries=TWO_ROOTS)
    assert found.matches == ()
    assert found.without_think == ("main",)
    assert found.nearest is not None
    assert found.nearest.call_id == "main"
    assert found.nearest.captured.startswith("<think>")
    assert found.nearest.scored == "4"


def test_the_nearest_is_the_call_that_only_its_think_block_keeps_from_matching() -> None:
    request = (CapturedMessage("user", "go", True), CapturedMessage("assistant", "first", True))
    found = witness(
        message_item("first"),
        message_item("4"),
        entries=(captured("c1", message_item("first")), captured("c2", message_item(THINK))),
        model_calls=(ModelCall("c2", 1, request_messages=request),),
    )
    assert found.without_think == ("c2",)
    assert found.nearest is not None
    assert (found.nearest.call_id, found.nearest.at) == ("c2", len("first\n"))


def test_a_difference_that_is_no_think_block_is_said_to_be_another() -> None:
    found = witness(message_item("5"), entries=TWO_ROOTS)
    assert found.without_think == ()
    row = RowRecord(
        reward=0.0,
        reward_literal=None,
        has_reward=True,
        token_capture={"terminal_attribution": {"method": "none", "reason": "no_content_match"}},
    )
    told = attribution_of(scored(message_item("5"), entries=TWO_ROOTS, row=row))
    assert "Ignoring a leading think block would not have made it match." in [reason.text for reason in told.because]


def test_each_reading_has_its_own_match() -> None:
    assert [rule.id for rule in READINGS] == ["cumulative", "whole-output", "trailing-run"]
    call = call_item("bash", {"command": "ls"})
    output = (message_item("first"), call, output_item("a.txt"), message_item("done"))
    request = (
        CapturedMessage("user", "go", True),
        CapturedMessage("assistant", "first", False, (call.data,)),
        CapturedMessage("tool", "a.txt", True),
    )
    calls = (ModelCall("c2", 0, request_messages=request),)
    last = (captured("c1", message_item("first"), call), captured("c2", message_item("done")))
    found = witness(*output, entries=last, model_calls=calls)
    assert matches(found) == {"cumulative": ("c2",), "whole-output": (), "trailing-run": ("c2",)}
    one = (captured("c1", message_item("done")),)
    assert matches(witness(message_item("done"), entries=one))["whole-output"] == ("c1",)


def test_a_harness_note_is_no_part_of_what_the_model_wrote() -> None:
    note = CapturedMessage("assistant", HARNESS_NOTES[0].text, True)
    request = (CapturedMessage("user", "go", True), CapturedMessage("assistant", "first", True), note)
    calls = (ModelCall("c2", 0, request_messages=request),)
    found = witness(
        message_item("first"),
        message_item("done"),
        entries=(captured("c2", message_item("done")),),
        model_calls=calls,
    )
    assert matches(found)["cumulative"] == ("c2",)


def test_the_cumulative_reading_needs_captured_requests() -> None:
    found = witness(message_item("done"), entries=(captured("c1", message_item("done")),))
    assert {reading.id: reading.checkable for reading in found.readings} == {
        "cumulative": False,
        "whole-output": True,
        "trailing-run": True,
    }
    told = attribution_of(scored(message_item("done"), entries=(captured("c1", message_item("done")),)))
    assert any(reason.text.startswith("Not checkable: the cumulative reading") for reason in told.because)


def test_reasoning_user_and_tool_items_are_ignored_and_an_empty_text_adds_nothing() -> None:
    output = [reasoning_item("r").data, message_item("").data, message_item("hi", "user").data, message_item("4").data]
    assert whole(output) == (("text", "4"),)
    assert trailing_run([message_item("a").data, output_item("x").data, reasoning_item("r").data]) == ()


def test_arguments_are_compared_by_value() -> None:
    assert canonical_arguments('{"b": 1, "a": 2}') == canonical_arguments({"a": 2, "b": 1})
    assert canonical_arguments("not json") == "not json"
    deep = "[" * 100_000
    assert canonical_arguments(deep) == deep
    left = witness(call_item("bash", {"a": 1, "b": 2}), entries=(captured("c", call_item("bash", {"b": 2, "a": 1})),))
    assert left.matches == ("c",)


def test_chat_and_messages_tool_calls_are_the_same_call() -> None:
    chat: JsonObject = {"id": "x", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
    call = ModelCall("c", 0, response_captured=True, response_tool_calls=(chat,))
    assert witness(call_item("bash", {"command": "ls"}), model_calls=(call,)).matches == ("c",)


def test_nothing_captured_or_nothing_written_is_no_witness() -> None:
    assert witness_of(scored(message_item("4"))) is None
    assert witness_of(scored(reasoning_item("r"), entries=TWO_ROOTS)) is None
    uncaptured = ModelCall("c", 0, response_captured=False)
    assert witness_of(scored(message_item("4"), model_calls=(uncaptured,))) is None


def test_a_record_that_the_comparison_contradicts_is_said() -> None:
    row = RowRecord(
        reward=0.0,
        reward_literal=None,
        has_reward=True,
        token_capture={"terminal_attribution": {"method": "none", "reason": "no_content_match"}},
    )
    told = attribution_of(scored(message_item(THINK), entries=TWO_ROOTS, row=row))
    texts = [reason.text for reason in told.because]
    assert "Compared again by content, the scored output equals call `main` (content_output)." in texts
    assert any("do not agree" in text for text in texts)
