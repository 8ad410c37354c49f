"""Ends as other harnesses record them: each row of the table decides its case, and fails to without it."""

from __future__ import annotations

import pytest

from rollout_loaders.evidence import outcome_recorded
from rollout_loaders.evidence.outcome_recorded import ENDS, FINISHES, RULES
from rollout_loaders.model import Ending, Evidence, Rollout, RowRecord, SourceRef

CASES: dict[str, tuple[Ending, str]] = {
    "recorded-error": (Ending("info.exit_status", "Submitted", error="no key"), "failed"),
    "recorded-cut-off": (Ending("stop_condition", "no_tools_called", cut_off="is_truncated"), "incomplete"),
    "recorded-single-turn": (Ending("stop_condition", "max_turns_reached", replies=1), "completed"),
    "recorded-end": (Ending("result.subtype", "error_max_turns"), "incomplete"),
    "recorded-other": (Ending("info.exit_status", "SomethingNew"), "unknown"),
    "end-missing": (Ending("result.subtype"), "unknown"),
    "no-end-recorded": (Ending(), "unknown"),
}


def rollout(ending: Ending, row: RowRecord | None = None) -> Rollout:
    return Rollout(id="x", source=SourceRef("x", "atif"), evidence=Evidence(ending=ending, row=row))


def test_every_row_has_a_case() -> None:
    assert list(CASES) == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule", CASES)
def test_row(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ending, status = CASES[rule]
    found = outcome_recorded.outcome(rollout(ending), ending)
    assert (found.rule, found.status) == (rule, status)
    assert found.because[0].text.endswith(".")
    if rule != RULES[-1].id:
        monkeypatch.setattr(outcome_recorded, "RULES", tuple(one for one in RULES if one.id != rule))
        assert outcome_recorded.outcome(rollout(ending), ending).rule != rule


@pytest.mark.parametrize(
    ("field", "word", "status"), [(f, w, s) for f, words in ENDS.items() for w, s in words.items()]
)
def test_every_known_word(field: str, word: str, status: str) -> None:
    ending = Ending(field, word)
    found = outcome_recorded.outcome(rollout(ending), ending)
    assert (found.status, found.recorded[field]) == (status, word)


@pytest.mark.parametrize(("finish", "shown"), FINISHES.items())
def test_the_last_reply_is_a_reading_and_decides_nothing(finish: str, shown: str) -> None:
    ending = Ending(last_finish=finish)
    found = outcome_recorded.outcome(rollout(ending), ending)
    assert (found.status, [(r.reading, r.status) for r in found.readings]) == ("unknown", [("events", shown)])


def test_whether_it_was_graded_is_known_by_the_reward_only() -> None:
    ending = Ending()
    assert outcome_recorded.outcome(rollout(ending), ending).graded is None
    row = RowRecord(reward=0.5, reward_literal=None, has_reward=True)
    assert outcome_recorded.outcome(rollout(ending, row), ending).graded is True
