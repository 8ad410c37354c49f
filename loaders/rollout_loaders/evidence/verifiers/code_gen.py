"""code_gen: unit tests over the extracted code; all must pass (gym-semantics 9.3)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.evidence.extras import mapping, number, sequence, text
from rollout_loaders.evidence.quoting import count, quote, quote_pair
from rollout_loaders.model import JsonValue, Reason, Verdict

from .verifier import Case, Explanation, Verifier, cannot, compared


def recognise(case: Case) -> bool:
    """By `extracted_model_code`."""
    return "extracted_model_code" in case.fields


def explain(case: Case) -> Explanation:
    """How many of the recorded tests passed, the first that did not, and why."""
    results = sequence(case.fields, "result")
    verdicts = () if results is None else tuple(_verdict(at, one, case) for at, one in enumerate(results))
    recomputed, sentence = _recompute(case, results)
    return Explanation(
        (_headline(case, results), *_failing(case, results), *_format_note(case), sentence),
        recomputed,
        expected=mapping(case.fields, "metadata").get("expected"),
        extracted=case.fields.get("extracted_model_code"),
        verdicts=verdicts,
    )


def _passed(result: JsonValue) -> bool:
    """As the server counts: `result == True`, so the number 1 passes and every negative code fails."""
    return isinstance(result, (bool, int, float)) and result == 1


def _verdict(at: int, result: JsonValue, case: Case) -> Verdict:
    passed = _passed(result)
    message = None if passed else text(mapping(case.fields, "metadata"), "error_message")
    return Verdict(
        f"test {at + 1}", passed, detail=None if passed else f"result {result}" + (f": {message}" if message else "")
    )


def _headline(case: Case, results: Sequence[JsonValue] | None) -> Reason:
    if results is None:
        had = (
            "no code was extracted" if case.fields.get("extracted_model_code") is None else "no test result is recorded"
        )
        return Reason(f"{case.headline}: {had}.", rests_on="extracted_model_code")
    passed = sum(1 for one in results if _passed(one))
    return Reason(
        f"{case.headline}: {passed} of {count(len(results), 'recorded test result')} passed; all must pass.",
        rests_on="result",
    )


def _failing(case: Case, results: Sequence[JsonValue] | None) -> list[Reason]:
    first = next((at for at, one in enumerate(results or ()) if not _passed(one)), None)
    if results is None or first is None:
        return []
    details = mapping(case.fields, "metadata")
    parts = [f"Test {first + 1} gave {results[first]}"]
    message = text(details, "error_message") or text(details, "error")
    if message:
        parts.append(quote(message))
    if "expected" in details and "output" in details:
        expected, got = quote_pair(details["expected"], details["output"])
        parts.append(f"expected {expected}, got {got}")
    return [Reason(f"{'; '.join(parts)}.", rests_on=f"result[{first}]")]


def _format_note(case: Case) -> list[Reason]:
    if not number(case.fields, "reasoning_format_violation_rate"):
        return []
    return [
        Reason(
            "The text breaks the reasoning format (think tags): the run's `reasoning_format_penalty` replaces the "
            "reward of the tests.",
            rests_on="reasoning_format_violation_rate",
        )
    ]


def _recompute(case: Case, results: Sequence[JsonValue] | None) -> tuple[str, Reason]:
    if number(case.fields, "reasoning_format_violation_rate"):
        return cannot("the run's `reasoning_format_penalty` is not recorded", "reasoning_format_violation_rate")
    if results is None:
        if case.fields.get("extracted_model_code") is None:
            return compared(case, 0.0, "that no code was extracted", "extracted_model_code")
        return cannot("no test result is recorded", "result")
    return compared(case, 1.0 if all(_passed(one) for one in results) else 0.0, "the test results", "result")


VERIFIER = Verifier("code_gen", recognise, explain, "all-messages-joined")
