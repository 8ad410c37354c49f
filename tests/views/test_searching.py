"""Search: folded text too, in every conversation, with the line it stands on, and it can be left at any time."""

from __future__ import annotations

from tests.factories import invocation, rollout, think_only, tool_call, turn

from rollout_views.pattern import compile_pattern
from rollout_views.searching import find, search_rollout
from rollout_views.transcript import blocks


def test_folded_text_is_found_with_its_place() -> None:
    (match,) = search_rollout(think_only(), compile_pattern("nothing more to say"))
    assert (match.place.turn, match.block.label) == (3, "think")
    assert (match.before, match.text, match.after) == ("The check passed, ", "nothing more to say", ".")
    assert match.block.body[match.start : match.end] == match.text


def test_subagents_are_searched() -> None:
    child = invocation(turn(1, answer="the needle"), ident="ses_child")
    (match,) = search_rollout(rollout(turn(1, answer="x"), children=(child,)), compile_pattern("needle"))
    assert match.place.invocation == "ses_child"


def test_tool_names_and_inline_arguments_are_found_our_own_words_are_not() -> None:
    r = rollout(turn(1, answer="x", tools=(tool_call("read", {"filePath": "/app/needle.txt"}),)))
    assert [match.in_title for match in search_rollout(r, compile_pattern("needle"))] == [True]
    assert list(search_rollout(r, compile_pattern("scored text"))) == []


def test_case_matters_only_when_it_is_given() -> None:
    r = rollout(turn(1, answer="Overflow overflow"))
    assert len(list(search_rollout(r, compile_pattern("overflow")))) == 2
    assert len(list(search_rollout(r, compile_pattern("Overflow")))) == 1
    assert len(list(search_rollout(r, compile_pattern("Overflow", match_case=False)))) == 2


def test_a_pattern_is_literal_unless_it_is_said_to_be_an_expression() -> None:
    r = rollout(turn(1, answer="a.c abc"))
    assert [match.start for match in search_rollout(r, compile_pattern("a.c"))] == [0]
    assert [match.start for match in search_rollout(r, compile_pattern("a.c", regex=True))] == [0, 4]


def test_empty_matches_are_none() -> None:
    assert list(search_rollout(rollout(turn(1, answer="abc")), compile_pattern("x*", regex=True))) == []


def test_long_lines_are_excerpted_and_said_to_be() -> None:
    (match,) = search_rollout(rollout(turn(1, answer="a" * 500 + "needle" + "b" * 500)), compile_pattern("needle"))
    assert match.before == "…" + "a" * 60
    assert match.after == "b" * 60 + "…"


def test_it_stops_when_it_is_told_to() -> None:
    r = rollout(*(turn(number, answer="needle") for number in range(1, 100)))
    asked = iter([False] * 5 + [True] * 1000)
    assert len(list(find(blocks(r, "observed"), compile_pattern("needle"), lambda: next(asked)))) < 6
