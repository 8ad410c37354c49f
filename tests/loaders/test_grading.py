"""The grade as a whole: state beside sentences, places, the split that came later, attempts, real rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests import factories
from tests.loaders.gradings import graded_row
from tests.paths import GYM_ROLLOUTS

from rollout_loaders.evidence.grading import grading_of
from rollout_loaders.evidence.scored_text import PICKS, how_text_was_picked
from rollout_loaders.evidence.verifiers import VERIFIERS
from rollout_loaders.model import (
    Attempt,
    FailureRecord,
    Grading,
    Harness,
    JsonObject,
    Place,
    Rollout,
    Route,
    Scored,
    SourceRef,
)
from rollout_loaders.reader import ReadOptions

BLOCK = "<think>" + "a" * (218_573 - len("<think></think>")) + "</think>"


def said(grading: Grading) -> str:
    return " ".join(reason.text for reason in grading.because)


def failure(**fields: Any) -> FailureRecord:
    values: dict[str, Any] = dict.fromkeys(
        ("failure_class", "failure_kind", "stage", "message", "terminal", "http_status", "exception_type", "delivery")
    )
    values |= {"generation": "newer"} | fields
    return FailureRecord(**values)


def test_a_session_store_is_not_graded() -> None:
    store = Rollout(id="ses_1", source=SourceRef("opencode.db", "opencode-sqlite"), scored=Scored("host-response"))
    grading = grading_of(store)
    assert (grading.state, grading.reward, grading.verifier, grading.recomputed) == ("not_graded", None, None, None)
    assert [reason.text for reason in grading.because] == [
        "No verifier result is recorded beside this session.",
        "A verifier that reads the last message would read the last assistant message of the host response; "
        "there is no assistant message.",
    ]


def test_a_stated_limit_is_held_against_any_text() -> None:
    rollout = graded_row(1.0, {"score": 1.0}, texts=(" 1234567890 ",))
    over = grading_of(rollout, ReadOptions(max_answer_chars=8))
    assert "The scored text has 10 characters, 2 over the stated limit of 8." in said(over)
    assert "within the stated limit of 10" in said(grading_of(rollout, ReadOptions(max_answer_chars=10)))
    assert "limit" not in said(grading_of(rollout))
    assert "limit" not in said(grading_of(graded_row(0.0, texts=()), ReadOptions(max_answer_chars=8)))


def test_grading_carries_the_rows_fields() -> None:
    extras: JsonObject = {"score": 0.5}
    grading = grading_of(graded_row(0.5, extras, failure_reason="odd", mask_sample=False, reward_components={"a": 0.5}))
    assert (grading.reward, grading.failure_reason, grading.mask_sample) == (0.5, "odd", False)
    assert (grading.extras, grading.components, grading.rule) == (extras, {"a": 0.5}, "reward")


def test_a_state_other_than_graded_opens_with_its_cause() -> None:
    grading = grading_of(graded_row(0.0, {"score": 0.0}, failure_kind="provider_unavailable"))
    assert grading.state == "invalid"
    assert grading.because[0].text == (
        "`provider_unavailable` is a failure of the model provider; the reward 0 does not measure the policy."
    )
    assert "no field that says why" not in said(grading_of(graded_row(0.0, failure_kind="session_lost")))
    masked = grading_of(graded_row(0.0, {"score": 0.0}, mask_sample=True))
    assert "`score` is 0" in said(masked)
    assert masked.state == "masked"
    assert "`mask_sample`" in masked.because[0].text


def test_a_reward_that_is_no_number() -> None:
    grading = grading_of(graded_row(None, {"score": 0.0}, has_reward=True, reward_literal="NaN"))
    assert (grading.state, grading.reward) == ("unreadable", None)
    assert "Reward `NaN`" in said(grading)


def test_a_missing_reward_is_never_a_zero() -> None:
    grading = grading_of(graded_row(None))
    assert (grading.state, grading.reward) == ("not_graded", None)
    assert "Reward 0" not in said(grading)


@pytest.mark.parametrize(("rest", "answer"), [("\n\n4", "`4`"), ("", "empty"), ("  \n", "empty")])
def test_a_row_that_predates_the_split(rest: str, answer: str) -> None:
    rollout = graded_row(
        0.0,
        texts=(BLOCK + rest,),
        rollout={"route": Route(True, False, "provider nemo"), "harness": Harness("opencode")},
    )
    sentence = (
        "The scored text starts with a 218,573-character think block: this row predates the split; with the split the "
        f"graded answer would be {answer}."
    )
    reason = next(reason for reason in grading_of(rollout).because if "predates" in reason.text)
    assert reason.text == sentence
    assert reason.where == Place("root", 3, "msg_0")
    assert reason.rests_on == "msg_0"


@pytest.mark.parametrize(
    ("agent", "harness", "route", "phrase"),
    [
        ("opencode_agent", Harness(), Route(), "predates the split"),
        ("opencode_agent", Harness(), Route(), "which the row does not record"),
        ("opencode_agent", Harness(), Route(False, True), "literal text here"),
        ("opencode_agent", Harness("opencode", provider="nemo_gym"), Route(), "literal text here"),
        ("opencode_sandboxed_agent", Harness(), Route(), "literal text here"),
        ("pi_agent", Harness("pi"), Route(), "literal text here"),
        ("claude_code_agent", Harness(), Route(), "literal text here"),
    ],
)
def test_only_opencode_behind_a_model_server_is_split(agent: str, harness: Harness, route: Route, phrase: str) -> None:
    rollout = graded_row(
        0.0, texts=("<think>hm</think>\n\n4",), agent=agent, rollout={"harness": harness, "route": route}
    )
    assert phrase in said(grading_of(rollout))


@pytest.mark.parametrize("text", ["4", " <think>a</think>4", "<think>never closed", "4 <think>a</think>"])
def test_no_leading_block_no_sentence(text: str) -> None:
    rollout = graded_row(0.0, texts=(text,), agent="opencode_agent")
    assert "think block" not in said(grading_of(rollout))


def test_every_way_of_picking_is_named() -> None:
    assert {verifier.picks for verifier in VERIFIERS} <= {*PICKS, "delegated"}


def test_how_text_was_picked() -> None:
    items = (
        factories.message_item("first", ident="m1"),
        factories.reasoning_item("abc"),
        factories.output_item("tool says"),
        factories.message_item("last one", ident="m2"),
    )
    rollout = graded_row(0.0, items=items)
    last = how_text_was_picked(rollout, "last-message")
    assert last.text == (
        "The verifier reads the last assistant message of the row's response: 8 characters (turn 3); left out: "
        "1 reasoning item (3 characters), 1 tool result (9 characters), 1 earlier assistant message (5 characters)."
    )
    assert last.where == Place("root", 3, "m2")
    assert last.rests_on == "m2"
    joined = how_text_was_picked(rollout, "all-messages-joined")
    assert ": 13 characters in 2 messages; left out: 1 reasoning item (3 characters), 1 tool result" in joined.text
    assert "earlier" not in joined.text
    assert "is not recorded; the last assistant message (turn 3) has 8 characters" in how_text_was_picked(rollout).text
    assert "there is no assistant message" in how_text_was_picked(graded_row(0.0, texts=())).text
    host = replace(rollout, scored=replace(rollout.scored, reading="host-response"))
    assert "the host response" in how_text_was_picked(host, "last-message").text


def test_a_sidecar_row_is_its_failure() -> None:
    record = failure(failure_class="timeout_exceeded", message="900s", generation="older")
    grading = grading_of(
        graded_row(0.0, {"error_message": "900s"}, texts=(), source="gym-failures", evidence={"failures": (record,)})
    )
    assert grading.state == "invalid"
    assert grading.because[0].rests_on == "_ng_failure_class"
    assert "Reward 0:" not in said(grading)


def test_a_judge_failure_keeps_the_generation_in_sight() -> None:
    record = failure(failure_class="judge_failed", judge_error="TimeoutError: judge", has_real_response=True)
    grading = grading_of(graded_row(None, texts=("4",), source="gym-failures", evidence={"failures": (record,)}))
    assert (grading.state, grading.reward) == ("not_graded", None)
    assert "`judge_failed`: the judge call failed, and the generation is kept" in said(grading)
    assert "would read the last assistant message of the row's response: 1 character (turn 3)" in said(grading)


def test_failures_of_other_attempts_leave_the_row_graded() -> None:
    record = failure(failure_class="agent_request_failed")
    earlier = Attempt(0, "failure", "L1", "f.jsonl", failure_class="agent_request_failed")
    grading = grading_of(graded_row(1.0, evidence={"failures": (record,)}, rollout={"attempts": (earlier,)}))
    assert grading.state == "graded"
    assert "later attempt" not in said(grading)
    deciding = replace(earlier, attempt=1, decides=True)
    later = grading_of(graded_row(1.0, evidence={"failures": (record,)}, rollout={"attempts": (deciding,)}))
    assert later.state == "graded"
    assert "A later attempt (1) failed (`agent_request_failed`)" in said(later)


def test_a_failure_without_any_row() -> None:
    record = failure(failure_class="unknown", failure_kind="unknown", stage="agent", message="503 busy")
    bare = graded_row(None, evidence={"failures": (record,)})
    grading = grading_of(replace(bare, evidence=replace(bare.evidence, row=None)))
    assert (grading.state, grading.failure_reason) == ("not_graded", "503 busy")
    assert "at stage `agent` (503 busy)" in said(grading)


def said_in(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if isinstance(block.get("text"), str))


def real_rows() -> Iterator[tuple[str, Rollout]]:
    """Every real row with the fields that grading reads, without any reader."""
    named = ("reward", "failure_reason", "failure_kind", "mask_sample", "reward_components", "agent_timed_out")
    passed = {*named, "responses_create_params", "response", "agent_ref", "turns_used", "finished_naturally"}
    for path in sorted(GYM_ROLLOUTS.rglob("*rollout*.jsonl")):
        if "materialized" in path.name or "profiling" in path.name:
            continue
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line.startswith("{"):
                continue
            row: dict[str, Any] = json.loads(line)
            extras = {key: value for key, value in row.items() if key not in passed and not key.startswith("_")}
            response: Any = row.get("response") or {}
            output: list[Any] = response.get("output") or []
            texts = [
                said_in(item["content"]) for item in output if isinstance(item, dict) and item["type"] == "message"
            ]
            agent: Any = row.get("agent_ref") or {}
            yield (
                str(path.relative_to(GYM_ROLLOUTS)),
                graded_row(
                    row.get("reward"),
                    extras,
                    texts=texts,
                    agent=agent.get("name"),
                    failure_reason=row.get("failure_reason"),
                    mask_sample=row.get("mask_sample"),
                    reward_components=row.get("reward_components") or {},
                ),
            )


@pytest.mark.skipif(not GYM_ROLLOUTS.is_dir(), reason="needs the public Gym rollouts beside the repository")
def test_no_real_row_is_contradicted() -> None:
    gradings = [(path, rollout.evidence.row, grading_of(rollout)) for path, rollout in real_rows()]
    assert len(gradings) > 250
    for path, row, grading in gradings:
        assert row is not None
        assert grading.recomputed != "disagrees", path
        assert grading.reward == row.reward, path
        assert grading.state == ("not_graded" if row.reward is None else "graded"), path
        named = [reason.rests_on for reason in grading.because]
        assert any(name not in (None, "reward") for name in named) or "no field that says why" in said(grading), path
    families = {grading.verifier for _, _, grading in gradings}
    assert families >= {
        *("equivalence_llm_judge", "math_with_judge", "mcqa", "code_gen", "simpleqa", "multichallenge"),
        *("instruction_following", "swebench", "anyswe", "deepswe", "image_tools", "swe_pivot"),
    }
