"""Samples of Gym rows. No recording shows these, so `gym_rows` writes them from gym-semantics, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .gym_rows import (
    call,
    capture_metrics,
    failure_newer,
    failure_older,
    judged,
    message,
    output,
    reasoning,
    response,
    row,
    token_entry,
)
from .recording import write_lines
from .sample import sample

QUESTION = "What is 2+2?"
THINK = "<think>\nTwo and two make four.\n</think>\n\n"


@sample(
    "gym-rows-and-failures",
    "A rollouts file with its failures sidecar",
    "Graded, graded zero, a retried rollout with its history, and two attempts that never "
    "became a row; no failure is drawn as reward 0.",
)
def rows_and_failures(recordings: Path, folder: Path) -> dict[str, Any]:
    rows = [
        row(1, 0, [message("4")], reward=1.0, expected_answer="4",
            judge_evaluations=[judged(QUESTION, "4", "4", "[[A=B]]")]),
        row(1, 1, [message("5")], reward=0.0, expected_answer="4",
            judge_evaluations=[judged(QUESTION, "4", "5", "[[A!=B]]")]),
        {**row(2, 0, [message("4")], reward=1.0, expected_answer="4",
               judge_evaluations=[judged(QUESTION, "4", "4", "[[A=B]]")]), "_ng_attempt_index": 1},
    ]  # fmt: skip
    failures = [
        failure_newer(2, 0, 0, "provider_unavailable", "agent", "503 no server"),
        failure_newer(7, 0, 1, "unknown", "agent", "Context overflow recovery failed: 503 busy"),
        failure_older(8, 0, "timeout_exceeded", "900s", True),
    ]
    write_lines(folder / "rollouts.jsonl", rows)
    write_lines(folder / "rollouts_failures.jsonl", failures)
    return {
        "rollouts": {
            "1-0": {"grading": {"state": "graded", "reward": 1.0}, "scored": {"final_text": "4"}},
            "1-1": {"grading": {"state": "graded", "reward": 0.0, "expected": "4"}},
            "2-0-a1": {"grading": {"state": "graded", "reward": 1.0}, "attempts": {"$len": 2}},
        }
    }


def _split_pair(split: bool) -> list[dict[str, Any]]:
    """The five HLE-like tasks of seed 000: answers behind a think block, one reply that is only its reasoning."""
    rows: list[dict[str, Any]] = []
    for task, answer in enumerate(["4", "9", "16", "25"]):
        question = f"What is {task + 2} times {task + 2}?"
        think = f"<think>\nI multiply {task + 2} by itself.\n</think>"
        text = answer if split else f"{think}\n\n{answer}"
        items = [reasoning(f"\nI multiply {task + 2} by itself.\n"), message(text)] if split else [message(text)]
        # Before the split the block confused the judge once and broke the length limit once (seed 000).
        fields: dict[str, Any] = {"expected_answer": answer, "failure_reason": None}
        if not split and task == 2:
            fields |= {"reward": 0.0, "judge_evaluations": [judged(question, answer, text, "[[A!=B]]")]}
        elif not split and task == 3:
            fields |= {
                "reward": 0.0,
                "judge_evaluations": [],
                "failure_reason": f"final_answer_too_long: {len(text)} characters exceeds 40",
            }
        else:
            fields |= {"reward": 1.0, "judge_evaluations": [judged(question, answer, text, "[[A=B]]")]}
        rows.append(row(task, 0, items, question, **fields))
    only = "<think>\nNothing more to say.\n</think>"
    if split:
        items = [reasoning("\nNothing more to say.\n"), message("")]
        fields = {"reward": 0.0, "failure_reason": "empty_final_answer", "judge_evaluations": []}
    else:
        items = [message(only)]
        fields = {"reward": 0.0, "failure_reason": None, "judge_evaluations": [judged(QUESTION, "4", only, "[[A!=B]]")]}
    rows.append(row(4, 0, items, QUESTION, expected_answer="4", **fields))
    return rows


@sample(
    "split/before",
    "Five rollouts scored before the split: every final answer begins with a think block",
    "5 of 5 final answers and judge requests began with the full reasoning; a think block stays what was scored.",
)
def split_before(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "rollouts.jsonl", _split_pair(split=False))
    begins = {"final_text": {"$re": "^<think>"}}
    found = {"$contains": [{"code": "think-block-in-scored-text"}]}
    return {"rollouts": {f"{task}-0": {"scored": begins, "findings": found} for task in range(5)}}


@sample(
    "split/after",
    "The same five tasks after the split: 0 of 5, and one empty answer scored empty_final_answer",
    "The graded text is the answer alone; a reply that is only its reasoning is scored as empty.",
)
def split_after(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "rollouts.jsonl", _split_pair(split=True))
    answers = {f"{task}-0": {"scored": {"final_text": text}} for task, text in enumerate(["4", "9", "16", "25"])}
    empty: dict[str, Any] = {
        "scored": {"final_text": ""},
        "grading": {"state": "graded", "reward": 0.0, "failure_reason": "empty_final_answer", "judge_calls": []},
        "findings": {"$contains": [{"code": "empty-final-answer"}]},
    }
    return {"rollouts": {**answers, "4-0": empty}}


@sample(
    "token-capture",
    "Token capture and the split: attributed, no_content_match and masked, and a single chain that stays",
    "Two clean roots, one ending in a think block and 4.",
)
def token_capture(recordings: Path, folder: Path) -> dict[str, Any]:
    captured = [token_entry("", "call-a", "A draft.", 1.0), token_entry("", "call-b", f"{THINK}4", 2.0)]
    unsplit = {
        **row(0, 0, [message(f"{THINK}4")], reward=1.0, expected_answer="4",
              judge_evaluations=[judged(QUESTION, "4", f"{THINK}4", "[[A=B]]")]),
        "_ng_token_capture": capture_metrics("content_output", "call-b", "response_id_no_match", "delivered", 2, 2),
    }  # fmt: skip
    split = {
        **row(1, 0, [message("4")], reward=1.0, expected_answer="4",
              judge_evaluations=[judged(QUESTION, "4", "4", "[[A=B]]")]),
        "_ng_token_capture": capture_metrics("none", None, "response_id_no_match,no_content_match", "", 2, 2),
        "mask_sample": True,
    }  # fmt: skip
    single = {
        **row(2, 0, [message("4")], reward=1.0, expected_answer="4",
              judge_evaluations=[judged(QUESTION, "4", "4", "[[A=B]]")]),
        "_ng_token_capture": capture_metrics("none", None, "response_id_no_match,no_content_match", "", 1, 1),
    }  # fmt: skip
    write_lines(folder / "rollouts.jsonl", [unsplit, split, single])
    for task, entries in enumerate([captured, captured, captured[1:]]):
        lines = [{**entry, "rollout_id": f"{task}-0"} for entry in entries]
        write_lines(folder / f"{task}-0.tokens.jsonl", lines)
    return {
        "rollouts": {
            "0-0": {"attribution": {"status": "attributed", "call_id": "call-b", "masked": False}},
            "1-0": {
                "attribution": {
                    "status": "no_attribution",
                    "reasons": ["response_id_no_match", "no_content_match"],
                    "masked": True,
                },
                "grading": {"state": "graded", "reward": 1.0},
                "findings": {"$contains": [{"code": "no-content-match"}, {"code": "masked-multi-chain"}]},
            },
            "2-0": {
                "attribution": {"status": "no_attribution", "chains": 1, "roots": 1, "masked": False},
                "findings": {"$contains": [{"code": "no-content-match"}]},
            },
        }
    }


@sample(
    "reward-validity",
    "A zero that is the policy's, one that is masked, one that is nobody's",
    "A reward that does not measure the policy is never a 0.",
)
def reward_validity(recordings: Path, folder: Path) -> dict[str, Any]:
    generation_only = row(0, 0, [message("A report.")], reward=0.0, mask_sample=True)
    refused = row(1, 0, [message("")], reward=0.0, failure_kind="provider_unavailable", failure_reason="503 no server")
    refused["response"] = response([], status="failed", error={"code": "server_error", "message": "503 no server"})
    unscored = row(2, 0, [message("4")])
    del unscored["reward"]
    not_a_number = row(3, 0, [message("4")], reward=float("nan"))
    wrong = row(4, 0, [message("5")], reward=0.0, expected_answer="4",
                judge_evaluations=[judged(QUESTION, "4", "5", "[[A!=B]]")])  # fmt: skip
    write_lines(folder / "rollouts.jsonl", [generation_only, refused, unscored, not_a_number, wrong])
    states = {"0-0": "masked", "1-0": "invalid", "2-0": "not_graded", "3-0": "unreadable", "4-0": "graded"}
    return {"rollouts": {key: {"grading": {"state": state}} for key, state in states.items()}}


@sample(
    "promoted-answer",
    "An old row in which the verifier graded an earlier turn's answer",
    "The last reply was only reasoning, no empty answer was kept, and 4 of an earlier turn got the credit.",
)
def promoted_answer(recordings: Path, folder: Path) -> dict[str, Any]:
    items = [
        message("4", "msg-0"),
        call("bash", {"command": "echo 4"}, "call_1"),
        output("call_1", "4\n"),
        reasoning("The check passed, nothing more to say.", "rs_2"),
    ]
    evaluations = [judged(QUESTION, "4", "4", "[[A=B]]")]
    write_lines(
        folder / "rollouts.jsonl", [row(0, 0, items, reward=1.0, expected_answer="4", judge_evaluations=evaluations)]
    )
    return {
        "final_answer": {"text": ""},
        "scored": {"final_text": "4", "from": {"turn": 1}},
        "findings": {"$contains": [{"code": "earlier-answer-promoted"}]},
    }


def _bundle(conversation: list[dict[str, Any]], *records: dict[str, Any]) -> dict[str, Any]:
    """3.2, 3.6: an observation bundle of one OpenCode session."""
    root = {"kind": "agent_invocation", "invocation_id": "ses_1", "status": "completed", "model_calls": [],
            "conversation": [{"role": "user", "content": QUESTION, "type": "message"}, *conversation]}  # fmt: skip
    return {"source": "opencode", "records": [root, *records], "gaps": []}


@sample(
    "dangling-boundary",
    "A compaction boundary that names an item nobody emitted",
    "Before a fix the boundary was the bare part id; the item is `prt_a-reasoning`.",
)
def dangling_boundary(recordings: Path, folder: Path) -> dict[str, Any]:
    conversation = [reasoning("add", "prt_a-reasoning"), message("4", "prt_b")]
    compaction = {
        "kind": "context_compaction",  # 3.5
        "invocation_id": "ses_1",
        "observed_at": 20.0,
        "trigger": "automatic",
        "outcome": "completed",
        "summary": "so far",
        "first_kept_item_id": "prt_a",
    }
    observed = {"ng_agent_observations": _bundle(conversation, compaction)}
    rows = [{**row(0, 0, [message("4")], reward=1.0), **observed}]
    write_lines(folder / "rollouts.jsonl", rows)
    return {
        "invocations": [{"compactions": [{"first_kept_item_id": "prt_a"}]}],
        "findings": {"$contains": [{"code": "compaction-boundary-dangling", "message": {"$re": "prt_a-reasoning"}}]},
    }


@sample(
    "records-disagree",
    "Two records of one turn class the same text differently",
    "The turns split the block while the conversation kept it; both are shown.",
)
def records_disagree(recordings: Path, folder: Path) -> dict[str, Any]:
    bundle = _bundle([message(f"{THINK}4", "prt_t")])
    turn = {
        "invocation_id": "ses_1",  # 3.7, 4.5, A.4
        "task_id": "0",
        "rollout_id": "0-0",
        "turn_no": 1,
        "timestamp": 9.5,
        "step_count": 1,
        "source_message_id": "msg_1",
        "reasoning_content": [{"id": "prt_t-reasoning", "type": "reasoning", "text": "\nTwo and two make four.\n"}],
        "answer": [
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "content": [{"id": "prt_t", "type": "output_text", "text": "4"}],
            }
        ],
        "model_calls": [],
    }
    trajectory = {
        "schema_version": "1.0",
        "task_id": "0",
        "rollout_id": "0-0",
        "invocations": bundle["records"],
        "turns": [turn],
        "model_calls": [],
        "tool_calls": [],
        "gaps": [],
    }
    rows = [
        {
            **row(0, 0, [message(f"{THINK}4")], reward=1.0),
            "ng_agent_observations": bundle,
            "ng_trajectory": trajectory,
        }
    ]
    write_lines(folder / "rollouts.jsonl", rows)
    return {"findings": {"$contains": [{"code": "records-disagree"}]}}


def _noted(task: int, capture: dict[str, Any]) -> dict[str, Any]:
    """A row whose captured request ends in OpenCode's step-limit note (8.6), with the model calls of 3.7."""
    request = {
        "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": NOTE, "reasoning": ""},  # 8.6: nothing else in it
        ]
    }
    model_call = {
        "model_call_id": "call-1",
        "started_at": 10.0,
        "completed_at": 11.0,
        "duration_ms": 1000.0,
        "request": request,
        "response": {"choices": [{"message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}]},
        "response_metadata": {"response_id": "chatcmpl-1", "dialect": "chat", "status_code": 200},
        "token_stats": {"prompt_tokens": 210, "completion_tokens": 40},
    }
    root = {"kind": "agent_invocation", "invocation_id": "ses_1", "status": "completed",
            "model_calls": [{"model_call_id": "call-1"}],
            "conversation": [{"role": "user", "content": QUESTION, "type": "message"}, message("4", "prt_t")]}  # fmt: skip
    trajectory = {
        "schema_version": "1.0",
        "task_id": str(task),
        "rollout_id": f"{task}-0",
        "invocations": [root],
        "turns": [],
        "model_calls": [model_call],
        "tool_calls": [],
        "gaps": [],
    }
    return {**row(task, 0, [message("4")], reward=1.0), "ng_trajectory": trajectory, "_ng_token_capture": capture}


NOTE = (
    "CRITICAL - MAXIMUM STEPS REACHED\n\nThe maximum number of steps allowed for this task has been reached. Tools are "
    "disabled until next user input. Respond with text only.\n\nSTRICT REQUIREMENTS:\n1. Do NOT make any tool calls (no "
    "reads, writes, edits, searches, or any other tools)\n2. MUST provide a text response summarizing work done so far\n"
    "3. This constraint overrides ALL other instructions, including any user requests for edits or tool use\n\nResponse "
    "must include:\n- Statement that maximum steps for this agent have been reached\n- Summary of what has been "
    "accomplished so far\n- List of any remaining tasks that were not completed\n- Recommendations for what should be "
    "done next\n\nAny attempt to use tools is a critical violation. Respond with text ONLY."
)


@sample(
    "harness-note-capture",
    "The step-limit note under each way of capturing tokens",
    "The gateway forwards the note as a user message; calls stay chained under external staging and prefix "
    "supply, start new chains under source_history, and fail closed in process without prefix supply.",
)
def harness_note_capture(recordings: Path, folder: Path) -> dict[str, Any]:
    clean = capture_metrics("content_output", "call-1", "response_id_no_match", "delivered", 1, 1)
    chains = capture_metrics("none", None, "no_content_match", "", 3, 3)
    mismatch = {**chains, "parent_link_failures": {"parent_digest_mismatch": 1}, "unresolved_parent_calls": 1}
    write_lines(
        folder / "rollouts.jsonl",
        [
            _noted(0, {**clean, "external_staging": True}),
            _noted(1, {**clean, "prefix_supply": True}),
            _noted(2, {**chains, "parent_resolution": "source_history"}),
            _noted(3, {**mismatch, "prefix_supply": False}),
        ],
    )
    effects = ["stay chained", "stay chained", "new chain", "parent_digest_mismatch"]
    return {
        "rollouts": {
            f"{task}-0": {
                "harness_notes": [
                    {
                        "harness": "opencode",
                        "role_on_wire": "assistant",
                        "forwarded_as": "user",
                        "effect": {"$re": effect},
                    }
                ],
                "findings": {"$contains": [{"code": "harness-note-sent"}]},
            }
            for task, effect in enumerate(effects)
        }
    }


@sample(
    "harness-note-near-miss",
    "An edited note is the model's own text",
    "Only the known text, exactly, with nothing beside it, is a note.",
)
def harness_note_near_miss(recordings: Path, folder: Path) -> dict[str, Any]:
    noted = _noted(0, capture_metrics("content_output", "call-1", "response_id_no_match", "delivered", 1, 1))
    noted["ng_trajectory"]["model_calls"][0]["request"]["messages"][-1]["content"] = NOTE.replace(
        "text ONLY", "text only"
    )
    write_lines(folder / "rollouts.jsonl", [noted])
    return {"harness_notes": []}
