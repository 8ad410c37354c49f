"""equivalence_llm_judge: a judge compares the last assistant message with the expected answer (gym-semantics 9.1)."""

from __future__ import annotations

import re

from rollout_loaders.evidence.extras import objects, text
from rollout_loaders.evidence.judge import EQUAL, NOT_EQUAL, OLD_NO_ANSWER, judge_calls
from rollout_loaders.evidence.quoting import count, figure, quote
from rollout_loaders.model import JsonValue, JudgeCall, Reason

from .verifier import AGREES, DISAGREES, Case, Explanation, Verifier, cannot, compared, contradiction

RESCUE_REWARD = 0.5
"""Default of `reward_if_full_generation_succeeds`."""
SWAP_FAILED_REWARDS = (0.0, -1.0)
"""Documented values of `reward_if_swap_fails`."""
_TOO_LONG = re.compile(r"final_answer_too_long: ([\d,]+) characters exceeds ([\d,]+)")


def recognise(case: Case) -> bool:
    """By `judge_evaluations` with labels, or by the two failure reasons only this verifier writes."""
    if "library_reward" in case.fields:
        return False
    reason = case.row.failure_reason or ""
    if reason == "empty_final_answer" or reason.startswith("final_answer_too_long"):
        return True
    evaluations = objects(case.fields, "judge_evaluations")
    return bool(evaluations) and all("verdict_label" in one for one in evaluations or ())


def explain(case: Case) -> Explanation:
    """The two verdicts without a judge first, then what the judge said."""
    calls = judge_calls(objects(case.fields, "judge_evaluations") or ())
    reason = case.row.failure_reason or ""
    if reason == "empty_final_answer":
        said, recomputed = _empty(case)
    elif reason.startswith("final_answer_too_long"):
        said, recomputed = _too_long(case, reason)
    else:
        said, recomputed = _judged(case, calls)
    return Explanation(
        tuple(said),
        recomputed,
        expected=case.fields.get("expected_answer"),
        extracted=None,
        judge_calls=calls,
    )


def _unjudged(case: Case) -> str:
    evaluations = objects(case.fields, "judge_evaluations")
    return "the judge was not called" if not evaluations else "yet judge evaluations are recorded"


def _empty(case: Case) -> tuple[list[Reason], str]:
    last = case.last_text
    if case.reads_row and last:
        return [
            Reason(
                f"{case.headline}: `empty_final_answer` disagrees with the last assistant message, which holds "
                f"{count(len(last), 'character')}: {quote(last)}.",
                rests_on="failure_reason",
            )
        ], DISAGREES
    what = "there is no assistant message" if last is None else "the scored text is empty"
    said = [Reason(f"{case.headline}: {what} (`empty_final_answer`); {_unjudged(case)}.", rests_on="failure_reason")]
    recomputed, sentence = compared(case, 0.0, "`empty_final_answer`", "failure_reason")
    return [*said, sentence] if recomputed != AGREES else said, recomputed


def _too_long(case: Case, reason: str) -> tuple[list[Reason], str]:
    found = _TOO_LONG.search(reason)
    if found is None:
        recomputed, sentence = compared(case, 0.0, "`final_answer_too_long`", "failure_reason")
        opening = Reason(f"{case.headline}: `{reason}`; {_unjudged(case)}.", rests_on="failure_reason")
        return [opening, sentence], recomputed
    length, limit = (int(group.replace(",", "")) for group in found.groups())
    said = [
        Reason(
            f"{case.headline}: the scored text has {count(length, 'character')}, {length - limit:,} over the limit of "
            f"{limit:,} (`final_answer_too_long`); {_unjudged(case)}.",
            rests_on="failure_reason",
        )
    ]
    last = case.last_text
    if case.reads_row and (last is None or len(last) <= limit):
        held = "no assistant message" if last is None else f"only {count(len(last), 'character')}"
        said.append(
            Reason(
                f"The row's own response disagrees: it holds {held}, which is not over that limit.", rests_on="response"
            )
        )
        return said, DISAGREES
    recomputed, sentence = compared(case, 0.0, "`final_answer_too_long`", "failure_reason")
    return [*said, sentence] if recomputed != AGREES else said, recomputed


def _judged(case: Case, calls: tuple[JudgeCall, ...]) -> tuple[list[Reason], str]:
    if not calls:
        recomputed, sentence = cannot("no judge evaluation is recorded", "judge_evaluations")
        return [Reason(f"{case.headline}: no judge evaluation is recorded.", rests_on="judge_evaluations"), sentence], (
            recomputed
        )
    said = [_headline(case, calls), *_label_notes(calls), *_old_empty(calls)]
    recomputed, sentence = _recompute(case, calls)
    if recomputed == AGREES:
        recomputed, sentence = _other_label(calls) or (recomputed, sentence)
    return [*said, sentence], recomputed


