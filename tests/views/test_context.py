"""What the model had at a turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.factories import ROOT, compaction, invocation, rollout, turn

from rollout_loaders.model import SessionPath
from rollout_views.context import context_at

TURNS = tuple(turn(number, answer="a") for number in range(1, 6))


def test_without_compaction_everything() -> None:
    found = context_at(rollout(*TURNS), ROOT, 3)
    assert [number for number in range(1, 6) if found.holds(number)] == [1, 2, 3]
    assert found.sentence == "at turn 3 the model had everything since the start"


def test_a_pi_log_alone_says_that_what_came_before_it_is_unknown() -> None:
    logged = rollout(*TURNS)
    logged = replace(logged, source=replace(logged.source, format="pi-events"))
    assert context_at(logged, ROOT, 3).sentence == (
        "unknown what came before this log; at turn 3 the model had everything since its start"
    )
    with_its_file = SessionPath(on_path=frozenset(range(1, 6)), abandoned=frozenset())
    joined = replace(logged, invocations=(invocation(*TURNS, session_path=with_its_file),))
    assert context_at(joined, ROOT, 3).sentence == "at turn 3 the model had everything since the start"


def test_a_compaction_counts_only_for_the_turns_after_it() -> None:
    r = rollout(*TURNS, compactions=(compaction(3, first_kept_turn=3, summary="s"),))
    assert context_at(r, ROOT, 3).first_turn == 1
    after = context_at(r, ROOT, 5)
    assert [number for number in range(1, 6) if after.holds(number)] == [3, 4, 5]
    assert after.sentence == "at turn 5 the model had a summary and 2 earlier turns (from turn 3)"


def test_what_is_not_recorded_is_not_certain() -> None:
    kept_unknown = context_at(rollout(*TURNS, compactions=(compaction(3),)), ROOT, 4)
    assert (kept_unknown.first_turn, kept_unknown.certain) == (1, False)
    open_one = context_at(rollout(*TURNS, compactions=(compaction(3, outcome="unknown"),)), ROOT, 4)
    assert (open_one.first_turn, open_one.certain) == (1, False)


def test_a_compaction_whose_kept_tail_is_not_recorded_hides_no_turn_and_says_so_first() -> None:
    done = compaction(1, first_kept_turn=2, summary="s")
    found = context_at(rollout(*TURNS, compactions=(done, compaction(3, summary="t"))), ROOT, 4)
    assert [number for number in range(1, 6) if found.holds(number)] == [2, 3, 4]
    assert found.summary is not None
    assert found.summary.summary == "t"
    assert found.sentence.startswith("unknown what the compaction kept of turns 2 to 3")


def test_a_compaction_that_kept_nothing_leaves_the_summary_only() -> None:
    found = context_at(rollout(*TURNS, compactions=(compaction(3, kept_nothing=True),)), ROOT, 4)
    assert (found.first_turn, found.certain) == (4, True)
    assert found.sentence == "at turn 4 the model had a summary and no earlier turn"


def test_a_compaction_of_unrecorded_place_is_not_passed_over() -> None:
    found = context_at(rollout(*TURNS, compactions=(compaction(None, first_kept_turn=2),)), ROOT, 4)
    assert (found.first_turn, found.certain) == (1, False)
    assert found.sentence.startswith("unknown where among the turns a compaction stands")


def test_turns_that_a_log_has_in_line_and_its_session_file_on_abandoned_branches() -> None:
    path = SessionPath(on_path=frozenset({1, 4, 5}), abandoned=frozenset({2, 3}))
    logged = rollout(invocations=(invocation(*TURNS, session_path=path),))
    found = context_at(logged, ROOT, 5)
    assert [number for number in range(1, 6) if found.holds(number)] == [1, 4, 5]
    assert found.sentence.startswith("at turn 5 the model had 2 earlier turns; 2 turns before it stand on abandoned")
    assert context_at(logged, ROOT, 1).sentence == "at turn 1 the model had everything since the start"
    on_branch = context_at(logged, ROOT, 3)
    assert ([n for n in range(1, 6) if on_branch.holds(n)], on_branch.certain) == ([1, 2, 3], False)


def test_a_compaction_that_may_stand_on_an_abandoned_branch_hides_nothing() -> None:
    path = SessionPath(on_path=frozenset({1, 2, 4, 5}), abandoned=frozenset({3}))
    done = compaction(3, first_kept_turn=3, summary="s")
    found = context_at(rollout(invocations=(invocation(*TURNS, session_path=path, compactions=(done,)),)), ROOT, 5)
    assert ([n for n in range(1, 6) if found.holds(n)], found.certain) == ([1, 2, 4, 5], False)


@pytest.mark.parametrize("fields", [{"outcome": "failed"}, {"reverted": True}, {"lone_end": True}])
def test_compactions_that_took_nothing_out_change_nothing(fields: dict[str, bool]) -> None:
    one = compaction(3, first_kept_turn=3, **fields)  # type: ignore[arg-type]
    assert context_at(rollout(*TURNS, compactions=(one,)), ROOT, 5).first_turn == 1


def test_an_unknown_conversation_is_an_error() -> None:
    with pytest.raises(KeyError):
        context_at(rollout(*TURNS), "ses_other", 1)
