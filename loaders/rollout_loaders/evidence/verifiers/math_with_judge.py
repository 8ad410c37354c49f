"""math_with_judge: a library compares first, a judge only where it did not accept (gym-semantics 9.2)."""

from __future__ import annotations

from rollout_loaders.evidence.extras import number, objects
from rollout_loaders.evidence.judge import EQUAL, judge_calls
from rollout_loaders.evidence.quoting import figure, quote
from rollout_loaders.model import JudgeCall, Reason

from .verifier import Case, Explanation, Verifier, cannot, compared

ACCEPTED = 0.5
"""Above this the library's verdict stands and no judge is asked."""


def recognise(case: Case) -> bool:
    """By `library_reward`, which no other verifier writes."""
    return "library_reward" in case.fields


def explain(case: Case) -> Explanation:
    """Extracted against expected, the library's verdict, then the judge's."""
    evaluations = objects(case.fields, "judge_evaluations")
    calls = judge_calls(evaluations or ())
    recomputed, sentence = _recompute(case, calls, evaluations is not None)
    return Explanation(
        (_headline(case, calls), sentence),
        recomputed,
        expected=case.fields.get("expected_answer"),
        extracted=case.fields.get("extracted_answer"),
        judge_calls=calls,
    )


def _headline(case: Case, calls: tuple[JudgeCall, ...]) -> Reason:
    library = number(case.fields, "library_reward")
    expected = case.fields.get("expected_answer")
    extracted = case.fields.get("extracted_answer")
    got = "no answer was extracted" if extracted is None else f"the extracted answer is {quote(extracted)}"
    wanted = "" if expected is None else f", expected is {quote(expected)}"
    said = "not recorded" if library is None else figure(library)
    return Reason(
        f"{case.headline}: {got}{wanted}; `library_reward` is {said}; {_judge_part(library, calls)}.",
        rests_on="judge_evaluations" if calls else "library_reward",
    )


def _judge_part(library: float | None, calls: tuple[JudgeCall, ...]) -> str:
    if not calls:
        accepted = library is not None and library > ACCEPTED
        return "the judge was not needed" if accepted else "no judge evaluation is recorded"
    words = [call.verdict or "neither label (counts as not equal)" for call in calls]
    if len(calls) == 1:
        return f"the judge says {words[0]}"
    return f"the judge says {words[0]}, then, with the answers swapped, {words[1]}"


def _recompute(case: Case, calls: tuple[JudgeCall, ...], recorded: bool) -> tuple[str, Reason]:
    library = number(case.fields, "library_reward")
    if library is None:
        return cannot("`library_reward` is no number", "library_reward")
    if library > ACCEPTED or not recorded:
        return compared(case, library, "`library_reward`", "library_reward")
    if not calls:
        return cannot("the list of judge evaluations is empty", "judge_evaluations")
    if calls[0].verdict_label != EQUAL:
        return compared(case, 0.0, "the judge's first label", "judge_evaluations[0]")
    if len(calls) == 1:
        return cannot("the swapped evaluation that must follow is not recorded", "judge_evaluations")
    both = calls[1].verdict_label == EQUAL
    return compared(case, 1.0 if both else 0.0, "the pair of the judge's labels", "judge_evaluations")


VERIFIER = Verifier("math_with_judge", recognise, explain, "all-messages-joined")