def _other_label(calls: tuple[JudgeCall, ...]) -> tuple[str, Reason] | None:
    """A recorded label that its own reply does not show: the reward then rests on one of the two only."""
    for position, call in enumerate(calls):
        recorded = call.data.get("verdict_label")
        if call.response_text is not None and recorded != call.verdict_label:
            return contradiction(
                f"evaluation {position + 1} records {_label(recorded)}, its reply shows {_label(call.verdict_label)}",
                f"judge_evaluations[{position}].verdict_label",
            )
    return None


def _says(call: JudgeCall) -> str:
    if call.response_text is None:
        return "gave no text to look for a label in (counts as not equal)"
    if call.verdict_label is None:
        return "gave neither label (counts as not equal)"
    return f"says {call.verdict} (`{call.verdict_label}`)"


def _headline(case: Case, calls: tuple[JudgeCall, ...]) -> Reason:
    expected = text(case.fields, "expected_answer")
    against = f" against the expected {quote(expected)}" if expected is not None else ""
    if len(calls) == 1:
        return Reason(
            f"{case.headline}: the judge {_says(calls[0])}{against}; one evaluation.", rests_on="judge_evaluations[0]"
        )
    second = "the swapped evaluation" if calls[1].swapped else "the second evaluation, on the full text,"
    return Reason(
        f"{case.headline}: the judge first {_says(calls[0])}{against}; {second} decided: it {_says(calls[1])}.",
        rests_on="judge_evaluations[1]",
    )


def _label_notes(calls: tuple[JudgeCall, ...]) -> list[Reason]:
    """Where the recorded label is not the one found in the reply, both are said."""
    notes: list[Reason] = []
    for position, call in enumerate(calls):
        recorded = call.data.get("verdict_label")
        if recorded != call.verdict_label:
            found = "no label" if call.verdict_label is None else f"`{call.verdict_label}`"
            notes.append(
                Reason(
                    f"Evaluation {position + 1} records the label {quote(recorded)}, its reply shows {found} first.",
                    rests_on=f"judge_evaluations[{position}].verdict_label",
                )
            )
    if len(calls) > 2:
        notes.append(
            Reason(f"{len(calls)} evaluations are recorded; Gym makes at most two.", rests_on="judge_evaluations")
        )
    return notes


def _old_empty(calls: tuple[JudgeCall, ...]) -> list[Reason]:
    if any(OLD_NO_ANSWER in (call.request_text or "") for call in calls):
        return [
            Reason(
                f"The judge was sent `{OLD_NO_ANSWER}` in place of an answer: an older release, which had no "
                "`empty_final_answer`.",
                rests_on="judge_evaluations[0].responses_create_params",
            )
        ]
    return []


def _recompute(case: Case, calls: tuple[JudgeCall, ...]) -> tuple[str, Reason]:
    if any(call.data.get("verdict_label") not in (None, EQUAL, NOT_EQUAL) for call in calls):
        return cannot("the run used labels of its own", "judge_evaluations")
    if len(calls) > 2:
        return cannot("there are more evaluations than Gym makes", "judge_evaluations")
    equal = [call.verdict_label == EQUAL for call in calls]
    first_equal = equal[0]
    if len(equal) == 1:
        return compared(case, 1.0 if first_equal else 0.0, "the judge's label", "judge_evaluations[0]")
    second_equal = equal[1]
    if first_equal and second_equal:
        return compared(case, 1.0, "the pair of the judge's labels, both equal", "judge_evaluations")
    if first_equal:
        return _one_of(case, SWAP_FAILED_REWARDS, "the failed swap", "reward_if_swap_fails")
    if second_equal:
        return _one_of(case, (RESCUE_REWARD,), "the full-text rescue", "reward_if_full_generation_succeeds")
    return compared(case, 0.0, "the pair of the judge's labels, both not equal", "judge_evaluations")


def _label(label: JsonValue) -> str:
    return "no label" if label is None else f"the label {quote(label)}"


def _one_of(case: Case, values: tuple[float, ...], what: str, setting: str) -> tuple[str, Reason]:
    """A reward that the run configures: known values agree, a full or opposite grade disagrees, others stay open."""
    if case.reward in values:
        return AGREES, Reason(
            f"The reward agrees with {what} (`{setting}` {figure(case.reward)}).", rests_on="judge_evaluations"
        )
    contradicts = case.reward is not None and (case.reward >= 1.0 or (case.reward <= 0.0 and min(values) > 0))
    if contradicts:
        return compared(case, values[0], what, "judge_evaluations")
    return cannot(f"after {what} it is the run's `{setting}`, which the row does not record", "judge_evaluations")


VERIFIER = Verifier("equivalence_llm_judge", recognise, explain, "last-message")
