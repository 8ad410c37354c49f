"""Compaction boundaries: what was compacted, what was kept, and what is unresolved about them."""

from __future__ import annotations

import pytest
from tests.factories import (
    ROOT,
    compaction,
    rollout,
    think_only,
    turn,
)
from tests.views.shown import only

from rollout_loaders.model import (
    Place,
    Scored,
)
from rollout_views.block import Block
from rollout_views.transcript import blocks, section_blocks, sections


def boundary(**fields: object) -> list[Block]:
    one = compaction(1, **fields)  # type: ignore[arg-type]
    r = rollout(turn(1, answer="a"), turn(2, answer="b"), compactions=(one,))
    section = next(s for s in sections(r, "observed") if s.kind == "compaction")
    return list(section_blocks(r, "observed", section))


def test_a_boundary_says_trigger_tokens_outcome_and_what_was_kept() -> None:
    shown = boundary(
        tokens_before=48_900, tokens_after=6_100, first_kept_turn=1, first_kept_item_id="prt_t1-answer-1", summary="s"
    )
    assert shown[0].title == "context compacted: overflow · 48.9k → 6.1k tokens · completed · first kept: turn 1 answer"
    assert shown[0].rule
    assert shown[0].links[0].place == Place(ROOT, 1, "prt_t1-answer-1")
    assert [(block.label, block.folded) for block in shown] == [
        ("compact", False),
        ("summary", True),
        ("context", False),
    ]


def test_a_boundary_that_keeps_an_earlier_turn_names_it() -> None:
    shown = boundary(first_kept_turn=1, summary="s")
    assert shown[-1].title == "turns above turn 1 are no longer in the model's context; the summary stands for them"


def test_the_next_turn_is_not_called_kept_where_nothing_was() -> None:
    """CONTRACT 4.5: without a tail `first_kept_turn` is the next turn; the jump to it stays."""
    shown = boundary(first_kept_turn=2, summary="s")
    assert "first kept" not in shown[0].title
    assert shown[0].title.endswith("no turn kept; next: turn 2")
    assert shown[0].links[0].place == Place(ROOT, 2)
    assert shown[-1].title == "everything above is no longer in the model's context; the summary stands for it"
    at_end = boundary(kept_nothing=True, summary="s")
    assert at_end[0].title.endswith("no turn kept")
    assert at_end[-1].title == shown[-1].title


def test_a_boundary_whose_kept_tail_is_not_recorded_says_just_that() -> None:
    shown = boundary(summary="s")
    assert shown[0].title.endswith("first kept: not recorded")
    assert shown[-1].title == "which of the turns above the model kept beside the summary is not recorded"


def test_turns_that_a_compaction_may_have_kept_are_marked_as_in_doubt() -> None:
    r = rollout(turn(1, answer="a"), turn(2, answer="b", in_context_at_end=True), compactions=(compaction(1),))
    heads = [block for block in blocks(r, "observed") if block.label == "turn"]
    assert ["unknown whether it was still in context" in block.title for block in heads] == [True, False]
    assert not any(block.out_of_context for block in heads)


def test_unknown_tokens_are_not_zero() -> None:
    assert "tokens not recorded" in boundary()[0].title
    assert "· → 5 tokens" in boundary(tokens_after=5)[0].title


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("failed", "nothing was taken out"),
        ("aborted", "nothing was taken out"),
        ("unknown", "is not recorded"),
    ],
)
def test_an_unresolved_boundary_is_a_problem_and_says_why(outcome: str, said: str) -> None:
    shown = boundary(outcome=outcome, error="503 from the model")
    assert {block.tone for block in shown if block.rule} == {"problem"}
    assert "503 from the model" in [block.body for block in shown]
    assert said in shown[-1].title


def test_a_completed_boundary_without_summary_is_a_problem() -> None:
    summary = boundary()[1]
    assert (summary.title, summary.tone) == ("none recorded", "problem")


def test_a_boundary_before_the_first_turn_comes_first() -> None:
    r = rollout(turn(1, answer="a"), compactions=(compaction(0),))
    assert [section.kind for section in sections(r, "observed")] == ["compaction", "turn", "tail"]


def test_a_boundary_whose_place_is_not_recorded_is_not_lost() -> None:
    r = rollout(turn(1, answer="a"), compactions=(compaction(None, id="c"),))
    assert [section.key for section in sections(r, "observed")] == ["turn:1", "compaction:c", "tail:end"]
    assert "not recorded" in only(r, "compact").title


def test_turns_that_left_the_context_say_so() -> None:
    r = think_only()
    heads = [block for block in blocks(r, "observed") if block.label == "turn"]
    assert [block.out_of_context for block in heads] == [True, False, False]
    assert "out of context" in heads[0].title


def test_a_graded_summary_carries_the_badge() -> None:
    one = compaction(1, summary="the sum", summary_message_ids=("msg_s",))
    r = rollout(
        turn(1, answer="a"),
        compactions=(one,),
        scored=Scored(final_text="the sum", final_index=0, origin=Place(ROOT, None, "msg_s")),
    )
    assert [block.label for block in blocks(r, "observed") if block.badge] == ["summary"]
