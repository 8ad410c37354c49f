"""Findings about records that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rollout_loaders.convert.think import split
from rollout_loaders.model import Invocation, Place, RecordedTurn, Rollout
from rollout_loaders.reader import ReadOptions

from .rule import FindingRule, Found

EXCERPT = 60


def _excerpt(text: str) -> str:
    clean = text.strip()
    return repr(clean if len(clean) <= EXCERPT else f"{clean[:EXCERPT]}…")


class _Classed:
    """Texts of one record, by what it calls them; a leading think block is also known by its two halves."""

    def __init__(self, reasoning: Iterable[str], answer: Iterable[str]) -> None:
        self.reasoning = {text.strip() for text in reasoning if text.strip()}
        self.answer = {text.strip() for text in answer if text.strip()}
        self.inside: dict[str, str] = {}
        for text in self.answer:
            block = split(text)
            if block.reasoning is not None and block.reasoning.strip():
                self.inside.setdefault(block.reasoning.strip(), text)


def _conversation(invocation: Invocation) -> _Classed:
    reasoning = (item.text or "" for item in invocation.items if item.type == "reasoning")
    return _Classed(reasoning, (item.text or "" for item in invocation.items if item.is_assistant_message))


def _conflicts(turn: RecordedTurn, seen: _Classed) -> Iterator[str]:
    """One sentence for each text that the two records class differently."""
    recorded = _Classed(turn.reasoning, turn.answer)
    for text in sorted(recorded.reasoning - seen.reasoning):
        if text in seen.answer or text in seen.inside:
            whole = seen.inside.get(text, text)
            yield (
                f"the recorded turn has {_excerpt(text)} as reasoning, the observed conversation has it in the answer "
                f"{_excerpt(whole)}"
            )
    for text in sorted(recorded.answer - seen.answer):
        if text in seen.reasoning:
            yield f"the recorded turn has {_excerpt(text)} as answer, the observed conversation has it as reasoning"
    for text in sorted((recorded.inside.keys() - recorded.reasoning) & seen.reasoning):
        yield (
            f"the recorded turn has {_excerpt(recorded.inside[text])} as answer, the observed conversation has "
            f"{_excerpt(text)} of it as reasoning"
        )


def records_disagree(rollout: Rollout, _options: ReadOptions) -> Found:
    """The observed conversation and the recorded turns class the same text differently, or two artifacts disagree."""
    owners = {turn.invocation_id for turn in rollout.evidence.recorded_turns}
    conversations = {one.id: _conversation(one) for one in rollout.invocations if one.items and one.id in owners}
    for turn in rollout.evidence.recorded_turns:
        seen = conversations.get(turn.invocation_id)
        for sentence in () if seen is None else _conflicts(turn, seen):
            yield f"In turn {turn.number}, {sentence}.", Place(turn.invocation_id, turn.number)
    for sentence in rollout.evidence.disagreements:
        yield sentence, None


RULES = (
    FindingRule(
        "records-disagree",
        "warning",
        "Two records of the same rollout contradict each other, or class the same text differently.",
        "CONTRACT 2; seed 000: two records of the same turn using different classifications",
        records_disagree,
    ),
)
