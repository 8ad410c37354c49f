"""The grade of a finished reading: state, reward, verdicts, and the sentences that say why (CONTRACT 3)."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import changed
from rollout_loaders.model import Attempt, FailureRecord, Grading, Reason, Rollout, RowRecord
from rollout_loaders.reader import ReadOptions

from .grading_state import facts_of, state_and_rule
from .predating_split import predates_split
from .scored_text import against_limit, how_text_was_picked, place_of, reads_text
from .verifiers import Case, Explanation, Verifier, verifier_of

NOTHING_FORCED = ReadOptions()
SIDECAR_FORMAT = "gym-failures"


def grading_of(rollout: Rollout, options: ReadOptions = NOTHING_FORCED) -> Grading:
    """The grade that this rollout's records hold, with every cause. A session without a verifier is not graded."""
    row, failure = rollout.evidence.row, _own_failure(rollout)
    state, rule, causes = state_and_rule(facts_of(row, failure))
    if row is None:
        reason = None if failure is None else failure.message
        because = (*causes, *_text_reasons(rollout, "unverified", options)) if failure is None else causes
        return Grading(state=state, rule=rule, failure_reason=reason, because=because)
    case = Case(row, row.extras, rollout.scored)
    verifier = verifier_of(case)
    told = _placed(verifier.explain(case), rollout)
    if failure is not None and verifier.name == "generic":
        # A sidecar row was never verified: fields beside it explain nothing, a kept generation is still there to judge.
        because = (*causes, *(_text_reasons(rollout, "unverified", options) if failure.has_real_response else ()))
    else:
        because = (*_ordered(state, causes, told), *_text_reasons(rollout, verifier.picks, options))
    because = (*because, *_later_attempt(rollout))
    return _filled(state, rule, row, verifier, told, because)


def _placed(told: Explanation, rollout: Rollout) -> Explanation:
    """The opening sentence, and every one that rests on the response, leads to the graded text."""
    place = place_of(rollout)
    placed = tuple(
        changed(said, where=place) if said.where is None and (at == 0 or said.rests_on == "response") else said
        for at, said in enumerate(told.sentences)
    )
    return changed(told, sentences=placed)


def _own_failure(rollout: Rollout) -> FailureRecord | None:
    """The failure record that is this very rollout: a sidecar row, or the try that decides where no row was written."""
    failures = rollout.evidence.failures
    if not failures:
        return None
    if rollout.source.format == SIDECAR_FORMAT or rollout.evidence.row is None:
        return failures[0]
    return None


def _ordered(state: str, causes: tuple[Reason, ...], told: Explanation) -> tuple[Reason, ...]:
    """A plain grade opens with the verifier's sentence, which names the reward; any other state with its cause."""
    if state != "graded":
        given = {cause.rests_on for cause in causes}
        return (*causes, *(said for said in told.sentences if said.rests_on != "reward" and said.rests_on not in given))
    return (*told.sentences, *(cause for cause in causes if cause.rests_on != "reward"))


def _text_reasons(rollout: Rollout, picks: str, options: ReadOptions) -> tuple[Reason, ...]:
    """Which text it was, against a stated limit, and what a later split would have left of it."""
    said = (
        how_text_was_picked(rollout, picks),
        against_limit(rollout, options.max_answer_chars),
        predates_split(rollout, picks),
    )
    return tuple(one for one in said if one is not None)


def _later_attempt(rollout: Rollout) -> tuple[Reason, ...]:
    """Newer collectors count the latest reserved attempt: a failure after this row stands for the rollout (1.3)."""
    if rollout.evidence.row is None or rollout.source.format == SIDECAR_FORMAT:
        return ()
    deciding = [attempt for attempt in rollout.attempts if attempt.decides and attempt.kind == "failure"]
    return tuple(_superseded(attempt) for attempt in deciding)


def _superseded(attempt: Attempt) -> Reason:
    kind = attempt.failure_kind or attempt.failure_class or "of an unnamed kind"
    number = "number unknown" if attempt.attempt is None else str(attempt.attempt)
    return Reason(
        f"A later attempt ({number}) failed (`{kind}`), and the "
        "latest reserved attempt decides over this row where the collector keeps attempts.",
        rests_on=attempt.locator,
    )


def _filled(
    state: str, rule: str, row: RowRecord, verifier: Verifier, told: Explanation, because: tuple[Reason, ...]
) -> Grading:
    return Grading(
        state=state,
        reward=row.reward,
        rule=rule,
        failure_reason=row.failure_reason,
        mask_sample=row.mask_sample,
        extras=row.extras,
        components=row.reward_components,
        because=because,
        expected=told.expected,
        extracted=told.extracted,
        judge_calls=told.judge_calls,
        verdicts=told.verdicts,
        verifier=None if verifier.name == "generic" else verifier.name,
        reads_text=reads_text(verifier.picks),
        recomputed=told.recomputed,
    )
