"""Findings about the grade and about token attribution."""

from __future__ import annotations

from rollout_loaders.evidence.capture_mask import MASK_ROWS
from rollout_loaders.evidence.witness import witness_of
from rollout_loaders.model import JudgeCall, Rollout
from rollout_loaders.reader import ReadOptions

from .graded_origin import graded_place
from .rule import FindingRule, Found

NO_MATCH = "no_content_match"
MULTI_CHAIN = "multi-chain-fallback"
LABELLED_WITHOUT_RECORD = "math_with_judge"
UNPARSABLE_KINDS = frozenset({"judge_unparseable", "judge_invalid"})


def _no_label(rollout: Rollout, call: JudgeCall) -> bool:
    """Gym says that it found none, or records no label at all where the verifier's labels are known.

    Of other verifiers' judges it is not known how a verdict looks.
    """
    if "verdict_label" in call.data:
        return call.data["verdict_label"] is None
    labelled = rollout.grading.verifier == LABELLED_WITHOUT_RECORD
    return labelled and call.response_text is not None and call.verdict_label is None


def judge_unparsable(rollout: Rollout, _options: ReadOptions) -> Found:
    """A judge answered, and no verdict was found in the reply."""
    for number, call in enumerate(rollout.grading.judge_calls, start=1):
        if call.verdict is None and _no_label(rollout, call):
            yield f"No verdict was found in the reply of judge call {number}.", None
    row = rollout.evidence.row
    kinds = {failure.failure_class for failure in rollout.evidence.failures} | {
        None if row is None else row.failure_kind
    }
    for kind in sorted(kind for kind in kinds if kind in UNPARSABLE_KINDS):
        yield f"The judge's reply could not be used ({kind}).", None


def reward_contradicts(rollout: Rollout, _options: ReadOptions) -> Found:
    """The reward, recomputed from the row's own evidence, is another one."""
    if rollout.grading.recomputed == "disagrees":
        said = next((reason.text for reason in rollout.grading.because if "disagree" in reason.text), None)
        yield said or "The recorded reward is not the one that the row's own evidence gives.", graded_place(rollout)


def reward_unreadable(rollout: Rollout, _options: ReadOptions) -> Found:
    """The reward is written, and is no finite number."""
    row = rollout.evidence.row
    if row is not None and row.reward_literal is not None:
        yield f"The reward is written as {row.reward_literal}, which is no finite number.", None


def no_content_match(rollout: Rollout, _options: ReadOptions) -> Found:
    """The capture found no call with the scored content."""
    if NO_MATCH not in rollout.attribution.reasons:
        return
    witness = witness_of(rollout)
    hint = ""
    if witness is not None and witness.without_think:
        hint = f" Ignoring a leading think block, call `{witness.without_think[0]}` would have matched."
    yield f"No captured model call has the scored content (no_content_match).{hint}", graded_place(rollout)


def masked_multi_chain(rollout: Rollout, _options: ReadOptions) -> Found:
    """Token capture masks the sample because it cannot tell which chain was scored."""
    told = rollout.attribution
    if told.masked and told.mask_rule == MULTI_CHAIN:
        counts = f"{told.chains or 'an unknown number of'} chains, {told.roots or 'an unknown number of'} roots"
        yield f"Token capture masks the sample: no call is attributed and there are {counts}.", None


def mask_contradicts(rollout: Rollout, _options: ReadOptions) -> Found:
    """A row of the masking table would mask the sample, and the row says that it is not masked."""
    row = rollout.evidence.row
    if row is None or row.mask_sample is not False:
        return
    if any(rule.masks for rule in MASK_ROWS if rule.id == rollout.attribution.mask_rule):
        yield f"Token capture would mask this sample ({rollout.attribution.mask_rule}), and mask_sample is false.", None


def witness_disagrees(rollout: Rollout, _options: ReadOptions) -> Found:
    """The content witness, recomputed, names another call than the record does."""
    told = rollout.attribution
    if told.status == "not_captured":
        return
    witness = witness_of(rollout)
    if witness is None or not witness.checkable:
        return
    by_content = (told.method or "").startswith("content")
    if NO_MATCH in told.reasons and witness.matches:
        yield f"The record says no_content_match; call `{witness.matches[0]}` has the scored content.", None
    elif by_content and told.chain != "delivered" and told.call_id not in witness.matches:
        yield f"The record attributes call `{told.call_id}` by its content, which is not the scored content.", None


RULES = (
    FindingRule(
        "judge-unparsable",
        "warning",
        "A judge replied and no verdict could be read from the reply.",
        "gym-semantics 6.4, 9.1",
        judge_unparsable,
    ),
    FindingRule(
        "reward-contradicts-verdict",
        "error",
        "The recorded reward is not the one that the row's own evidence gives by the verifier's rule.",
        "gym-semantics 9",
        reward_contradicts,
    ),
    FindingRule(
        "reward-unreadable",
        "error",
        "A reward is written and is no finite number.",
        "gym-semantics 1.2",
        reward_unreadable,
    ),
    FindingRule(
        "no-content-match",
        "warning",
        "Token capture found no model call whose content is the scored content.",
        "gym-semantics 8.4",
        no_content_match,
    ),
    FindingRule(
        "masked-multi-chain",
        "warning",
        "Token capture keeps the sample out of training: no call is attributed and several could be the scored one.",
        "gym-semantics 8.3",
        masked_multi_chain,
    ),
    FindingRule(
        "mask-contradicts-capture",
        "warning",
        "The masking table of token capture would mask the sample, and the row says it is not masked.",
        "gym-semantics 8.3",
        mask_contradicts,
    ),
    FindingRule(
        "content-witness-disagrees",
        "warning",
        "Compared again by content, the captured calls say something else than the recorded attribution.",
        "gym-semantics 8.4",
        witness_disagrees,
    ),
)
