"""simpleqa and omniscience: a judge's grade of the answer (gym-semantics 9.3)."""

from __future__ import annotations

from rollout_loaders.evidence.extras import finite, text
from rollout_loaders.evidence.quoting import quote
from rollout_loaders.model import JudgeCall, Reason, Verdict

from .verifier import Case, Explanation, Verifier, cannot, compared, contradiction

INDICATORS = ("is_correct", "is_incorrect", "is_not_attempted", "is_partial", "is_hallucination")
_OMNISCIENCE = ("is_partial", "is_hallucination", "omniscience_index")
_VERDICT_OF_INDICATOR = {"is_correct": "correct", "is_incorrect": "incorrect", "is_not_attempted": "not_attempted"}
_LETTERS = {"A": "correct", "B": "incorrect", "C": "not_attempted"}


def recognise(case: Case) -> bool:
    """By `verdict` with `judge_output` and its indicators."""
    return "verdict" in case.fields and "judge_output" in case.fields and "is_correct" in case.fields


def explain(case: Case) -> Explanation:
    """The verdict, the judge's words, and whether the verdict gives the reward."""
    verdict, judge = text(case.fields, "verdict"), text(case.fields, "judge_output")
    expected, extracted = case.fields.get("expected_answer"), case.fields.get("extracted_answer")
    found = "not recorded" if verdict is None else quote(verdict)
    said = [
        Reason(
            f"{case.headline}: the judge's verdict is {found}; the answer is {quote(extracted)}, expected is "
            f"{quote(expected)}.",
            rests_on="verdict",
        )
    ]
    if judge:
        said.append(Reason(f"The judge wrote {quote(judge, 160)}.", rests_on="judge_output"))
    recomputed, sentence = _recompute(case, verdict, judge)
    call = JudgeCall(None, judge, _letter(judge), verdict=verdict, decided=True) if judge is not None else None
    return Explanation(
        (*said, sentence),
        recomputed,
        expected=expected,
        extracted=extracted,
        judge_calls=() if call is None else (call,),
        verdicts=_indicators(case),
    )


def _letter(judge: str | None) -> str | None:
    """The grade of a reply that is nothing but a letter; any other reply was parsed by rules a run may change."""
    bare = (judge or "").strip().rstrip(".")
    return bare if bare in _LETTERS else None


def _indicators(case: Case) -> tuple[Verdict, ...]:
    found = [(name, finite(case.fields.get(name))) for name in INDICATORS if name in case.fields]
    return tuple(Verdict(name, None if score is None else score > 0, score) for name, score in found)


def _recompute(case: Case, verdict: str | None, judge: str | None) -> tuple[str, Reason]:
    if any(name in case.fields for name in _OMNISCIENCE):
        return cannot("omniscience's weights are the run's own", "verdict")
    if verdict not in _LETTERS.values():
        return cannot("the verdict is none of correct, incorrect, not_attempted", "verdict")
    for name, meaning in _VERDICT_OF_INDICATOR.items():
        score = finite(case.fields.get(name))
        if score is not None and (score > 0) != (verdict == meaning):
            return contradiction(
                f"`verdict` is `{verdict}` and `{name}` is {score:g}",
                name,
            )
    letter = _letter(judge)
    if letter is not None and _LETTERS[letter] != verdict:
        return contradiction(
            f"the judge wrote `{letter}` ({_LETTERS[letter]}), `verdict` is `{verdict}`",
            "judge_output",
        )
    return compared(case, 1.0 if verdict == "correct" else 0.0, "`verdict`", "verdict")


VERIFIER = Verifier("simpleqa", recognise, explain, "last-message")
