"""`compare`: what moved and why, for two rollouts and for two sets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.factories import rollout, tool_call, turn
from tests.paths import SAMPLES
from tests.widgets.shown import VIEW, bundle, words

from rollout_widgets import CannotShowError, CompareView, compare

BEFORE = SAMPLES / "split" / "before" / "rollouts.jsonl"
AFTER = SAMPLES / "split" / "after" / "rollouts.jsonl"


def compared(*sides: object) -> CompareView:
    view = compare(*sides)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert isinstance(view, CompareView)
    return view


def shown(view: CompareView) -> str:
    return words(view.children[-1].value)  # type: ignore[attr-defined]  # pyright: ignore


def test_two_sets_begin_with_the_totals() -> None:
    view = compared(BEFORE, AFTER)
    assert view.pair == -1
    assert view.status.startswith("5 pairs · 5 changed · reward up 2, down 0, same 3")
    text = shown(view)
    assert "final answers with <think> or </think> 5 of 5 0 of 5" in text
    for ident in ("0-0", "1-0", "2-0", "3-0", "4-0"):
        assert f"rollouts.jsonl#{ident}" in text


def test_the_sign_of_a_finding_stays_with_its_name() -> None:
    """A line may break after a hyphen, not after a minus: `-` stood alone at the end of lines on GitHub's pages."""
    text = shown(compared(BEFORE, AFTER))
    assert "+empty-final-answer −think-block-in-scored-text −think-block-in-judge-request" in text
    assert "0 equal, 1 changed, −0 +0" in text
    assert " -" not in text


def test_a_pair_says_what_moved_and_why_each_side_has_its_reward() -> None:
    view = compared(f"{BEFORE}#3-0", f"{AFTER}#3-0")
    assert view.pair == 0
    text = shown(view)
    assert "moved reward 0 → 1 · scored text 44 characters → 2 characters · reasoning moved out of the answer" in text
    assert "4 over the limit of 40 (`final_answer_too_long`); the judge was not called" in text
    assert "the judge says equal" in text
    assert "differs the answer lost its leading think block" in text
    assert text.index("the judge was not called") < text.index("the judge says equal")


def test_a_pair_is_picked_by_trait_and_by_control() -> None:
    view = compared(BEFORE, AFTER)
    view.pair = 4
    assert shown(view).strip().startswith("4-0 moved reward 0 on both sides · scored text 37 characters → empty")
    picker = view.children[0].children[0]  # type: ignore[attr-defined]  # pyright: ignore
    picker.value = 2
    assert view.pair == 2


def test_equal_turns_are_one_line_and_others_stand_side_by_side() -> None:
    same = [turn(number, answer=f"say {number}", tools=(tool_call(call_id=f"c{number}"),)) for number in (1, 2, 3)]
    one = rollout(*same, turn(4, answer="left"))
    two = rollout(*same, turn(4, answer="right"), turn(5, answer="more"))
    text = shown(compared(one, two))
    assert "turns 1 to 3 equal" in text
    assert "differs the answer differs" in text
    assert "A has no such turn" in text
    assert text.index("left") < text.index("right") < text.index("more")


def test_reasoning_alone_is_no_divergence_but_is_shown() -> None:
    one, two = (rollout(turn(1, reasoning=thought, answer="4")) for thought in ("first", "second"))
    assert "only the reasoning differs" in shown(compared(one, two))


def test_rewards_that_do_not_measure_the_policy_are_not_compared() -> None:
    one = rollout(turn(1, answer="4"), reward=0.0, state="masked")
    two = replace(rollout(turn(1, answer="4")), id="3-1")
    view = compared(one, two)
    assert "moved reward 0 masked → 1" in shown(view)
    assert "not comparable 1" in view.status


def test_the_bundle_is_whole_and_deterministic() -> None:
    made = bundle(compared(BEFORE, AFTER))
    again = bundle(compared(BEFORE, AFTER))
    assert made.pop(VIEW) != again.pop(VIEW)
    assert made == again == bundle(compare(BEFORE, AFTER, static=True))
    assert len(made["text/plain"].splitlines()) <= 60


def test_sets_without_a_common_task_say_so() -> None:
    text = shown(compared(AFTER, f"{BEFORE}#0-0"))
    assert "Only in A" in text


def test_an_unreadable_side_is_one_line() -> None:
    with pytest.raises(CannotShowError, match="does not exist"):
        compare(BEFORE, "nowhere.jsonl")
