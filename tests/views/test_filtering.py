"""The filter language: what matches, that unknown never does, and errors that name their column."""

from __future__ import annotations

import pytest
from tests.factories import rollout, summary, tool_call, turn

from rollout_loaders.model import Rollout, RolloutSummary, Task, Usage
from rollout_views.filtering import FIELDS, FilterError, compile_filter, suggestions

ROWS = [
    summary("3-1", reward=0.0, findings=("empty-final-answer",), turns=3, duration_ms=100_000),
    summary("7-1", state="invalid", reward=0.0, status="failed", failure_kind="unknown", answer_stands=False, turns=30,
            task=Task(7, 1, prompt="Sum it up"), findings=()),
    summary("9-2", state="not_graded", reward=None, status="incomplete", task=Task(9, 2), answer_chars=612, turns=9,
            usage=Usage(), findings=None, duration_ms=None),
    summary("9-3", reward=1.0, task=Task(9, 3), answer_chars=10, turns=9, findings=("overflow-not-recovered",)),
]  # fmt: skip


def matching(query: str) -> list[str]:
    test = compile_filter(query)
    return [row.id for row in ROWS if test(row)]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["3-1", "7-1", "9-2", "9-3"]),
        ("reward<1", ["3-1", "7-1"]),
        ("reward<1 state:graded", ["3-1"]),
        ("-reward<1", ["9-3"]),
        ("reward!=0", ["9-3"]),
        ("state:not_graded", ["9-2"]),
        ('state:"not graded"', ["9-2"]),
        ("state:graded", ["3-1", "9-3"]),
        ("outcome:failed,incomplete", ["7-1", "9-2"]),
        ("-outcome:completed", ["7-1", "9-2"]),
        ("finding:empty-final-answer", ["3-1"]),
        ("finding:*overflow*", ["9-3"]),
        ("-finding:empty-final-answer", ["7-1", "9-3"]),
        ("turns>20", ["7-1"]),
        ("turns>=9 turns<=9", ["9-2", "9-3"]),
        ("task:9", ["9-2", "9-3"]),
        ("answer:empty", ["3-1"]),
        ("answer:none", ["7-1"]),
        ("answer:empty,none", ["3-1", "7-1"]),
        ("answer>600", ["9-2"]),
        ("out>1k", ["3-1", "7-1", "9-3"]),
        ("took>90s took<2m id:3-1", ["3-1"]),
        ("kind:unknown", ["7-1"]),
        ("prompt:sum", ["7-1"]),
        ("SUM", ["7-1"]),
        ('"sum it"', ["7-1"]),
        ("model:NEMO harness:opencode id=9-3", ["9-3"]),
        ("Turns>20", ["7-1"]),
    ],
)
def test_what_matches(query: str, ids: list[str]) -> None:
    assert matching(query) == ids


def test_unknown_never_matches_negated_or_not() -> None:
    unknown = [row for row in ROWS if row.reward is None]
    for query in ("reward<1", "-reward<1", "took>1s", "-took>1s", "finding:wal-missing", "-finding:wal-missing"):
        assert not compile_filter(query)(unknown[0])


@pytest.mark.parametrize(
    ("query", "column", "said"),
    [
        ("rewrd<1", 1, "did you mean reward?"),
        ("turns>2 rewrd<1", 9, "did you mean reward?"),
        ("reward<x", 8, "'x' is no number"),
        ("reward<", 8, "a value is missing after reward<"),
        ('text:"open', 6, "never closed"),
        ("outcome<3", 1, "outcome is no number"),
        ("took>5parsecs", 6, "as in took>90s"),
        ("turns>2 :x", 9, "there is no field"),
        ("tool:bash", 1, "reads whole rollouts"),
    ],
)
def test_errors_name_their_column(query: str, column: int, said: str) -> None:
    if query == "turns>2 :x":
        assert matching(query) == []  # a bare word of signs is looked for like any other
        return
    with pytest.raises(FilterError, match=f"^column {column}: ") as caught:
        compile_filter(query)
    assert said in str(caught.value)
    assert caught.value.column == column


def test_tool_and_text_read_the_rollout_and_only_when_the_rest_holds() -> None:
    read: list[str] = []
    whole = rollout(turn(1, answer="Context Overflow here", tools=(tool_call("bash"),)))

    def load(row: RolloutSummary) -> Rollout:
        read.append(row.id)
        return whole

    both = compile_filter('tool:ba* text:"context overflow" state:graded', load)
    assert both.needs_rollout
    assert [row.id for row in ROWS if both(row)] == ["3-1", "9-3"]
    assert set(read) == {"3-1", "9-3"}
    assert not compile_filter("tool:grep", load).matches(ROWS[0], whole)
    assert not compile_filter("text:scored", load).matches(ROWS[0], whole), "our own words are not searched"


def test_every_field_can_be_asked() -> None:
    for field in FIELDS:
        value = {"state": "graded", "outcome": "failed", "finding": "wal-missing"}.get(field, "1")
        compile_filter(f"{field}:{value}", lambda row: rollout())(ROWS[0])


def test_suggestions() -> None:
    assert suggestions("reward<1 st") == ("state:", "stage:")
    assert suggestions("-state:in") == ("-state:invalid",)
    assert suggestions("finding:empty", ["empty-final-answer", "x"]) == ("finding:empty-final-answer",)
    assert "reward" in suggestions("")
    assert suggestions("nothing-like-it") == ()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("outcome:fail", "did you mean failed?"),
        ("state:gradet", "did you mean graded, not_graded?"),
        ("finding:empty-final", "did you mean empty-final-answer"),
        ("outcome:failed,nope", "no outcome is called 'nope'"),
        ("not outcome:completed", "-outcome:failed negates"),
        ("outcome:failed or outcome:incomplete", "gives alternatives"),
    ],
)
def test_what_can_never_match_is_an_error_and_not_an_empty_list(query: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        compile_filter(query)
    assert said in str(error.value)


@pytest.mark.parametrize("query", ["outcome:f*", "finding:*answer*", "-outcome:failed,incomplete", '"not outcome"'])
def test_patterns_alternatives_and_quoted_words_are_taken(query: str) -> None:
    compile_filter(query)
