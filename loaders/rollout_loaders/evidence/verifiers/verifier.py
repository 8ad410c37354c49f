"""What a verifier family is here: how its rows are recognised, and how one of them is explained."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.evidence.quoting import figure
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Item, JsonObject, JsonValue, JudgeCall, Reason, RowRecord, Scored, Verdict

AGREES = "agrees"
DISAGREES = "disagrees"
CANNOT = "cannot be recomputed"
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Case:
    """One row as a verifier module sees it."""

    row: RowRecord
    fields: JsonObject
    """The row's extras: every field that is neither the collector's nor the response."""
    scored: Scored

    @property
    def reward(self) -> float | None:
        """The recorded reward, where it is a finite number."""
        return self.row.reward

    @property
    def reads_row(self) -> bool:
        """True when the scored items are the row's own response, so that they can contradict its fields."""
        return self.scored.reading == "row"

    @property
    def assistant_messages(self) -> tuple[Item, ...]:
        """The assistant messages of the scored items, in order."""
        return tuple(item for item in self.scored.items if item.is_assistant_message)

    @property
    def last_text(self) -> str | None:
        """Text of the last assistant message, stripped as Gym does; None where there is no such message."""
        messages = self.assistant_messages
        return (messages[-1].text or "").strip() if messages else None

    @property
    def headline(self) -> str:
        """`Reward 0`, or words for a row without one."""
        if self.row.reward_literal is not None:
            return f"Reward `{self.row.reward_literal}`"
        return "No reward" if self.reward is None else f"Reward {figure(self.reward)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a verifier module says of one row."""

    sentences: tuple[Reason, ...]
    recomputed: str | None = None
    """`agrees`, `disagrees`, `cannot be recomputed`; None where no rule for this verifier exists."""
    expected: JsonValue = None
    extracted: JsonValue = None
    judge_calls: tuple[JudgeCall, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Verifier:
    """A family of verifiers. `picks` names how it picks its text (a key of `scored_text.PICKS`)."""

    name: str
    recognise: Callable[[Case], bool]
    explain: Callable[[Case], Explanation]
    picks: str


def compared(case: Case, by_evidence: float, evidence: str, rests_on: str) -> tuple[str, Reason]:
    """Hold the recorded reward against what its evidence gives; `evidence` names that in words."""
    if case.reward is None:
        return cannot(f"the row holds no reward, {evidence} would give {figure(by_evidence)}", rests_on)
    if abs(case.reward - by_evidence) <= TOLERANCE:
        return AGREES, Reason(f"The reward agrees with {evidence}.", rests_on=rests_on)
    return DISAGREES, Reason(
        f"The reward disagrees with the row's own evidence: {evidence} gives {figure(by_evidence)}, "
        f"the row says {figure(case.reward)}.",
        rests_on=rests_on,
    )


def contradiction(what: str, rests_on: str) -> tuple[str, Reason]:
    """Two of the row's own fields say different things, so that its reward cannot rest on both."""
    return DISAGREES, Reason(f"The row's evidence disagrees with itself: {what}.", rests_on=rests_on)


def cannot(why: str, rests_on: str | None = None) -> tuple[str, Reason]:
    """The evidence does not settle the reward; `why` completes `The reward cannot be recomputed: …`."""
    return CANNOT, Reason(f"The reward cannot be recomputed: {why}.", rests_on=rests_on)
