"""The JSON document has the fields of CONTRACT 3 in their order, always valid and ASCII-safe."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from rollout_loaders.document import document, encode
from rollout_loaders.model import (
    Diagnostic,
    Finding,
    Grading,
    Invocation,
    Item,
    Outcome,
    Place,
    Reason,
    Rollout,
    Scored,
    SourceRef,
    StoredPart,
    TextPiece,
    ToolCall,
    Turn,
)
from rollout_loaders.summary import summarise, summary_document

CONTRACT_3 = [
    "schema", "id", "source", "harness", "route", "task", "invocations", "final_answer", "scored", "outcome",
    "attempts", "grading", "attribution", "harness_notes", "health", "usage", "gaps", "findings", "diagnostics",
]  # fmt: skip
NESTED = {
    "source": ["path", "format", "locator", "artifacts"],
    "harness": ["name", "version", "agent", "model"],
    "route": ["gym_reasoning", "forced", "because"],
    "task": ["task_index", "rollout_index", "attempt", "task_id", "prompt"],
    "final_answer": ["text", "turn", "item_id", "stands", "because"],
    "scored": ["reading", "items", "final_text", "final_item_id", "from", "others"],
    "outcome": [
        "status", "failure_kind", "error", "graded", "rule", "because", "because_at", "policy", "readings", "recorded",
    ],
    "grading": [
        "state", "reward", "rule", "failure_reason", "expected", "extracted", "judge_calls", "verdicts", "mask_sample",
        "extras", "because", "because_at",
    ],
    "attribution": [
        "status", "method", "reasons", "call_id", "chain", "chains", "roots", "masked", "mask_rule", "because",
        "because_at",
    ],
    "health": ["verdict", "findings", "unobserved", "source"],
    "usage": ["input", "output", "reasoning", "cached", "cost", "counted_by"],
}  # fmt: skip
TURN = [
    "number", "message_id", "started_at", "completed_at", "partial", "reverted", "input", "reasoning", "answer",
    "tool_calls", "finish", "error", "usage", "retries", "in_context_at_end",
]  # fmt: skip
TOOL_CALL = [
    "id", "call_id", "name", "arguments", "status", "output", "pruned", "error", "started_at", "duration_ms", "child",
]  # fmt: skip


def a_rollout(text: str = "4", reward: float | None = 1.0) -> Rollout:
    call = ToolCall("prt_3", "call_1", "bash", {"command": "echo 4"}, "completed", "4\n")
    turn = Turn(1, "msg_1", answer=(TextPiece("prt_1", text),), tool_calls=(call,))
    item = Item("message", {"type": "message", "role": "assistant"}, "prt_1", "assistant", text)
    part = StoredPart("prt_1", "msg_1", "text", {"type": "text", "text": text})
    reasons = (Reason("Reward 1.", Place("ses_1", 1), "reward"), Reason("Nothing else."))
    return Rollout(
        "3-1",
        SourceRef("run.jsonl", "gym-rollouts", "L1", ("run_failures.jsonl",)),
        invocations=(Invocation("ses_1", turns=(turn,), items=(item,), parts=(part,)),),
        scored=Scored("row", (item,), text, "prt_1", 0, Place("ses_1", 1)),
        outcome=Outcome("completed", because=reasons),
        grading=Grading("graded", reward, because=reasons),
        findings=(Finding("answer-too-long", "warning", "too long", Place("ses_1", 1)),),
        diagnostics=(Diagnostic("bom", "a byte order mark", "L1"),),
    )


def test_the_fields_stand_in_the_order_of_the_contract() -> None:
    made = document(a_rollout())
    assert list(made) == CONTRACT_3
    assert made["schema"] == "rollout-inspect/1"


def test_every_object_has_its_fields() -> None:
    made = json.loads(encode(document(a_rollout())))
    for name, fields in NESTED.items():
        assert set(fields) <= set(made[name]), name
    (invocation,) = made["invocations"]
    assert {"id", "parent_id", "spawned_by", "status", "title", "turns", "compactions", "branches"} <= set(invocation)
    (turn,) = invocation["turns"]
    assert set(TURN) <= set(turn)
    assert set(TOOL_CALL) <= set(turn["tool_calls"][0])
    assert made["findings"] == [
        {
            "code": "answer-too-long",
            "severity": "warning",
            "message": "too long",
            "where": {"invocation": "ses_1", "turn": 1, "item_id": None},
        }
    ]


def test_sentences_are_strings_and_what_they_rest_on_stands_beside_them() -> None:
    grading = json.loads(encode(document(a_rollout())))["grading"]
    assert grading["because"] == ["Reward 1.", "Nothing else."]
    assert grading["because_at"] == [
        {"where": {"invocation": "ses_1", "turn": 1, "item_id": None}, "rests_on": "reward"},
        {"where": None, "rests_on": None},
    ]


def test_items_and_parts_are_there_when_they_are_asked_for() -> None:
    def keys(items: bool, parts: bool) -> set[str]:
        made = json.loads(encode(document(a_rollout(), items=items, parts=parts)))
        return {"items", "parts"} & set(made["invocations"][0])

    assert keys(items=False, parts=False) == set()
    assert keys(items=True, parts=False) == {"items"}
    assert keys(items=False, parts=True) == {"parts"}


def test_a_number_that_is_not_finite_is_null() -> None:
    for reward in (math.nan, math.inf, -math.inf):
        assert json.loads(encode(document(a_rollout(reward=reward))))["grading"]["reward"] is None


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_comes_back_from_ascii_json(text: str) -> None:
    line = encode(document(a_rollout(text)))
    assert line.isascii()
    assert b"\n" not in line
    assert not any(byte < 0x20 or byte == 0x7F for byte in line)
    made = json.loads(line)
    assert made["invocations"][0]["turns"][0]["answer"][0]["text"] == text
    assert made["scored"]["final_text"] == text


def test_a_summary_has_the_fields_of_the_contract_and_findings_as_codes() -> None:
    made = summary_document(summarise(a_rollout("four")))
    assert list(made)[:12] == [
        "id", "source", "harness", "task", "grading", "outcome", "turns", "tool_calls", "final_answer", "findings",
        "usage", "started_at",
    ]  # fmt: skip
    assert made["findings"] == ["answer-too-long"]
    assert made["grading"] == {"state": "graded", "reward": 1.0}
    assert (made["turns"], made["tool_calls"]) == (1, 1)


def test_a_rollout_without_a_conversation_has_unknown_counts_not_zero() -> None:
    made = summary_document(summarise(Rollout("x", SourceRef("x", "atif"))))
    assert (made["turns"], made["tool_calls"]) == (None, None)
    assert made["final_answer"] == {"chars": None, "stands": False}
