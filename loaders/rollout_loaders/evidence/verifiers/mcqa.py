"""mcqa: one option letter, taken from the text, against the expected one (gym-semantics 9.3; `grading_mode`)."""

from __future__ import annotations

import re

from rollout_loaders.evidence.extras import text
from rollout_loaders.evidence.quoting import quote
from rollout_loaders.model import JsonValue, Reason

from .verifier import CANNOT, Case, Explanation, Verifier, cannot, compared

GRADING_MODES = frozenset(
    {"strict_single_letter_boxed", "lenient_boxed", "lenient_answer_colon", "lenient_answer_colon_md"}
)
DEFAULT_MODE = "strict_single_letter_boxed"
_OTHER_FAMILIES = ("verdict", "judge_evaluations", "library_reward", "predicted_answer", "is_correct", "accuracy")


def recognise(case: Case) -> bool:
    """By a known `grading_mode`, or by an expected letter beside an extracted letter or null and nothing else's fields.

    A text that gives its choice as `<solution>` belongs to swerl_llm_judge, whose rows have the same two fields.
    """
    if text(case.fields, "grading_mode") in GRADING_MODES and "extracted_answer" in case.fields:
        return True
    if "extracted_answer" not in case.fields or any(name in case.fields for name in _OTHER_FAMILIES):
        return False
    expected, extracted = case.fields.get("expected_answer"), case.fields.get("extracted_answer")
    letters = _is_letter(expected) and (extracted is None or _is_letter(extracted))
    return letters and "<solution>" not in _all_text(case)


def _is_letter(value: JsonValue) -> bool:
    return isinstance(value, str) and len(value.strip()) == 1 and value.strip().isalpha()


def _all_text(case: Case) -> str:
    return "\n".join(message.text for message in case.assistant_messages if message.text is not None)


def explain(case: Case) -> Explanation:
    """Extracted against expected letter; where no letter was found, what the mode looked for."""
    expected, extracted = text(case.fields, "expected_answer"), text(case.fields, "extracted_answer")
    mode = text(case.fields, "grading_mode")
    graded_as = f"graded as `{mode}`" if mode else "the grading mode is not recorded"
    if extracted is None:
        said = f"{case.headline}: no answer letter was extracted ({graded_as}); expected is {quote(expected)}."
    else:
        relation = "is" if _same(expected, extracted) else "is not"
        said = (
            f"{case.headline}: the extracted answer {quote(extracted)} {relation} the expected {quote(expected)} "
            f"({graded_as})."
        )
    sentences = [Reason(said, rests_on="extracted_answer"), *_missing(case, mode, extracted), *_regex(case)]
    recomputed, sentence = _recompute(case, expected, extracted)
    return Explanation((*sentences, sentence), recomputed, expected=expected, extracted=extracted)


def _same(expected: str | None, extracted: str) -> bool:
    return expected is not None and expected.strip().upper() == extracted.strip().upper()


def _missing(case: Case, mode: str | None, extracted: str | None) -> list[Reason]:
    if extracted is not None or not case.reads_row:
        return []
    boxed = re.search(r"\\boxed\{", _all_text(case))
    if boxed is None:
        return [Reason("The scored text holds no `\\boxed{…}`.", rests_on="response")]
    if mode not in (None, DEFAULT_MODE):
        return []
    shown = _all_text(case)[boxed.start() : boxed.start() + 200]
    return [Reason(f"The first box of the scored text is {quote(shown, 40)}.", rests_on="response")]


def _regex(case: Case) -> list[Reason]:
    pattern = text(case.row.template_metadata, "output_regex")
    if pattern is None:
        return []
    return [
        Reason(
            f"The row brings its own extraction pattern {quote(pattern)}.", rests_on="template_metadata.output_regex"
        )
    ]


def _recompute(case: Case, expected: str | None, extracted: str | None) -> tuple[str, Reason]:
    if case.fields.get("extracted_answer") is not None and extracted is None:
        return cannot("`extracted_answer` is no text", "extracted_answer")
    if expected is None or not expected.strip():
        return CANNOT, Reason(
            "The reward cannot be recomputed: no expected letter is recorded.", rests_on="expected_answer"
        )
    correct = extracted is not None and _same(expected, extracted)
    return compared(case, 1.0 if correct else 0.0, "extracted against expected letter", "extracted_answer")


VERIFIER = Verifier("mcqa", recognise, explain, "all-messages-lines")
