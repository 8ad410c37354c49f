"""A rollout as the JSON document of CONTRACT 3, its fields in the order given there."""

from __future__ import annotations

from collections.abc import Iterable

from . import jsondecode
from .cycles import no_cycles
from .document_conversation import extra_document, invocation_document, item_document
from .document_identity import harness_document, place_document, source_document, task_document, usage_document
from .model import (
    Attempt,
    Attribution,
    Finding,
    Grading,
    Health,
    JsonObject,
    JsonValue,
    Outcome,
    Reason,
    Rollout,
    Scored,
)

SCHEMA = "rollout-inspect/1"


def encode(document: JsonObject) -> bytes:
    """One line without its newline: valid JSON in ASCII-safe form."""
    return jsondecode.encode(document)


@no_cycles()
def document(rollout: Rollout, *, items: bool = False, parts: bool = False) -> JsonObject:
    """The whole document. `items` adds the observed conversation, `parts` the stored one."""
    return {
        "schema": SCHEMA,
        "id": rollout.id,
        "source": source_document(rollout.source),
        "harness": {**harness_document(rollout.harness), "provider": rollout.harness.provider},
        "route": {
            "gym_reasoning": rollout.route.gym_reasoning,
            "forced": rollout.route.forced,
            "because": rollout.route.because,
        },
        "task": task_document(rollout.task),
        "invocations": [invocation_document(i, items=items, parts=parts) for i in rollout.invocations],
        "final_answer": {
            "text": rollout.final_answer.text,
            "turn": rollout.final_answer.turn,
            "item_id": rollout.final_answer.item_id,
            "stands": rollout.final_answer.stands,
            "because": rollout.final_answer.because,
        },
        "scored": _scored(rollout.scored),
        "outcome": _outcome(rollout.outcome),
        "attempts": [_attempt(attempt) for attempt in rollout.attempts],
        "grading": _grading(rollout.grading),
        "attribution": _attribution(rollout.attribution),
        "harness_notes": [
            {
                "harness": note.harness,
                "name": note.name,
                "text": note.text,
                "call_index": note.call_index,
                "turn": note.turn,
                "role_on_wire": note.role_on_wire,
                "forwarded_as": note.forwarded_as,
                "invocation": note.invocation,
                "effect": note.effect,
            }
            for note in rollout.harness_notes
        ],
        "health": _health(rollout.health),
        "usage": usage_document(rollout.usage),
        "gaps": [
            {"code": gap.code, "invocation_id": gap.invocation_id, "detail": gap.detail, "meaning": gap.meaning}
            for gap in rollout.gaps
        ],
        "findings": [finding_document(finding) for finding in rollout.findings],
        "diagnostics": [
            {"code": diagnostic.code, "message": diagnostic.message, "locator": diagnostic.locator}
            for diagnostic in rollout.diagnostics
        ],
        **extra_document(rollout.extra),
        **({"notes": because(rollout.notes)} if rollout.notes else {}),
    }


def because(reasons: Iterable[Reason]) -> list[JsonValue]:
    """The sentences alone, ready to paste."""
    return [reason.text for reason in reasons]


def because_at(reasons: Iterable[Reason]) -> list[JsonValue]:
    """Beside `because`, of the same length: where each sentence points and what it rests on."""
    return [{"where": place_document(reason.where), "rests_on": reason.rests_on} for reason in reasons]


def finding_document(finding: Finding) -> JsonObject:
    """One entry of `findings`."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "where": place_document(finding.where),
    }


def _scored(scored: Scored) -> JsonObject:
    return {
        "reading": scored.reading,
        "items": [item_document(item) for item in scored.items],
        "final_text": scored.final_text,
        "final_item_id": scored.final_item_id,
        "final_index": scored.final_index,
        "from": {"invocation": scored.origin.invocation, "turn": scored.origin.turn},
        "others": [
            {
                "reading": other.reading,
                "final_text": other.final_text,
                "because": other.because,
                "from": {"invocation": other.place.invocation, "turn": other.place.turn},
            }
            for other in scored.others
        ],
    }


def _outcome(outcome: Outcome) -> JsonObject:
    return {
        "status": outcome.status,
        "failure_kind": outcome.failure_kind,
        "error": outcome.error,
        "graded": outcome.graded,
        "rule": outcome.rule,
        "because": because(outcome.because),
        "because_at": because_at(outcome.because),
        "policy": {"action": outcome.policy.action, "source": outcome.policy.source},
        "readings": [
            {
                "as": reading.reading,
                "status": reading.status,
                "failure_kind": reading.failure_kind,
                "graded": reading.graded,
                "rule": reading.rule,
                "error": reading.error,
            }
            for reading in outcome.readings
        ],
        "recorded": dict(outcome.recorded),
    }


def _attempt(attempt: Attempt) -> JsonObject:
    return {
        "attempt": attempt.attempt,
        "kind": attempt.kind,
        "path": attempt.path,
        "locator": attempt.locator,
        "failure_class": attempt.failure_class,
        "failure_kind": attempt.failure_kind,
        "stage": attempt.stage,
        "message": attempt.message,
        "terminal": attempt.terminal,
        "http_status": attempt.http_status,
        "decides": attempt.decides,
        **extra_document(attempt.extra),
    }


def _grading(grading: Grading) -> JsonObject:
    return {
        "state": grading.state,
        "reward": grading.reward,
        "rule": grading.rule,
        "failure_reason": grading.failure_reason,
        "expected": grading.expected,
        "extracted": grading.extracted,
        "judge_calls": [
            {
                "request_text": call.request_text,
                "response_text": call.response_text,
                "verdict_label": call.verdict_label,
                "verdict": call.verdict,
                "swapped": call.swapped,
                "decided": call.decided,
                "data": dict(call.data),
            }
            for call in grading.judge_calls
        ],
        "verdicts": [
            {"name": verdict.name, "passed": verdict.passed, "score": verdict.score, "detail": verdict.detail}
            for verdict in grading.verdicts
        ],
        "mask_sample": grading.mask_sample,
        "components": dict(grading.components),
        "verifier": grading.verifier,
        "recomputed": grading.recomputed,
        "extras": dict(grading.extras),
        "because": because(grading.because),
        "because_at": because_at(grading.because),
    }


def _attribution(attribution: Attribution) -> JsonObject:
    return {
        "status": attribution.status,
        "method": attribution.method,
        "reasons": list(attribution.reasons),
        "call_id": attribution.call_id,
        "chain": attribution.chain,
        "chains": attribution.chains,
        "roots": attribution.roots,
        "masked": attribution.masked,
        "mask_rule": attribution.mask_rule,
        "because": because(attribution.because),
        "because_at": because_at(attribution.because),
        "delivered_fraction": attribution.delivered_fraction,
        "tree": list(attribution.tree),
        **extra_document(attribution.extra),
    }


def _health(health: Health) -> JsonObject:
    return {
        "verdict": health.verdict,
        "findings": [
            {"check": check.check, "detail": check.detail, "locator": check.locator} for check in health.findings
        ],
        "unobserved": list(health.unobserved),
        "source": health.source,
    }
