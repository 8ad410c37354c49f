"""What moved between two rollouts of one task."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Finding, Rollout, Turn

from .alignment import Step, align
from .divergence import Divergence, first_divergence


@dataclass(frozen=True, slots=True)
class Side:
    """The facts of one side that a comparison shows; the rollout itself may be let go."""

    id: str
    path: str
    locator: str | None
    state: str
    reward: float | None
    outcome: str
    failure_kind: str | None
    scored_text: str | None
    final_answer: str | None
    stands: bool
    reasoning_items: int
    turns: int
    tool_calls: int
    tokens_out: int | None
    judge_requests: tuple[str | None, ...]
    policy: str
    """What the run's outcome policy does with it, as far as its defaults or a stated policy say."""
    findings: tuple[str, ...]
    """Codes with severity warning or error, each once."""

    @property
    def valid_reward(self) -> float | None:
        """The reward where it measures the policy, else None: only such rewards are compared."""
        return self.reward if self.state == "graded" else None


@dataclass(frozen=True, slots=True)
class Delta:
    """One pair, compared."""

    left: Side
    right: Side
    reward_moved: str
    """`up`, `down`, `same` or `not comparable` (one side has no valid reward)."""
    reasoning_moved: str | None
    """`out of the answer`, `into the answer`, or None."""
    equal_turns: int
    changed_turns: int
    dropped_turns: int
    added_turns: int
    tool_calls_changed: int
    reasoning_differs: int
    """Turns with equal behaviour and different reasoning: counted, no divergence."""
    findings_gained: tuple[str, ...]
    findings_lost: tuple[str, ...]
    divergence: Divergence | None
    steps: tuple[Step, ...]

    @property
    def changed(self) -> bool:
        """Whether a reviewer has anything to look at here."""
        return bool(
            self.left.reward != self.right.reward
            or self.left.state != self.right.state
            or self.left.outcome != self.right.outcome
            or self.left.policy != self.right.policy
            or self.left.scored_text != self.right.scored_text
            or self.left.final_answer != self.right.final_answer
            or self.findings_gained
            or self.findings_lost
            or self.divergence
        )

    @property
    def badness(self) -> tuple[float, ...]:
        """Sorts the worst first: reward lost, state or outcome changed, answers changed, turns changed."""
        one, two = self.left.valid_reward, self.right.valid_reward
        fall = one - two if one is not None and two is not None else 0.0
        return (
            -fall,
            -(self.left.state != self.right.state),
            -(self.left.outcome != self.right.outcome),
            -(self.left.scored_text != self.right.scored_text),
            -len(self.findings_gained),
            -(self.changed_turns + self.dropped_turns + self.added_turns),
        )


def compare(left: Rollout, right: Rollout) -> Delta:
    """Compare two rollouts; their root conversations are aligned."""
    one, two = _turns(left), _turns(right)
    steps = align(one, two)
    a, b = _side(left), _side(right)
    kinds = [step.kind for step in steps]
    return Delta(
        left=a,
        right=b,
        reward_moved=_moved(a, b),
        reasoning_moved=_reasoning_moved(a.final_answer, b.final_answer),
        equal_turns=kinds.count("equal"),
        changed_turns=kinds.count("changed"),
        dropped_turns=kinds.count("dropped"),
        added_turns=kinds.count("added"),
        tool_calls_changed=sum(_calls_changed(one, two, step) for step in steps),
        reasoning_differs=sum(step.kind == "equal" and step.reasoning_differs for step in steps),
        findings_gained=tuple(code for code in b.findings if code not in a.findings),
        findings_lost=tuple(code for code in a.findings if code not in b.findings),
        divergence=first_divergence(one, two, steps),
        steps=steps,
    )


def _turns(rollout: Rollout) -> tuple[Turn, ...]:
    return rollout.root.turns if rollout.root else ()


def _side(rollout: Rollout) -> Side:
    turns = [turn for invocation in rollout.invocations for turn in invocation.turns]
    return Side(
        id=rollout.id,
        path=rollout.source.path,
        locator=rollout.source.locator,
        state=rollout.grading.state,
        reward=rollout.grading.reward,
        outcome=rollout.outcome.status,
        failure_kind=rollout.outcome.failure_kind,
        scored_text=rollout.scored.final_text,
        final_answer=rollout.final_answer.text,
        stands=rollout.final_answer.stands,
        reasoning_items=sum(len(turn.reasoning) for turn in turns),
        turns=len(turns),
        tool_calls=sum(len(turn.tool_calls) for turn in turns),
        tokens_out=rollout.usage.output,
        judge_requests=tuple(call.request_text for call in rollout.grading.judge_calls),
        policy=rollout.outcome.policy.action,
        findings=tuple(dict.fromkeys(finding.code for finding in rollout.findings if _serious(finding))),
    )


def _serious(finding: Finding) -> bool:
    return finding.severity in ("error", "warning")


def _moved(one: Side, two: Side) -> str:
    before, after = one.valid_reward, two.valid_reward
    if before is None or after is None:
        return "not comparable"
    return "up" if after > before else "down" if after < before else "same"


def _reasoning_moved(before: str | None, after: str | None) -> str | None:
    if before is None or after is None or before == after:
        return None
    if before.startswith("<think>") and "</think>" in before and _rest(before) == after:
        return "out of the answer"
    if after.startswith("<think>") and "</think>" in after and _rest(after) == before:
        return "into the answer"
    return None


def _rest(text: str) -> str:
    return text.split("</think>", 1)[1].lstrip()


def _calls_changed(one: tuple[Turn, ...], two: tuple[Turn, ...], step: Step) -> int:
    before = list(one[step.left].tool_calls) if step.left is not None else []
    after = list(two[step.right].tool_calls) if step.right is not None else []
    if step.kind == "equal":
        return 0
    same = sum(a.name == b.name and a.arguments == b.arguments for a, b in zip(before, after, strict=False))
    return max(len(before), len(after)) - same
