"""Every finding rule fires where it should and keeps quiet where it should not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from tests.paths import REPO

from rollout_loaders.evidence.findings import FINDINGS, SEVERITIES, finding_of, findings_of, findings_table
from rollout_loaders.evidence.harness_notes import HARNESS_NOTES
from rollout_loaders.evidence.task_health import ALL_UNHEALTHY, NO_CALL
from rollout_loaders.model import (
    Attribution,
    Compaction,
    Diagnostic,
    Evidence,
    FailureRecord,
    FinalAnswer,
    Finding,
    Gap,
    Grading,
    HarnessNote,
    Health,
    HealthCheck,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    JudgeCall,
    OtherReading,
    Outcome,
    OutcomeReading,
    Place,
    Reason,
    RecordedTurn,
    Retry,
    Rollout,
    RowRecord,
    Scored,
    SourceRef,
    StoredPart,
    TextPiece,
    TokenEntry,
    ToolCall,
    Turn,
    TurnError,
    Usage,
)
from rollout_loaders.reader import ReadOptions

ROOT, CHILD = "ses_root", "ses_child"


def turn(number: int, answer: str = "", *, think: str = "", tools: int = 0, **fields: Any) -> Turn:
    calls = tuple(ToolCall(f"prt_c{number}{n}", f"call_{number}{n}", "bash", {}, "completed") for n in range(tools))
    return Turn(
        number=number,
        message_id=f"msg_{number}",
        answer=(TextPiece(f"prt_a{number}", answer),) if answer else (),
        reasoning=(TextPiece(f"prt_r{number}", think),) if think else (),
        tool_calls=fields.pop("tool_calls", calls),
        **fields,
    )


def message(text: str, item_id: str = "prt_a1", role: str = "assistant", **fields: Any) -> Item:
    content: JsonValue = [{"type": "output_text", "text": text}]
    data: JsonObject = {"type": "message", "role": role, "id": item_id, "content": content}
    return Item(type="message", data=data, id=item_id, role=role, text=text, **fields)


def other_item(kind: str, text: str = "", **fields: Any) -> Item:
    return Item(type=kind, data={"type": kind}, text=text, **fields)


def scored(text: str, at: int | None = 1, invocation: str = ROOT, item_id: str = "prt_a1", **fields: Any) -> Scored:
    place = Place(invocation, at, item_id)
    item = message(text, item_id, place=place)
    return Scored(
        reading=fields.pop("reading", "host-response"),
        items=(item,),
        final_text=text,
        final_item_id=item_id,
        final_index=0,
        origin=place,
        **fields,
    )


def answered(
    text: str | None = "4", at: int | None = 1, *, stands: bool = True, because: str | None = None
) -> FinalAnswer:
    return FinalAnswer(text=text, turn=at, item_id=None, stands=stands, because=because)


def root(*turns: Turn, **fields: Any) -> Invocation:
    return Invocation(id=fields.pop("name", ROOT), turns=turns or (turn(1, "4"),), status="completed", **fields)


def healthy(**fields: Any) -> Rollout:
    """A run that answered 4 in its only turn and was graded for it, and what the test changes of it."""
    values: dict[str, Any] = {
        "id": ROOT,
        "source": SourceRef("opencode.db", "opencode-sqlite"),
        "invocations": (root(),),
        "final_answer": answered(),
        "scored": scored("4"),
        "outcome": Outcome(status="completed", graded=True, rule="session-stop"),
        "usage": Usage(input=100, output=20),
    }
    return Rollout(**{**values, **fields})


def row(**fields: Any) -> Evidence:
    values: dict[str, Any] = {"reward": 0.0, "reward_literal": None, "has_reward": True}
    return Evidence(row=RowRecord(**{**values, **fields}))


def found(rollout: Rollout, code: str, **options: Any) -> list[Finding]:
    return [finding for finding in findings_of(rollout, ReadOptions(**options)) if finding.code == code]


def said(rollout: Rollout, code: str, **options: Any) -> str:
    return " ".join(finding.message for finding in found(rollout, code, **options))


def test_a_healthy_rollout_has_no_findings() -> None:
    assert findings_of(healthy()) == ()


def test_an_empty_rollout_has_no_findings() -> None:
    assert findings_of(Rollout(id="x", source=SourceRef("p", "f"))) == ()


# -- one positive and one negative case a code --------------------------------------------------------------------

EMPTY_LAST = (turn(1, "4", tools=1), turn(2, think="hm"))
EMPTY: dict[str, Any] = {"invocations": (root(*EMPTY_LAST),), "final_answer": answered("", 2)}
FAILED_LAST = (turn(1, "let me see"), turn(2, error=TurnError("APIError", "503")))
SUMMARY = Compaction("prt_x", "overflow", "completed", "so far", summary_message_ids=("msg_s",), after_turn=1)
SUMMARY_PART = StoredPart("prt_s", "msg_s", "text", {"type": "text", "text": "so far"})
BOUNDARY = replace(SUMMARY, first_kept_item_id="prt_a1")
NOTE = HarnessNote("opencode", "max-steps", HARNESS_NOTES[0].text, 3, 2, "assistant", "user", "", ROOT)
LOOP = tuple(Compaction(f"cmp_{n}", "overflow", "completed", "s", after_turn=1) for n in range(3))
ENTRY = TokenEntry("c1", None, "root", None, None, None, None, None, (message("<think>r</think>\n\n4").data,))
NO_MATCH = Attribution(
    status="no_attribution", reasons=("no_content_match",), masked=False, mask_rule="single-clean-chain"
)
CALLS = (
    ToolCall("prt_1", "call_same", "bash", {}, "completed"),
    ToolCall("prt_2", "call_same", "bash", {}, "completed"),
)

CASES: dict[str, tuple[Rollout, Rollout]] = {
    "empty-final-answer": (healthy(**EMPTY), healthy(final_answer=answered("4"))),
    "no-final-answer": (
        healthy(final_answer=answered("4", stands=False, because="the last turn called tools")),
        healthy(**EMPTY),
    ),
    "earlier-answer-promoted": (healthy(**EMPTY, scored=scored("4")), healthy(**EMPTY, scored=scored("", 2))),
    "scored-text-from-earlier-turn": (
        healthy(invocations=(root(*FAILED_LAST),), final_answer=answered("", 2), scored=scored("let me see")),
        healthy(**EMPTY, scored=scored("4")),
    ),
    "answer-too-long": (
        healthy(evidence=row(failure_reason="final_answer_too_long: 120 characters exceeds 100")),
        healthy(evidence=row(failure_reason="wrong")),
    ),
    "think-block-in-scored-text": (
        healthy(scored=scored("<think>why</think>\n\n4")),
        healthy(scored=scored("I think 4")),
    ),
    "think-block-in-judge-request": (
        healthy(grading=Grading(judge_calls=(JudgeCall("user: <think>r</think>4", "[[A=B]]", "[[A=B]]"),))),
        healthy(grading=Grading(judge_calls=(JudgeCall("user: 4", "[[A=B]]", "[[A=B]]"),))),
    ),
    "scored-text-is-summary": (
        healthy(
            invocations=(root(compactions=(SUMMARY,), parts=(SUMMARY_PART,)),),
            scored=scored("so far", None, item_id="prt_s"),
        ),
        healthy(invocations=(root(compactions=(SUMMARY,), parts=(SUMMARY_PART,)),)),
    ),
    "scored-text-from-subagent": (
        healthy(invocations=(root(), root(name=CHILD)), scored=scored("4", invocation=CHILD)),
        healthy(invocations=(root(), root(name=CHILD))),
    ),
    "scored-text-from-tool-turn": (
        healthy(invocations=(root(turn(1, "4", tools=1)),)),
        healthy(invocations=(root(turn(1, tools=1), turn(2, "4")),), scored=scored("4", 2)),
    ),
    "scored-text-reverted": (
        healthy(invocations=(root(turn(1, "4", reverted=True)),)),
        healthy(invocations=(root(turn(1, "4"), turn(2, "5", reverted=True)),)),
    ),
    "scored-readings-differ": (
        healthy(scored=scored("4", others=(OtherReading("session-output", "", "read as session output"),))),
        healthy(scored=scored("4", others=(OtherReading("session-output", "4", "read as session output"),))),
    ),
    "scored-differs-from-store": (
        healthy(scored=scored("4", reading="row", others=(OtherReading("store:host-response", "5", "as computed"),))),
        healthy(scored=scored("4", reading="row", others=(OtherReading("old-rules", "5", "as computed"),))),
    ),
    "records-disagree": (
        healthy(
            invocations=(root(items=(message("<think>r</think>\n\n4"),)),),
            evidence=Evidence(recorded_turns=(RecordedTurn(ROOT, 1, "msg_1", ("r",), ("4",), ()),)),
        ),
        healthy(
            invocations=(root(items=(other_item("reasoning", "r"), message("4"))),),
            evidence=Evidence(recorded_turns=(RecordedTurn(ROOT, 1, "msg_1", ("r",), ("4",), ()),)),
        ),
    ),
    "compaction-failed": (
        healthy(invocations=(root(compactions=(replace(SUMMARY, outcome="failed", error="503 busy"),)),)),
        healthy(invocations=(root(compactions=(SUMMARY,)),)),
    ),
    "overflow-not-recovered": (
        healthy(invocations=(root(compactions=(replace(SUMMARY, outcome="failed", lone_end=True),)),)),
        healthy(invocations=(root(compactions=(replace(SUMMARY, outcome="failed"),)),)),
    ),
    "compaction-unfinished": (
        healthy(invocations=(root(compactions=(replace(SUMMARY, outcome="unknown"),)),)),
        healthy(invocations=(root(compactions=(SUMMARY,)),)),
    ),
    "compaction-loop": (
        healthy(invocations=(root(compactions=LOOP),)),
        healthy(invocations=(root(compactions=LOOP[:2]),)),
    ),
    "compaction-boundary-unresolved": (
        healthy(gaps=(Gap("compaction_first_kept_item_unavailable", ROOT, "msg_tail"),)),
        healthy(gaps=(Gap("compaction_first_kept_item_unavailable", ROOT, None),)),
    ),
    "compaction-boundary-dangling": (
        healthy(invocations=(root(items=(message("4", "prt_b"),), compactions=(BOUNDARY,)),)),
        healthy(invocations=(root(items=(message("4", "prt_a1"),), compactions=(BOUNDARY,)),)),
    ),
    "outcome-disagrees": (
        healthy(outcome=Outcome("completed", readings=(OutcomeReading("recorded", "failed"),))),
        healthy(outcome=Outcome("completed", readings=(OutcomeReading("recorded", "completed", "unknown"),))),
    ),
    "outcome-readings-differ": (
        healthy(outcome=Outcome("incomplete", readings=(OutcomeReading("events", "failed", "unknown"),))),
        healthy(outcome=Outcome("incomplete", readings=(OutcomeReading("events", "incomplete"),))),
    ),
    "retried-in-place": (
        healthy(invocations=(root(turn(1, "4", retries=(Retry(1, "429 Rate limit"),))),)),
        healthy(),
    ),
    "partial-text-lost": (
        healthy(invocations=(root(turn(1, partial=True)),), final_answer=answered("", stands=False)),
        healthy(invocations=(root(turn(1, "a long partial answe", partial=True)),)),
    ),
    "harness-note-sent": (healthy(harness_notes=(NOTE,)), healthy()),
    "rollout-unhealthy": (
        healthy(health=Health("unhealthy", (HealthCheck("agent_turn_hollow", "turn 2"),))),
        healthy(health=Health("unobserved", (), ("agent_turn_hollow",))),
    ),
    "usage-unknown": (healthy(usage=Usage()), healthy(usage=Usage(input=0, output=0))),
    "invalid-tool-call": (
        healthy(invocations=(root(turn(1, tool_calls=(replace(CALLS[0], invalid=True, error="no such tool"),))),)),
        healthy(invocations=(root(turn(1, tool_calls=CALLS[:1])),)),
    ),
    "tool-interrupted": (
        healthy(invocations=(root(turn(1, tool_calls=(replace(CALLS[0], interrupted=True, status="incomplete"),))),)),
        healthy(invocations=(root(turn(1, tool_calls=(replace(CALLS[0], status="failed"),))),)),
    ),
    "duplicate-call-id": (
        healthy(invocations=(root(turn(1, tool_calls=CALLS)),)),
        healthy(invocations=(root(turn(1, tool_calls=CALLS[:1])), root(turn(1, tool_calls=CALLS[1:]), name=CHILD))),
    ),
    "orphan-tool-result": (
        healthy(invocations=(root(items=(other_item("function_call_output", "a.txt", call_id="call_9"),)),)),
        healthy(
            invocations=(
                root(
                    items=(
                        other_item("function_call", "{}", call_id="call_9"),
                        other_item("function_call_output", "a.txt", call_id="call_9"),
                    )
                ),
            )
        ),
    ),
    "judge-unparsable": (
        healthy(grading=Grading(judge_calls=(JudgeCall("q", "I cannot say", None, data={"verdict_label": None}),))),
        healthy(grading=Grading(judge_calls=(JudgeCall("q", "[[A!=B]]", "[[A!=B]]", "not equal"),))),
    ),
    "reward-contradicts-verdict": (
        healthy(grading=Grading(recomputed="disagrees")),
        healthy(grading=Grading(recomputed="cannot be recomputed")),
    ),
    "reward-unreadable": (healthy(evidence=row(reward=None, reward_literal="NaN")), healthy(evidence=row())),
    "no-content-match": (
        healthy(attribution=NO_MATCH),
        healthy(attribution=replace(NO_MATCH, reasons=("response_id_no_match",))),
    ),
    "masked-multi-chain": (
        healthy(attribution=replace(NO_MATCH, masked=True, mask_rule="multi-chain-fallback", chains=2, roots=2)),
        healthy(attribution=NO_MATCH),
    ),
    "mask-contradicts-capture": (
        healthy(evidence=row(mask_sample=False), attribution=replace(NO_MATCH, mask_rule="multi-chain-fallback")),
        healthy(evidence=row(mask_sample=False), attribution=NO_MATCH),
    ),
    "content-witness-disagrees": (
        healthy(
            evidence=Evidence(token_entries=(ENTRY,)), attribution=NO_MATCH, scored=scored("<think>r</think>\n\n4")
        ),
        healthy(evidence=Evidence(token_entries=(ENTRY,)), attribution=NO_MATCH),
    ),
    **{
        code: (healthy(diagnostics=(Diagnostic(code, "it is so", "L17"),)), healthy(diagnostics=()))
        for code in (
            "line-separator-in-line",
            "wal-missing",
            "artifact-truncated",
            "record-unreadable",
            "artifact-unreadable",
            "database-damaged",
            "evidence-unreadable",
            "torn-line",
            "no-final-newline",
            "non-finite-number",
            "no-roles",
            "identity-missing",
            "identity-repeated",
        )
    },
}


@pytest.mark.parametrize("code", sorted(CASES))
def test_each_rule_fires_and_keeps_quiet(code: str) -> None:
    positive, negative = CASES[code]
    findings = found(positive, code)
    assert findings, f"{code} did not fire"
    assert all(finding.severity == FINDINGS[code].severity for finding in findings)
    assert found(negative, code) == []


def test_every_rule_has_a_case() -> None:
    # Those of whole tasks are tested in test_task_health: one rollout can not show them.
    assert set(CASES) == set(FINDINGS) - {ALL_UNHEALTHY, NO_CALL}


@pytest.mark.parametrize("code", sorted(FINDINGS))
def test_explanations_are_one_sentence(code: str) -> None:
    rule = FINDINGS[code]
    assert rule.severity in SEVERITIES
    assert rule.source
    assert re.fullmatch(r"[A-Z][^|\n]*\.", rule.explanation)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.code)


# -- what the sentences say, and where ---------------------------------------------------------------------------


def test_empty_final_answer_says_what_the_reply_held() -> None:
    assert said(healthy(**EMPTY), "empty-final-answer") == (
        "The final answer is empty: the last reply (turn 2) holds only reasoning."
    )
    recorded = healthy(evidence=row(failure_reason="empty_final_answer"))
    assert "failure_reason empty_final_answer" in said(recorded, "empty-final-answer")
    assert len(found(replace(recorded, **EMPTY), "empty-final-answer")) == 1


def test_a_text_that_does_not_stand_is_not_called_empty() -> None:
    cut = healthy(final_answer=answered("", stands=False, because="the last turn was cut off"))
    assert found(cut, "empty-final-answer") == []
    assert said(cut, "no-final-answer") == "No final answer: the last turn was cut off."


@pytest.mark.parametrize(
    "change",
    [
        {"scored": scored("something else")},  # not that turn's answer
        {"scored": scored("4", None)},  # its turn is not known
        {"scored": scored("4", invocation=CHILD)},  # another conversation's
        {"invocations": (root(turn(1, "4"), turn(2, tools=1)),)},  # the last turn called a tool
        {"invocations": (root(turn(1, "4"), turn(2, error=TurnError("APIError", "503"))),)},
        {"invocations": (root(turn(1, "4"), turn(2, partial=True)),)},
        {"invocations": (root(turn(1, "4"), turn(2, "5")),)},
    ],
)
def test_promotion_is_claimed_only_where_it_is_shown(change: dict[str, Any]) -> None:
    assert found(healthy(**{**EMPTY, "scored": scored("4"), **change}), "earlier-answer-promoted") == []


def test_a_promotion_names_both_turns_and_its_place() -> None:
    (finding,) = found(CASES["earlier-answer-promoted"][0], "earlier-answer-promoted")
    assert "the answer of turn 1" in finding.message
    assert "the last reply (turn 2) holds only reasoning" in finding.message
    assert finding.where == Place(ROOT, 1, "prt_a1")


@pytest.mark.parametrize(("text", "limit", "over"), [("x" * 11, 10, True), ("x" * 10, 10, False), ("  x  ", 1, False)])
def test_a_stated_limit(text: str, limit: int, over: bool) -> None:
    findings = found(healthy(scored=scored(text)), "answer-too-long", max_answer_chars=limit)
    assert bool(findings) is over


def test_a_recorded_limit_says_by_how_much() -> None:
    assert "120 characters, 20 over the limit of 100" in said(CASES["answer-too-long"][0], "answer-too-long")


def test_a_leading_block_is_measured() -> None:
    text = said(healthy(scored=scored("<think>why</think>\n\n4")), "think-block-in-scored-text")
    assert text == "The scored text starts with a think block of 18 characters, 1 character of answer after it."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "so it is 4</think>\n4",
            "10 characters before a closing think tag that nothing opens, and 2 characters after it",
        ),
        ("<think>so it is", "starts with a think block that is never closed"),
        ("\n <think>so</think>4", "starts after white space with a think block"),
        ("<THINK>a</THINK> <think x>b</think> c", "holds a think tag inside its text"),
        ("a <think>b</think> c", "holds a think tag inside its text"),
    ],
)
def test_other_think_tags_are_told_apart(text: str, words: str) -> None:
    assert words in said(healthy(scored=scored(text)), "think-block-in-scored-text")


@pytest.mark.parametrize(
    ("verifier", "label", "data", "fires"),
    [
        ("math_with_judge", None, {"response": {}}, True),
        ("math_with_judge", "[[A=B]]", {"response": {}}, False),
        ("equivalence_llm_judge", None, {"verdict_label": "[[SAME]]"}, False),  # labels are configurable
        ("arena_judge", None, {}, False),  # how its verdicts look is not known
    ],
)
def test_a_missing_verdict_is_claimed_only_where_labels_are_known(
    verifier: str, label: str | None, data: dict[str, Any], fires: bool
) -> None:
    grading = Grading(verifier=verifier, judge_calls=(JudgeCall("q", "B it is", label, data=data),))
    assert bool(found(healthy(grading=grading), "judge-unparsable")) is fires


def test_an_invalid_call_names_the_tool_that_the_model_wanted() -> None:
    call = ToolCall("prt_1", "c", "invalid", {"tool": "no_such_tool", "error": "unknown"}, "completed", invalid=True)
    told = healthy(invocations=(root(turn(1, tool_calls=(call,))),))
    assert said(told, "invalid-tool-call") == "Turn 1 called no_such_tool, which could not be run: unknown"


def test_a_diagnostic_that_names_a_turns_line_has_its_place() -> None:
    where = replace(turn(1, "4"), message_id="L17")
    told = healthy(
        invocations=(root(where),), diagnostics=(Diagnostic("line-separator-in-line", "it would break", "L17"),)
    )
    (finding,) = found(told, "line-separator-in-line")
    assert (finding.where, finding.message) == (Place(ROOT, 1), "it would break (L17)")


def test_pis_verdict_on_its_retry_is_no_failed_compaction() -> None:
    told = CASES["overflow-not-recovered"][0]
    assert found(told, "compaction-failed") == found(told, "compaction-unfinished") == []


def test_a_compactions_summary_is_known_without_its_parts() -> None:
    told = healthy(invocations=(root(compactions=(SUMMARY,)),), scored=scored("so far", None, item_id="msg-3"))
    assert found(told, "scored-text-is-summary")


def test_a_dangling_boundary_names_the_reasoning_item() -> None:
    items = (other_item("reasoning", "r", id="prt_a1-reasoning"), message("4", "prt_a2"))
    told = healthy(invocations=(root(items=items, compactions=(BOUNDARY,)),))
    assert "it should be prt_a1-reasoning" in said(told, "compaction-boundary-dangling")
    tool_first = (other_item("function_call", "{}", call_id="prt_a1"),)
    kept = healthy(invocations=(root(items=tool_first, compactions=(BOUNDARY,)),))
    assert found(kept, "compaction-boundary-dangling") == []


@pytest.mark.parametrize(
    ("items", "recorded"),
    [
        ((message("r"),), ((), ("4",))),
        ((other_item("reasoning", "r"), message("4")), (("r",), ("4",))),
        ((message("4"),), (("something new",), ("else",))),
    ],
)
def test_records_that_say_different_things_do_not_disagree(
    items: tuple[Item, ...], recorded: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    turns = (RecordedTurn(ROOT, 1, "msg_1", recorded[0], recorded[1], ()),)
    told = healthy(invocations=(root(items=items),), evidence=Evidence(recorded_turns=turns))
    assert found(told, "records-disagree") == []


@pytest.mark.parametrize(
    ("items", "recorded", "words"),
    [
        ((message("r"),), (("r",), ()), "the recorded turn has 'r' as reasoning"),
        ((other_item("reasoning", "r"),), ((), ("r",)), "the recorded turn has 'r' as answer"),
        (
            (other_item("reasoning", "r"), message("4")),
            ((), ("<think>r</think>\n\n4",)),
            "'<think>r</think>\\n\\n4' as answer, the observed conversation has 'r' of it as reasoning",
        ),
        (
            (message("<think>r</think>\n\n4"),),
            (("r",), ("4",)),
            "'r' as reasoning, the observed conversation has it in the answer '<think>r</think>\\n\\n4'",
        ),
    ],
)
def test_each_way_in_which_records_class_a_text_differently(
    items: tuple[Item, ...], recorded: tuple[tuple[str, ...], tuple[str, ...]], words: str
) -> None:
    turns = (RecordedTurn(ROOT, 1, "msg_1", recorded[0], recorded[1], ()),)
    told = healthy(invocations=(root(items=items),), evidence=Evidence(recorded_turns=turns))
    assert words in said(told, "records-disagree")


def test_artifacts_that_contradict_each_other() -> None:
    told = healthy(evidence=Evidence(disagreements=("export-0.json has 3 turns, opencode.db has 4.",)))
    assert said(told, "records-disagree") == "export-0.json has 3 turns, opencode.db has 4."


def _compactions(*after: int) -> tuple[Compaction, ...]:
    return tuple(Compaction(f"cmp_{n}", "overflow", "completed", "s", after_turn=turn) for n, turn in enumerate(after))


@pytest.mark.parametrize(
    ("turns", "after", "loops"),
    [
        ((turn(1, "a"), turn(2), turn(3), turn(4, "done")), (1, 2, 3), True),
        ((turn(1, "a"), turn(2, tools=1), turn(3), turn(4, "done")), (1, 2, 3), False),
        ((turn(1, "a"), turn(2, "b"), turn(3, "c"), turn(4, "d")), (1, 2, 3), False),
    ],
)
def test_a_loop_does_nothing_between_its_compactions(
    turns: tuple[Turn, ...], after: tuple[int, ...], loops: bool
) -> None:
    told = healthy(invocations=(root(*turns, compactions=_compactions(*after)),))
    assert bool(found(told, "compaction-loop")) is loops


def test_a_reward_that_contradicts_repeats_the_graders_sentence() -> None:
    because = (Reason("The row says so."), Reason("Reward 1 disagrees with the verdict [[A!=B]]."))
    told = healthy(grading=Grading(recomputed="disagrees", because=because))
    assert said(told, "reward-contradicts-verdict") == "Reward 1 disagrees with the verdict [[A!=B]]."


def test_a_judge_failure_class_is_unparsable() -> None:
    failure = FailureRecord("judge_invalid", None, "verification", None, None, None, None, None, "older")
    assert "judge_invalid" in said(healthy(evidence=Evidence(failures=(failure,))), "judge-unparsable")


def test_no_content_match_names_the_call_that_would_have_matched() -> None:
    told = healthy(evidence=Evidence(token_entries=(ENTRY,)), attribution=NO_MATCH)
    assert said(told, "no-content-match").endswith("Ignoring a leading think block, call `c1` would have matched.")


def test_places_of_tool_findings() -> None:
    (finding,) = found(CASES["duplicate-call-id"][0], "duplicate-call-id")
    assert finding.where == Place(ROOT, 1, "prt_2")
    (note,) = found(CASES["harness-note-sent"][0], "harness-note-sent")
    assert (note.where, "model call 3 (turn 2)" in note.message) == (Place(ROOT, 2), True)


def test_a_diagnostic_of_a_whole_file_is_a_finding_without_a_place() -> None:
    finding = finding_of(Diagnostic("wal-missing", "the database is empty", "opencode.db"))
    assert finding is not None
    assert (finding.code, finding.severity, finding.where) == ("wal-missing", "error", None)
    assert finding_of(Diagnostic("requests-recognised", "no rollout")) is None


# -- the table ---------------------------------------------------------------------------------------------------


def test_the_table_has_a_line_for_every_code() -> None:
    lines = findings_table().splitlines()
    assert lines[:2] == ["| code | severity | what it means |", "|---|---|---|"]
    assert [line.split("`")[1] for line in lines[2:]] == list(FINDINGS)
    assert all(line.count("|") == 4 for line in lines)


def test_the_readme_has_the_table() -> None:
    readme = REPO / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    start, end = "<!-- findings -->", "<!-- /findings -->"
    if start not in text:
        pytest.skip("the README has no findings table yet")
    assert text[text.index(start) + len(start) : text.index(end)].strip() == findings_table()
