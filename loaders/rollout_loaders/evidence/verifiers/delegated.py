"""ns_tools and alike: the row wraps another verifier's whole answer in `delegated_response` (gym-semantics 9.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rollout_loaders.evidence.extras import as_object, finite, mapping, text
from rollout_loaders.evidence.quoting import figure
from rollout_loaders.model import JsonObject, Reason, RowRecord

from .verifier import DISAGREES, TOLERANCE, Case, Explanation, Verifier

_ENVELOPE = ("responses_create_params", "response", "reward", "failure_reason", "failure_kind", "mask_sample")


def recognise(case: Case) -> bool:
    """By a nested answer that has a reward of its own."""
    return "reward" in mapping(case.fields, "delegated_response")


def inner_case(case: Case) -> Case:
    """The wrapped answer as a case of its own; the wrapping row's fields stand in for what it does not repeat."""
    nested = mapping(case.fields, "delegated_response")
    outer = {key: value for key, value in case.fields.items() if key != "delegated_response"}
    fields: JsonObject = {**outer, **{key: value for key, value in nested.items() if key not in _ENVELOPE}}
    reward = finite(nested.get("reward"))
    row = RowRecord(
        reward=reward,
        reward_literal=None,
        has_reward=reward is not None,
        failure_reason=text(nested, "failure_reason"),
        reward_components=as_object(nested.get("reward_components")),
        template_metadata=case.row.template_metadata,
        agent_name=case.row.agent_name,
    )
    return replace(case, row=row, fields=fields)


def explain(case: Case, family: Callable[[Case], Verifier]) -> Explanation:
    """The wrapped verifier's explanation; the two rewards must be one."""
    inner = inner_case(case)
    chosen = family(inner)
    told = chosen.explain(inner)
    said = Reason(
        f"The verdict is that of the wrapped verifier `{text(case.fields, 'verifier_type') or chosen.name}`.",
        rests_on="delegated_response",
    )
    sentences = tuple(replace(one, rests_on=f"delegated_response.{one.rests_on}") for one in told.sentences)
    if case.reward is not None and inner.reward is not None and abs(case.reward - inner.reward) > TOLERANCE:
        gave = figure(inner.reward)
        differs = Reason(
            f"The row says {figure(case.reward)}, which disagrees with the wrapped verifier's {gave}.",
            rests_on="delegated_response.reward",
        )
        return replace(told, sentences=(*sentences, said, differs), recomputed=DISAGREES)
    return replace(told, sentences=(*sentences, said))
