"""Alignment, deltas and totals, on synthetic turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollout_loaders.comparison import align, compare, pair_up, total
from rollout_loaders.comparison.totals import sign_test
from rollout_loaders.model import (
    FinalAnswer,
    Grading,
    Invocation,
    JudgeCall,
    Outcome,
    Rollout,
    RolloutSummary,
    Scored,
    SourceRef,
    Task,
    TextPiece,
    ToolCall,
    Turn,
    Usage,
)
from rollout_loaders.model import Harness as HarnessOf


def turn(number: int, tool: str | None = None, arguments: str = "", answer: str = "", thought: str = "") -> Turn:
    calls = (ToolCall(f"c{number}", f"c{number}", tool, {"command": arguments}, "completed"),) if tool else ()
    return Turn(
        number,
        f"m{number}",
        tool_calls=calls,
        answer=(TextPiece(f"a{number}", answer),) if answer else (),
        reasoning=(TextPiece(f"r{number}", thought),) if thought else (),
    )


def rollout(
    *turns: Turn, reward: float | None = 1.0, state: str = "graded", final: str = "4", **more: object
) -> Rollout:
    return Rollout(
        id="x",
        source=SourceRef("x.jsonl", "gym-rollouts"),
        invocations=(Invocation("root", turns=turns),),
        final_answer=FinalAnswer(final, len(turns), "a", True),
        scored=Scored(final_text=final),
        outcome=Outcome("completed"),
        grading=Grading(state, reward, judge_calls=(JudgeCall(f"is {final} right?", "yes", None),)),
    )


def summary(name: str, task: int | None = None, index: int | None = None, prompt: str | None = None) -> RolloutSummary:
    return RolloutSummary(
        id=name,
        source=SourceRef(name, "gym-rollouts"),
        harness=HarnessOf(),
        task=Task(task, index, prompt=prompt),
        state="graded",
        reward=1.0,
        status="completed",
        failure_kind=None,
        turns=1,
        tool_calls=0,
        answer_chars=1,
        answer_stands=True,
        findings=(),
        usage=Usage(),
    )


def test_an_inserted_turn_does_not_shift_what_follows() -> None:
    left = [turn(1, "bash", "a"), turn(2, "bash", "b"), turn(3, answer="4")]
    right = [turn(1, "bash", "a"), turn(2, "read", "x"), turn(3, "bash", "b"), turn(4, answer="4")]
    steps = align(left, right)
    assert [(step.kind, step.left, step.right) for step in steps] == [
        ("equal", 0, 0),
        ("added", None, 1),
        ("equal", 1, 2),
        ("equal", 2, 3),
    ]


def test_different_reasoning_before_the_same_action_is_no_divergence() -> None:
    delta = compare(rollout(turn(1, "bash", "a", thought="one")), rollout(turn(1, "bash", "a", thought="two")))
    assert delta.divergence is None
    assert delta.reasoning_differs == 1


def test_the_first_divergence_names_the_arguments_that_differ() -> None:
    delta = compare(
        rollout(turn(1, "bash", "a"), turn(2, answer="4")), rollout(turn(1, "bash", "b"), turn(2, answer="4"))
    )
    assert delta.divergence is not None
    assert delta.divergence.parts == "tool arguments differ: bash command"
    assert (delta.divergence.left_turn, delta.divergence.right_turn) == (1, 1)


def test_a_reward_that_does_not_measure_the_policy_is_not_compared() -> None:
    delta = compare(rollout(reward=1.0), rollout(reward=0.0, state="invalid"))
    assert delta.reward_moved == "not comparable"


def test_reasoning_that_left_the_answer_is_named() -> None:
    before = rollout(turn(1, answer="<think>why</think>\n\n4"), final="<think>why</think>\n\n4")
    delta = compare(before, rollout(turn(1, answer="4", thought="why"), final="4"))
    assert delta.reasoning_moved == "out of the answer"
    assert delta.divergence is not None
    assert delta.divergence.parts == "the answer lost its leading think block"


def test_totals_are_n_of_n() -> None:
    before = [rollout(final="<think>a</think>4"), rollout(final="x </think>", reward=0.0)]
    after = [rollout(final="4"), rollout(final="x", reward=1.0)]
    result = total([compare(a, b) for a, b in zip(before, after, strict=True)])
    assert (result.left.answers_with_think.n, result.left.answers_with_think.of) == (2, 2)
    assert result.left.answers_that_begin_with_think.n == 1
    assert result.left.judge_requests_with_think.n == 2
    assert result.right.answers_with_think.n == 0
    assert (result.reward_up, result.reward_down, result.reward_same) == (1, 0, 1)
    assert (result.left.answer_chars.low, result.left.answer_chars.high) == (10, 17)


def test_sign_test_by_hand() -> None:
    assert sign_test(0, 0) is None
    assert sign_test(1, 0) == 1.0
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(4, 1) == 12 / 32


def test_pairs_by_task_then_id_then_prompt() -> None:
    left = [summary("a", 1, 0), summary("ses_1", prompt="p"), summary("ses_2", prompt="q"), summary("lost", 9, 9)]
    right = [summary("ses_9", prompt="q"), summary("b", 1, 0), summary("ses_1", prompt="p"), summary("new", 8, 8)]
    result = pair_up(left, right)
    assert [(p.left.id, p.right.id, p.rule) for p in result.pairs] == [
        ("a", "b", "task"),
        ("ses_1", "ses_1", "id"),
        ("ses_2", "ses_9", "prompt"),
    ]
    assert [s.id for s in result.only_left] == ["lost"]
    assert [s.id for s in result.only_right] == ["new"]


def test_one_rollout_each_is_a_pair_whatever_its_identity() -> None:
    assert pair_up([summary("a", 1, 0)], [summary("b", 2, 2)]).pairs[0].rule == "only one each"


turns = st.lists(st.tuples(st.sampled_from(["bash", "read", None]), st.sampled_from("abc")), max_size=12)


@given(turns, turns)
def test_every_turn_of_both_sides_stands_in_exactly_one_step_in_order(
    left: list[tuple[str | None, str]], right: list[tuple[str | None, str]]
) -> None:
    one = [turn(k, tool, text, "" if tool else text) for k, (tool, text) in enumerate(left, 1)]
    two = [turn(k, tool, text, "" if tool else text) for k, (tool, text) in enumerate(right, 1)]
    steps = align(one, two)
    assert [step.left for step in steps if step.left is not None] == list(range(len(one)))
    assert [step.right for step in steps if step.right is not None] == list(range(len(two)))
    for step in steps:
        if step.kind == "equal":
            assert step.left is not None
            assert step.right is not None
            assert left[step.left] == right[step.right]


@given(turns)
def test_a_run_against_itself_is_equal_throughout(left: list[tuple[str | None, str]]) -> None:
    one = [turn(k, tool, text) for k, (tool, text) in enumerate(left, 1)]
    assert all(step.kind == "equal" for step in align(one, one))
