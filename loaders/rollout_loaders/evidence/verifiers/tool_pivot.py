"""image_tools and swe_pivot: one tool call against the demonstrated one, in levels (their servers; gym-semantics 9)."""

from __future__ import annotations

from rollout_loaders.evidence.extras import boolean, mapping, number, text
from rollout_loaders.evidence.quoting import figure, quote
from rollout_loaders.model import JsonValue, Reason, Verdict

from .tool_arguments import made_arguments, score_again
from .verifier import AGREES, TOLERANCE, Case, Explanation, Verifier, cannot, compared, contradiction

ARGUMENT_THRESHOLD = 0.5
"""image_tools' default `argument_threshold`."""
SIMILARITY_FULL_CREDIT = 0.8
"""swe_pivot's default `similarity_full_credit`."""
ZERO_REASONS: dict[str, str] = {
    "expected_action_invalid": "the row states no usable expected action",
    "no_tool_call_in_rollout": "the text holds no tool call that could be read",
    "model_output_invalid": "the response holds no tool call",
    "tool_name_mismatch": "another tool was called",
    "target_mismatch": "the call is on another target",
    "tool_call_when_answer_expected": "a tool was called where an answer was expected",
    "answer_missing": "no final answer was found",
    "answer_incorrect": "the answer is another one",
    "unknown_error": "the comparison itself failed",
}
BELOW = {
    "argument_below_threshold": "the arguments are too far from the expected ones",
    "similarity_below_threshold": "the arguments are too unlike the expected ones",
}


def recognise(case: Case) -> bool:
    """By `tool_name_match` with `target_match`."""
    return "tool_name_match" in case.fields and "target_match" in case.fields


def name_of(case: Case) -> str:
    """`swe_pivot` where similarity is scored, else `image_tools`."""
    return "swe_pivot" if "similarity_score" in case.fields else "image_tools"


def _score(case: Case) -> tuple[float | None, float, str]:
    """The level-2 score, its default threshold and its field."""
    if name_of(case) == "swe_pivot":
        return number(case.fields, "similarity_score"), SIMILARITY_FULL_CREDIT, "similarity_score"
    return number(case.fields, "argument_score"), ARGUMENT_THRESHOLD, "argument_score"


def explain(case: Case) -> Explanation:
    """The level that decided, the call that was made and the one that was expected."""
    score, threshold, field = _score(case)
    reason = case.row.failure_reason
    words = ZERO_REASONS.get(reason or "") or BELOW.get(reason or "")
    parts = [f"`failure_reason` is `{reason}`" + (f" ({words})" if words else "")] if reason is not None else []
    parts += [
        f"`{name}` is {str(value).lower()}"
        for name in ("tool_name_match", "target_match")
        if (value := boolean(case.fields, name)) is not None
    ]
    if score is not None:
        how = text(case.fields, "argument_detail")
        parts.append(f"`{field}` is {figure(score)}" + (f" ({how})" if how else ""))
    said = [Reason(f"{case.headline}: {'; '.join(parts)}.", rests_on="failure_reason"), *_calls(case)]
    recomputed, sentence = _recompute(case, score, threshold, field)
    return Explanation(
        (*said, sentence),
        recomputed,
        expected=_expected(case),
        extracted=case.fields.get("model_output"),
        verdicts=_levels(case, score, threshold, field),
    )


def _expected(case: Case) -> JsonValue:
    return case.fields.get("expected_action") or case.fields.get("expected_answer") or None


def _calls(case: Case) -> list[Reason]:
    made, expected = text(case.fields, "model_output"), mapping(case.fields, "expected_action")
    said: list[Reason] = []
    if made:
        wanted = ""
        if expected.get("name") is not None:
            wanted = f"; expected was {quote(expected['name'])} with {quote(expected.get('arguments'), 120)}"
        said.append(Reason(f"The graded output is {quote(made, 120)}{wanted}.", rests_on="model_output"))
    extra = number(case.fields, "num_rollout_tool_calls")
    if extra is not None and extra > 1:
        said.append(
            Reason(
                f"{figure(extra)} tool calls were made; only the first is compared.", rests_on="num_rollout_tool_calls"
            )
        )
    return said


def _levels(case: Case, score: float | None, threshold: float, field: str) -> tuple[Verdict, ...]:
    found = [
        Verdict(name, value)
        for name in ("tool_name_match", "target_match")
        if (value := boolean(case.fields, name)) is not None
    ]
    if score is not None:
        found.append(Verdict(field, score >= threshold, score, f"default threshold {figure(threshold)}"))
    return tuple(found)


def _recompute(case: Case, score: float | None, threshold: float, field: str) -> tuple[str, Reason]:
    reason = case.row.failure_reason
    if reason in ZERO_REASONS:
        if reason == "tool_name_mismatch" and boolean(case.fields, "tool_name_match") is True:
            return contradiction(
                "`failure_reason` is `tool_name_mismatch` and `tool_name_match` is true",
                "tool_name_match",
            )
        return compared(case, 0.0, f"`{reason}`", "failure_reason")
    for name in ("tool_name_match", "target_match"):
        if boolean(case.fields, name) is False and score is not None:
            return compared(case, 0.0, f"`{name}` false", name)
    if score is None:
        return (
            cannot(f"no `{field}` is recorded", field)
            if text(case.fields, "tool_family") != "answer"
            else compared(case, 1.0, "a correct final answer", "failure_reason")
        )
    return _by_score(case, score, threshold, field)


def _again(case: Case) -> float | None:
    """The argument score of the two recorded calls, where its formula is known."""
    made = made_arguments(text(case.fields, "model_output"))
    expected = mapping(mapping(case.fields, "expected_action"), "arguments")
    return score_again(text(case.fields, "argument_detail"), made, expected)


def _by_score(case: Case, score: float, threshold: float, field: str) -> tuple[str, Reason]:
    """Binary mode by the default threshold; continuous mode and other thresholds are configured and not recorded."""
    reason, reward = case.row.failure_reason, case.reward
    below = reason in BELOW
    if below and score >= 1.0 - TOLERANCE:
        return contradiction(
            f"`failure_reason` is `{reason}` and `{field}` is {figure(score)}",
            field,
        )
    if not below and reason == "none" and score <= TOLERANCE:
        return contradiction(
            f"`failure_reason` is `none` and `{field}` is {figure(score)}",
            field,
        )
    again = _again(case)
    if again is not None and abs(again - score) > TOLERANCE:
        return contradiction(f"`{field}` is {figure(score)}, the two calls give {figure(again)}", field)
    calls = number(case.fields, "num_rollout_tool_calls") or 0
    by_mode = 0.0 if below or calls > 1 else 1.0
    if reward is not None and reward not in (0.0, 1.0):
        if abs(reward - score) <= TOLERANCE:
            return AGREES, Reason(f"The reward agrees with `{field}` taken as it is (continuous mode).", rests_on=field)
        return cannot("the run's reward mode is not recorded", field)
    if below != (score < threshold):
        return cannot(f"the run's threshold for `{field}` is not the default {figure(threshold)}", field)
    side = "below" if below else "not below"
    if calls > 1 and reward == 1.0 and not below:
        return cannot("whether the run penalises extra tool calls is not recorded", "num_rollout_tool_calls")
    return compared(
        case, by_mode, f"`{field}` {figure(score)}, {side} the default threshold {figure(threshold)}", field
    )


VERIFIER = Verifier("tool_pivot", recognise, explain, "first-call")
