"""multichallenge: yes/no rubric lines, each judged, then aggregated (gym-semantics 9.3)."""

from __future__ import annotations

from rollout_loaders.evidence.extras import number, objects, text
from rollout_loaders.evidence.quoting import figure, quote
from rollout_loaders.model import JsonObject, JudgeCall, Reason, Verdict

from .verifier import Case, Explanation, Verifier, cannot, compared, contradiction

PASSED = 0.99
"""A line counts as passed from this score on."""


def recognise(case: Case) -> bool:
    """By `rubric_evaluations`, or by a `rubric` of questions with pass criteria."""
    if "rubric_evaluations" in case.fields:
        return True
    rubric = objects(case.fields, "rubric")
    return bool(rubric) and all("pass_criteria" in line for line in rubric or ())


def explain(case: Case) -> Explanation:
    """Lines passed and failed, the aggregation, and whether it gives the reward."""
    lines = objects(case.fields, "rubric_evaluations")
    if lines is None:
        rubric = objects(case.fields, "rubric") or ()
        opening = Reason(
            f"{case.headline}: {len(rubric)} rubric lines are given, no evaluation of them is recorded.",
            rests_on="rubric",
        )
        recomputed, sentence = cannot("no rubric evaluation is recorded", "rubric")
        return Explanation((opening, sentence), recomputed)
    scores = [_score(line) for line in lines]
    mode = text(case.fields, "aggregation_mode")
    passed = sum(1 for score in scores if score is not None and score >= PASSED)
    said = [
        Reason(
            f"{case.headline}: {passed} of {len(lines)} rubric lines passed"
            f"{'' if mode is None else f', aggregated as `{mode}`'}.",
            rests_on="rubric_evaluations",
        ),
        *_failed(lines),
    ]
    recomputed, sentence = _recompute(case, lines, scores, mode)
    return Explanation(
        (*said, sentence), recomputed, judge_calls=tuple(_call(line) for line in lines), verdicts=_verdicts(lines)
    )


def _score(line: JsonObject) -> float | None:
    return number(line, "score")


def _wanted(line: JsonObject) -> str:
    return "NO" if (text(line, "pass_criteria") or "").upper() == "NO" else "YES"


def _failed(lines: tuple[JsonObject, ...]) -> list[Reason]:
    failed = [(at, line) for at, line in enumerate(lines) if (_score(line) or 0.0) < PASSED]
    said = [
        Reason(
            f"Line {at + 1} failed: {quote(text(line, 'question') or '', 120)}, verdict "
            f"{quote(line.get('verdict'))}, passes with `{_wanted(line)}`.",
            rests_on=f"rubric_evaluations[{at}]",
        )
        for at, line in failed[:3]
    ]
    if len(failed) > 3:
        said.append(Reason(f"{len(failed) - 3} more lines failed.", rests_on="rubric_evaluations"))
    return said


def _call(line: JsonObject) -> JudgeCall:
    verdict = text(line, "verdict")
    return JudgeCall(text(line, "judge_prompt"), text(line, "judge_response"), verdict, verdict=verdict, data=line)


def _weight(line: JsonObject) -> str:
    weight = number(line, "weight")
    return "" if weight is None else f", weight {figure(weight)}"


def _verdicts(lines: tuple[JsonObject, ...]) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(
            text(line, "question") or f"line {at + 1}",
            None if (score := _score(line)) is None else score >= PASSED,
            score,
            f"verdict {text(line, 'verdict')}, passes with {_wanted(line)}{_weight(line)}",
        )
        for at, line in enumerate(lines)
    )


def _recompute(
    case: Case, lines: tuple[JsonObject, ...], scores: list[float | None], mode: str | None
) -> tuple[str, Reason]:
    for at, (line, score) in enumerate(zip(lines, scores, strict=True)):
        verdict = text(line, "verdict")
        if verdict in ("YES", "NO") and score is not None and (score >= PASSED) != (verdict == _wanted(line)):
            return contradiction(
                f"line {at + 1} has verdict `{verdict}`, passes with `{_wanted(line)}`, and scores {figure(score)}",
                f"rubric_evaluations[{at}]",
            )
    known = [score for score in scores if score is not None]
    if len(known) < len(scores):
        return cannot("a rubric line has no score", "rubric_evaluations")
    if mode is None:
        return cannot("the aggregation mode is not recorded", "aggregation_mode")
    value = aggregate(known, [number(line, "weight") for line in lines], mode)
    if value is None:
        return cannot(f"the aggregation mode {quote(mode)} is not known", "aggregation_mode")
    counted = number(case.fields, "num_passed")
    passed = sum(1 for score in known if score >= PASSED)
    if counted is not None and counted != passed:
        return contradiction(
            f"`num_passed` is {figure(counted)}, {passed} lines passed",
            "num_passed",
        )
    return compared(case, value, f"the `{mode}` of the rubric scores", "rubric_evaluations")


def aggregate(scores: list[float], weights: list[float | None], mode: str) -> float | None:
    """The reward of rubric scores in one of the six modes; None for a mode that is not known."""
    if not scores:
        return 0.0
    if mode == "mean":
        return sum(scores) / len(scores)
    if mode == "min":
        return min(scores)
    if mode == "max":
        return max(scores)
    if mode == "all":
        return 1.0 if all(score >= PASSED for score in scores) else 0.0
    if mode == "any":
        return 1.0 if any(score >= PASSED for score in scores) else 0.0
    if mode == "weighted":
        sizes = [1.0 if weight is None else weight for weight in weights]
        total = sum(sizes)
        return 0.0 if total == 0 else sum(s * w for s, w in zip(scores, sizes, strict=True)) / total
    return None


VERIFIER = Verifier("multichallenge", recognise, explain, "last-message-unthought")
