"""What the verifier said, and whether the number measures the policy at all."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .jsontypes import JsonObject, JsonValue
from .place import Reason


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """One judge evaluation: what was asked, what came back, the label found in it."""

    request_text: str | None
    """All message texts of the judge's request, roles marked by `InputMessage`-like lines `role: text`."""
    response_text: str | None
    verdict_label: str | None
    """The label as the judge wrote it, e.g. `[[A=B]]`."""
    verdict: str | None = None
    """`equal`, `not equal`, `YES`, `NO`, … in words, None when no label was found."""
    swapped: bool = False
    """The second question of a pair, with expected and given answer exchanged."""
    decided: bool = False
    """The verdict of this call became the reward."""
    data: JsonObject = field(default_factory=lambda: {})
    """The evaluation as recorded."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One graded criterion: a rubric line, a test, an instruction, a component."""

    name: str
    passed: bool | None
    """None where it was not decided."""
    score: float | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Grading:
    """The grade and its validity. A missing or invalid reward is never drawn as 0."""

    state: str = "not_graded"
    """`graded`, `invalid`, `not_graded`, `masked` or `unreadable` (CONTRACT 3, precedence there)."""
    reward: float | None = None
    """The recorded reward where it is a finite number, whatever `state` says about it."""
    rule: str | None = None
    """Id of the rule that explains the reward."""
    failure_reason: str | None = None
    """As the verifier recorded it."""
    expected: JsonValue = None
    """What the verifier wanted, as the row holds it."""
    extracted: JsonValue = None
    """What the verifier took out of the scored text."""
    judge_calls: tuple[JudgeCall, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    mask_sample: bool | None = None
    """As recorded; None where the row does not say."""
    extras: JsonObject = field(default_factory=lambda: {})
    """The verifier's own fields of the row (gym-semantics 9.3)."""
    because: tuple[Reason, ...] = ()
    components: JsonObject = field(default_factory=lambda: {})
    """`reward_components` of the row."""
    verifier: str | None = None
    """Verifier family that the row's fields show, e.g. `equivalence_llm_judge`; None when not recognised."""
    reads_text: bool | None = None
    """Whether the verifier reads the scored text; False for one that runs tests or compares calls; None: not known."""
    recomputed: str | None = None
    """`agrees`, `disagrees` or `cannot be recomputed`; None where no rule for this verifier exists."""
