"""A comparison as JSON: one document for the totals, one for each pair."""

from __future__ import annotations

from dataclasses import asdict

from rollout_loaders.comparison import ANCHOR_RULE, Delta, Pairing, Totals
from rollout_loaders.comparison.delta import Side
from rollout_loaders.model import JsonObject

SCHEMA = "rollout-inspect-diff/1"


def comparison_document(pairing: Pairing, totals: Totals) -> JsonObject:
    """The totals of CONTRACT 6, the rule of alignment, and what stayed alone."""
    return {
        "schema": SCHEMA,
        "pairs": totals.pairs,
        "anchor_rule": ANCHOR_RULE,
        "reward": {
            "up": totals.reward_up,
            "down": totals.reward_down,
            "same": totals.reward_same,
            "not_comparable": totals.reward_not_comparable,
            "sign_test_p": totals.sign_test_p,
        },
        "outcomes": [{"from": a, "to": b, "pairs": n} for (a, b), n in sorted(totals.outcomes.items())],
        "states": [{"from": a, "to": b, "pairs": n} for (a, b), n in sorted(totals.states.items())],
        "policies": [{"from": a, "to": b, "pairs": n} for (a, b), n in sorted(totals.policies.items())],
        "findings_gained": dict(totals.findings_gained),
        "findings_lost": dict(totals.findings_lost),
        "a": asdict(totals.left),
        "b": asdict(totals.right),
        "only_in_a": [summary.id for summary in pairing.only_left],
        "only_in_b": [summary.id for summary in pairing.only_right],
    }


def delta_document(delta: Delta) -> JsonObject:
    """One pair: what moved, and where it first parted."""
    found = delta.divergence
    return {
        "a": _side(delta.left),
        "b": _side(delta.right),
        "reward_moved": delta.reward_moved,
        "reasoning_moved": delta.reasoning_moved,
        "turns": {
            "equal": delta.equal_turns,
            "changed": delta.changed_turns,
            "dropped": delta.dropped_turns,
            "added": delta.added_turns,
            "reasoning_differs": delta.reasoning_differs,
        },
        "tool_calls_changed": delta.tool_calls_changed,
        "findings_gained": list(delta.findings_gained),
        "findings_lost": list(delta.findings_lost),
        "first_divergence": None
        if found is None
        else {"turn_a": found.left_turn, "turn_b": found.right_turn, "parts": found.parts},
        "steps": [{"kind": step.kind, "a": step.left, "b": step.right} for step in delta.steps if step.kind != "equal"],
    }


def _side(side: Side) -> JsonObject:
    return {
        "id": side.id,
        "path": side.path,
        "locator": side.locator,
        "state": side.state,
        "reward": side.reward,
        "outcome": side.outcome,
        "failure_kind": side.failure_kind,
        "policy": side.policy,
        "scored_text": side.scored_text,
        "final_answer": side.final_answer,
        "stands": side.stands,
        "reasoning_items": side.reasoning_items,
        "turns": side.turns,
        "tool_calls": side.tool_calls,
    }
