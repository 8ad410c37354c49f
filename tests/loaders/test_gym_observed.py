"""The observed lens of a row: `ng_agent_observations` and `ng_trajectory` (gym-semantics 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.loaders.gym_evidence import (
    bundle,
    call_part,
    compaction,
    invocation,
    split_reply,
    text_part,
    tool_call,
    tool_round,
    trajectory,
    trajectory_call,
    turn,
)
from tests.loaders.gym_files import one
from tests.samples.gym_rows import message, row

from rollout_loaders.model import Place, Rollout

USER = {"role": "user", "content": "What is 2+2?", "type": "message"}
SPLIT = split_reply("prt_a", "add", "4")


def observed(tmp_path: Path, *records: dict[str, Any], **fields: Any) -> Rollout:
    made = row(0, 0, [message("4", "prt_a")])
    return one(tmp_path, {**made, "ng_agent_observations": bundle(*records), **fields})


def test_a_split_reply_keeps_reasoning_and_answer_apart_with_recorded_ids(tmp_path: Path) -> None:
    rollout = observed(tmp_path, invocation("ses_1", [USER, *SPLIT]))
    assert rollout.root is not None
    (only,) = rollout.root.turns
    assert [(p.id, p.text) for p in (*only.reasoning, *only.answer)] == [("prt_a-reasoning", "add"), ("prt_a", "4")]
    assert not rollout.route.gym_reasoning
    assert "split" in rollout.route.because
    assert rollout.scored.origin == Place("ses_1", 1, "prt_a")
    assert rollout.harness.name == "opencode"


def test_without_split_ids_the_route_says_only_that_the_row_decides(tmp_path: Path) -> None:
    rollout = observed(tmp_path, invocation("ses_1", [USER, message("4", "prt_a")]))
    assert rollout.route.because == "the row records what was scored"


def test_root_first_children_linked_to_the_call_that_spawned_them(tmp_path: Path) -> None:
    child = invocation(
        "ses_2", [message("found", "prt_c")], parent_invocation_id="ses_1", spawned_by_tool_call_id="call_9"
    )
    root = invocation("ses_1", [USER, *tool_round("call_9", "done"), *SPLIT])
    rollout = observed(tmp_path, child, tool_call("ses_1", "call_9", tool_name="task"), root)
    assert [each.id for each in rollout.invocations] == ["ses_1", "ses_2"]
    (call,) = rollout.invocations[0].turns[0].tool_calls
    assert (call.child, call.status, call.duration_ms) == ("ses_2", "completed", 2500)
    assert call.started_at == "1970-01-01T00:00:10.000Z"
    assert rollout.invocations[1].spawned_by == "call_9"


def test_the_childs_answer_is_never_the_final_answer(tmp_path: Path) -> None:
    child = invocation("ses_2", [message("child text", "prt_c")], parent_invocation_id="ses_1")
    rollout = observed(tmp_path, invocation("ses_1", [USER]), child)
    assert rollout.final_answer.text is None


def test_a_tool_record_of_a_repeated_id_goes_to_its_own_call(tmp_path: Path) -> None:
    talk = [*tool_round("c", "1"), *tool_round("c", "2")]
    rollout = observed(
        tmp_path,
        invocation("s", talk),
        tool_call("s", "c"),
        tool_call("s", "c", status="failed", error_type="tool_error"),
    )
    assert rollout.root is not None
    calls = [call for each in rollout.root.turns for call in each.tool_calls]
    assert [(call.output, call.status, call.error) for call in calls] == [
        ("1", "completed", None),
        ("2", "failed", "tool_error"),
    ]


def test_a_compaction_keeps_its_boundary_and_finds_its_turn(tmp_path: Path) -> None:
    talk = [USER, message("early", "prt_0"), {"role": "user", "content": "more"}, *SPLIT]
    rollout = observed(tmp_path, invocation("s", talk), compaction("s", first_kept_item_id="prt_a-reasoning"))
    assert rollout.root is not None
    (made,) = rollout.root.compactions
    assert (made.trigger, made.outcome, made.summary) == ("automatic", "completed", "so far")
    assert (made.first_kept_item_id, made.first_kept_turn) == ("prt_a-reasoning", 2)
    assert [each.in_context_at_end for each in rollout.root.turns] == [False, True]


def test_a_boundary_that_no_item_has_is_kept_and_points_nowhere(tmp_path: Path) -> None:
    rollout = observed(tmp_path, invocation("s", [USER, *SPLIT]), compaction("s", first_kept_item_id="prt_gone"))
    assert rollout.root is not None
    (made,) = rollout.root.compactions
    assert (made.first_kept_item_id, made.first_kept_turn) == ("prt_gone", None)


def test_unknown_records_and_gaps_are_kept(tmp_path: Path) -> None:
    sandbox = {"kind": "sandbox", "role": "agent", "outcome": "oom"}
    made = row(0, 0, [message("4")])
    gap = {"code": "tool_timing_unavailable", "invocation_id": "s", "detail": "c"}
    rollout = one(tmp_path, {**made, "ng_agent_observations": bundle(sandbox, gaps=(gap, {"code": "brand_new"}))})
    assert rollout.extra["observation_records"] == (sandbox,)
    assert [(g.code, g.invocation_id, g.detail) for g in rollout.gaps] == [
        ("tool_timing_unavailable", "s", "c"),
        ("brand_new", None, None),
    ]
    assert rollout.root is not None
    assert rollout.root.id == "root"


def test_evidence_of_an_invocation_that_the_bundle_lost_does_not_vanish(tmp_path: Path) -> None:
    rollout = observed(tmp_path, invocation("s", [USER, *SPLIT]), compaction("lost"))
    assert [each.id for each in rollout.invocations] == ["s", "lost"]
    assert len(rollout.invocations[1].compactions) == 1


def test_an_empty_recorded_root_shows_the_rows_own_conversation_and_says_so(tmp_path: Path) -> None:
    rollout = observed(tmp_path, invocation("s", []))
    assert rollout.root is not None
    assert (rollout.root.id, rollout.root.turns[0].answer_text) == ("s", "4")
    assert "empty" in rollout.notes[0].text
    assert rollout.scored.origin == Place("s", 1, "prt_a")


def test_recorded_turns_say_where_a_turn_ends_and_give_its_message_and_time(tmp_path: Path) -> None:
    talk = [USER, message("look", "prt_1"), *tool_round("c1", "x"), message("and", "prt_2"), message("4", "prt_3")]
    turns = [
        turn("s", 1, "msg_1", [text_part("prt_1", "look"), text_part("prt_2", "and")], [call_part("prt_x", "c1")]),
        turn("s", 2, "msg_2", [text_part("prt_3", "4")], []),
    ]
    rollout = observed(tmp_path, invocation("s", talk), ng_trajectory=trajectory(turns=turns))
    assert rollout.root is not None
    assert [(t.message_id, t.started_at, t.answer_text) for t in rollout.root.turns] == [
        ("msg_1", "1970-01-01T00:00:10.000Z", "look\nand"),
        ("msg_2", "1970-01-01T00:00:11.000Z", "4"),
    ]


def test_recorded_turns_are_evidence_in_every_shape(tmp_path: Path) -> None:
    opencode = turn(
        "s", 1, "msg_1", [text_part("p", "ok")], [call_part("x", "c1")],
        reasoning_content=[{"id": "prt_r", "type": "reasoning", "text": "hm"}],
    )  # fmt: skip
    chat = turn("s", 2, "msg_2", [], [], reasoning_content="thought") | {
        "answer": {"role": "assistant", "content": "done", "tool_calls": [{"id": "c", "function": {"name": "bash"}}]}
    }
    plain = turn("s", 3, "msg_3", [], []) | {"answer": "text", "source_message_id": None}
    items = turn("s", 4, "m", [], []) | {
        "answer": [message("4", "prt"), *tool_round("c", "x")],
        "source_message_id": None,
    }
    rollout = observed(tmp_path, ng_trajectory=trajectory(turns=[opencode, chat, plain, items]))
    assert [(t.number, t.reasoning, t.answer, t.tool_names) for t in rollout.evidence.recorded_turns] == [
        (1, ("hm",), ("ok",), ("bash",)),
        (2, ("thought",), ("done",), ("bash",)),
        (3, (), ("text",), ()),
        (4, (), ("4",), ("bash",)),
    ]
    assert rollout.evidence.recorded_turns[0].message_id == "msg_1"


def test_turns_without_a_conversation_are_shown_as_turns(tmp_path: Path) -> None:
    first = turn("root", 1, "m1", [], [call_part("x", "c1")], question="2+2?", reasoning_content="think")
    last = turn("root", 2, "m2", [text_part("p", "4")], [])
    record = trajectory(
        turns=[first, last],
        invocations=[invocation("root", [])],
        tool_calls=[{**tool_call("root", "c1"), "output": "a.txt"}],
    )
    rollout = one(tmp_path, {**row(0, 0, [message("4")]), "ng_trajectory": record})
    assert rollout.root is not None
    asked, answered = rollout.root.turns
    assert [m.text for m in asked.input] == ["2+2?"]
    assert (asked.reasoning_text, asked.tool_calls[0].output) == ("think", "a.txt")
    assert (answered.answer_text, answered.message_id) == ("4", "m2")


def test_trajectory_state_and_gaps(tmp_path: Path) -> None:
    gap = {"code": "turns_unavailable"}
    valid = observed(tmp_path, ng_trajectory=trajectory(gaps=[gap])).evidence
    assert (valid.trajectory_state, [g.code for g in valid.trajectory_gaps]) == ("valid", ["turns_unavailable"])
    assert observed(tmp_path, ng_trajectory={"turns": 7}).evidence.trajectory_state == "invalid"
    assert observed(tmp_path, ng_trajectory="broken").evidence.trajectory_state == "invalid"
    assert observed(tmp_path).evidence.trajectory_state is None


def test_call_references_name_their_owner(tmp_path: Path) -> None:
    ref = {"model_ref": {"type": "responses_api_models", "name": "policy"}, "response_id": "r1"}
    record = trajectory(turns=[turn("s", 3, "m", [], [], model_calls=[{"model_call_id": "mc1"}])])
    rollout = observed(
        tmp_path,
        invocation("s", [USER, *SPLIT], model_calls=[ref]),
        compaction("s", model_calls=[{"model_call_id": "mc2"}]),
        ng_trajectory=record,
    )
    said = [
        (r.owner, r.invocation_id, r.turn, r.model_call_id, r.response_id, r.model_ref)
        for r in rollout.evidence.call_refs
    ]
    assert said == [
        ("turn", "s", 3, "mc1", None, None),
        ("invocation", "s", None, None, "r1", "responses_api_models/policy"),
        ("compaction", "s", None, "mc2", None, None),
    ]


def test_calls_of_trajectory_and_capture_are_one_record(tmp_path: Path) -> None:
    request = {"messages": [{"role": "user", "content": "2+2?"}], "tools": []}
    answer = {"choices": [{"message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}]}
    capture = {
        "calls": [
            {"model_call_id": "mc1", "client_session_id": "ses_1", "call_index": 0},
            {"model_call_id": "mc2", "call_index": 1},
        ]
    }
    record = trajectory(model_calls=[trajectory_call("mc1", request, answer)])
    calls = observed(tmp_path, ng_trajectory=record, ng_model_call_capture=capture).evidence.model_calls
    assert [(c.call_id, c.session_id, c.tokens_in, c.response_text, c.source) for c in calls] == [
        ("mc1", "ses_1", 5, "4", "ng_trajectory"),
        ("mc2", None, None, None, "ng_model_call_capture"),
    ]
    assert (calls[0].tools_sent, calls[0].response_captured, calls[1].response_captured) == (False, True, False)


def test_a_hostile_bundle_costs_nothing(tmp_path: Path) -> None:
    hostile: list[Any] = [7, "x", [], {"records": 7}, {"records": [None, 7, {"kind": "agent_invocation"}], "gaps": "x"}]
    for broken in hostile:
        rollout = one(tmp_path, {**row(0, 0, [message("4")]), "ng_agent_observations": broken})
        assert rollout.scored.final_text == "4"
