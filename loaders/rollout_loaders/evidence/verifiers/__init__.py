"""The registry of verifier families: how a row is recognised and explained (gym-semantics 9). First match wins."""

from __future__ import annotations

from dataclasses import replace

from . import (
    bird_sql,
    code_gen,
    delegated,
    equivalence_llm_judge,
    generic,
    instruction_following,
    math_with_judge,
    mcqa,
    multichallenge,
    simpleqa,
    swe,
    tool_pivot,
)
from .verifier import AGREES, CANNOT, DISAGREES, Case, Explanation, Verifier

PRECISE: tuple[Verifier, ...] = (
    math_with_judge.VERIFIER,
    equivalence_llm_judge.VERIFIER,
    bird_sql.VERIFIER,
    code_gen.VERIFIER,
    simpleqa.VERIFIER,
    multichallenge.VERIFIER,
    instruction_following.VERIFIER,
    tool_pivot.VERIFIER,
    swe.VERIFIER,
    mcqa.VERIFIER,
)
"""Families whose reward is recomputed from the row's own evidence."""

DIRECT: tuple[Verifier, ...] = (*PRECISE, generic.VERIFIER)


def _family(case: Case) -> Verifier:
    return next(verifier for verifier in DIRECT if verifier.recognise(case))


DELEGATED = Verifier("delegated", delegated.recognise, lambda case: delegated.explain(case, _family), "delegated")

VERIFIERS: tuple[Verifier, ...] = (DELEGATED, *DIRECT)

__all__ = ["AGREES", "CANNOT", "DISAGREES", "PRECISE", "VERIFIERS", "Case", "Explanation", "Verifier", "verifier_of"]


def verifier_of(case: Case) -> Verifier:
    """The first family that recognises the row; `generic` takes every row. A wrapped answer is its own family's."""
    found = next(verifier for verifier in VERIFIERS if verifier.recognise(case))
    if found is DELEGATED:
        inner = _family(delegated.inner_case(case))
        return replace(inner, explain=found.explain)
    return replace(found, name=_MEMBERS[found.name](case)) if found.name in _MEMBERS else found


_MEMBERS = {"swe": swe.name_of, "tool_pivot": tool_pivot.name_of}
"""Families with several servers, told apart by their fields."""
