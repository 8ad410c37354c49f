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
    "gym-semantics 1.2, 1.3 and 9.1: graded, graded zero, a retried rollout with its history, and two attempts that never "
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
    "Seed 000: 5 of 5 final answers and judge requests began with the full reasoning; a think block stays what was scored.",
)
def split_before(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "rollouts.jsonl", _split_pair(split=False))
    begins = {"final_text": {"$re": "^<think>"}}
    found = {"$contains": [{"code": "think-block-in-scored-text"}]}
    return {"rollouts": {f"{task}-0": {"scored": begins, "findings": found} for task in range(5)}}


@sample(
    "split/after",
    "The same five tasks after the split: 0 of 5, and one empty answer scored empty_final_answer",
    "Seed 000: the graded text is the answer alone; a reply that is only its reasoning is scored as empty.",
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
    "Seed 000 and gym-semantics 8.3, 8.4: two clean roots, one ending in a think block and 4.",
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
    "CONTRACT 3 (grading.state), seed 003 (generation-only rows): a reward that does not measure the policy is never a 0.",
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
    "Seed 000 (the review's blocker): the last reply was only reasoning, no empty answer was kept, and 4 of an earlier "
    "turn got the credit.",
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
    "Seed 000 (review): before the fix the boundary was the bare part id; the item is `prt_a-reasoning`.",
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
    "Seed 000 (review): the turns split the block while the conversation kept it; both are shown.",
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
