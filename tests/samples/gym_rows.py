"""Gym rows, written field by field; each function names the section of gym-semantics that it follows."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def row(task: int, rollout: int, output: list[Json], question: str = "What is 2+2?", **fields: Any) -> Json:
    """1.2: a success row. Base fields first, then what the collector stamps; `fields` are the verifier's own."""
    return {
        "responses_create_params": {"input": [{"role": "user", "content": question}]},  # 1.2
        "response": response(output),  # 1.2, 2
        "reward": 0.0,  # 1.2
        **fields,
        "_ng_task_index": task,  # 1.2
        "_ng_rollout_index": rollout,  # 1.2
        "agent_ref": {"name": "opencode_agent"},  # 1.2
    }


def response(output: list[Json], status: str = "completed", **fields: Any) -> Json:
    """2: the envelope; usage details null mean unknown."""
    return {
        "id": "resp_1",
        "created_at": 1796050000,
        "model": "lab-model",
        "object": "response",
        "output": output,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "metadata": {},
        "usage": {
            "input_tokens": 210,
            "output_tokens": 40,
            "total_tokens": 250,
            "input_tokens_details": {"cached_tokens": None},
            "output_tokens_details": {"reasoning_tokens": None},
        },
        **fields,
    }


def message(text: str, item_id: str = "msg-0") -> Json:
    """2: output message."""
    content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
    return {"id": item_id, "type": "message", "role": "assistant", "status": "completed", "content": content}


def reasoning(text: str, item_id: str = "rs_1") -> Json:
    """2: reasoning item, text in its summary."""
    return {"id": item_id, "type": "reasoning", "summary": [{"type": "summary_text", "text": text}], "content": None}


def call(name: str, arguments: Json, call_id: str) -> Json:
    """2: function_call; arguments are a JSON string."""
    encoded = json.dumps(arguments)
    return {"type": "function_call", "call_id": call_id, "id": call_id, "name": name, "arguments": encoded}


def output(call_id: str, text: str) -> Json:
    """2: function_call_output."""
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def judged(question: str, expected: str, answer: str, label: str | None, reply: str | None = None) -> Json:
    """9.1: one judge evaluation with its full request and response."""
    asked = f"Question: {question}\nReference answer: {expected}\nCandidate answer: {answer}\nAre they equal?"
    said = reply if reply is not None else f"The candidate says {answer[:40]}. {label}"
    return {
        "responses_create_params": {"input": [{"role": "user", "content": asked}]},
        "response": response([message(said, "judge-1")]),
        "verdict_label": label,
    }


def failure_older(task: int, rollout: int, failure_class: str, text: str, terminal: bool) -> Json:
    """1.3, A.2: the older sidecar shape, with its placeholder reward and response."""
    return {
        "reward": 0.0,
        "response": {"output": []},
        "_ng_failure_class": failure_class,
        "_ng_failure_terminal": terminal,
        "error_message": text,
        "_ng_task_index": task,
        "_ng_rollout_index": rollout,
    }


def failure_newer(task: int, rollout: int, attempt: int, kind: str, stage: str, text: str) -> Json:
    """1.3, A.1: the newer sidecar shape: the canonical record and its aliases."""
    return {
        "_ng_failure_record": {
            "schema_version": 1,
            "episode_id": {"rollout_id": f"{task}-{rollout}", "attempt": attempt},
            "run_id": "ab12",
            "source": "environment",
            "delivery": "delivered",
            "http_status": None,
            "exception_type": None,
            "failure": {"failure_reason": text, "terminal": False, "failure_kind": kind, "stage": stage},
        },
        "_ng_failure_class": kind,
        "_ng_failure_type": None,
        "_ng_failure_http_status": None,
        "_ng_failure_message": text,
        "error": text,
        "_ng_task_index": task,
        "_ng_rollout_index": rollout,
        "_ng_attempt_index": attempt,
        "_ng_run_id": "ab12",
        "agent_ref": {"name": "pi"},
    }


def capture_metrics(method: str, call_id: str | None, reason: str, chain: str, chains: int, roots: int) -> Json:
    """8.3, A.6: `_ng_token_capture`."""
    return {
        "n_calls": 2 if roots > 1 else 1,
        "terminal_attribution": {"method": method, "call_id": call_id, "reason": reason, "chain": chain},
        "chains": chains,
        "roots": roots,
        "quarantined_calls": 0,
        "quarantined_fraction": 0.0,
        "delivered_fraction": 0.5 if roots > 1 else 1.0,
        "generated_tokens_captured": 40,
        "generated_tokens_delivered": 20 if roots > 1 else 40,
        "parent_link_failures": {},
        "unresolved_parent_calls": 0,
        "empty_generation_calls": 0,
    }


def token_entry(rollout_id: str, call_id: str, text: str, created_at: float) -> Json:
    """8.2: one TokenEntry of a root call, its content as the Chat output was captured (think text kept, 8.4)."""
    return {
        "schema_version": 3,
        "rollout_id": rollout_id,
        "model_call_id": call_id,
        "model": "lab-model",
        "prompt_token_ids": [1, 2, 3],
        "generation_token_ids": [4, 5],
        "generation_log_probs": [-0.1, -0.2],
        "output_items": [message(text, f"msg_{call_id}")],
        "response_id": f"chatcmpl-{call_id}",
        "created_at": created_at,
        "parent_call_id": None,
        "parent_resolution": "root",
        "parent_resolution_reason": "",
        "fingerprint_version": 3,
    }
