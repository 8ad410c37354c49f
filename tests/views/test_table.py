"""The list: cells that say what is unknown, columns that give way, groups that count only what measures something."""

from __future__ import annotations

from tests.factories import summary

from rollout_loaders.model import RolloutSummary, SourceRef, Task, Usage
from rollout_views.table import COLUMNS, answer_cell, findings_cell, lines, state_cell
from rollout_views.task_groups import task_groups

CELLS = {column.key: column for column in COLUMNS}


def cell(key: str, row: RolloutSummary) -> str:
    return CELLS[key].cell(row)


def test_states_are_glyph_and_word() -> None:
    rows = [
        summary(state="graded", reward=1.0),
        summary(state="graded", reward=0.5),
        summary(state="graded", reward=0.0),
        summary(state="invalid", reward=0.0),
        summary(state="not_graded", reward=None),
        summary(state="masked", reward=1.0),
        summary(state="unreadable", reward=None),
    ]
    assert [state_cell(row) for row in rows] == [
        "● graded", "◐ graded", "○ graded", "⊘ invalid", "– not graded", "⊘ masked", "✗ unreadable",
    ]  # fmt: skip


def test_a_reward_that_is_not_valid_never_stands_alone() -> None:
    assert cell("reward", summary(state="graded", reward=0.0)) == "0"
    assert cell("reward", summary(state="invalid", reward=0.0)) == "0 invalid"
    assert cell("reward", summary(state="masked", reward=1.0)) == "1 masked"
    assert cell("reward", summary(state="not_graded", reward=None)) == "·"


def test_answers() -> None:
    assert answer_cell(summary(answer_chars=612)) == "612"
    assert answer_cell(summary(answer_chars=0)) == "(empty)"
    assert answer_cell(summary(answer_chars=612, answer_stands=False)) == "(no final answer)"
    assert answer_cell(summary(answer_chars=None)) == "·"


def test_findings() -> None:
    assert findings_cell(summary(findings=None)) == "·"
    assert findings_cell(summary(findings=())) == "–"
    assert findings_cell(summary(findings=("a", "b", "c"))) == "a +2"


def test_unknown_sorts_last_and_ids_naturally() -> None:
    rows = [summary(f"s{n}", turns=n, usage=Usage(output=n), source=SourceRef("a", "x")) for n in (10, 2, 1)]
    rows.append(summary("s3", turns=None, usage=Usage(), source=SourceRef("a", "x")))
    assert [row.id for row in sorted(rows, key=CELLS["id"].sort_key)] == ["s1", "s2", "s3", "s10"]
    assert [row.id for row in sorted(rows, key=CELLS["turns"].sort_key)] == ["s1", "s2", "s10", "s3"]


def test_the_list_says_the_place_that_show_accepts() -> None:
    head, row = lines([summary()])
    assert head.split() == ["task", "rollout", "state", "reward", "outcome", "harness", "model", "turns", "tools", "in",
                            "out", "answer", "findings", "took", "place"]  # fmt: skip
    assert row.endswith("  rollouts.jsonl#3-1")
    assert row.startswith("3           1  ○ graded")


def test_columns_give_way_on_a_narrow_screen_but_never_state_reward_and_place() -> None:
    for width in (120, 80, 50):
        head = lines([summary()], width)[0]
        assert len(head) <= width
        assert {"task", "state", "reward", "place"} <= set(head.split())


def test_columns_of_nothing_but_unknowns_are_left_out() -> None:
    row = summary(usage=Usage(), duration_ms=None)
    assert {"in", "out", "took"}.isdisjoint(lines([row])[0].split())


def test_an_empty_list_is_a_head() -> None:
    assert len(lines([])) == 1


def test_pass_rates_count_graded_repeats_only() -> None:
    rows = [
        summary("a", task=Task(10, 0), reward=1.0),
        summary("b", task=Task(10, 1), reward=0.0),
        summary("c", task=Task(10, 2), state="invalid", reward=0.0),
        summary("d", task=Task(2, 0), reward=0.0),
        summary("e", task=Task(2, 1), reward=0.0),
        summary("f", task=Task()),
    ]
    groups = task_groups(rows)
    assert [group.name for group in groups] == ["2", "10", "f"]
    assert groups[1].strip == "●○⊘"
    assert groups[1].words == "1 of 2 pass · 1 not counted · reward 0 to 1"
    assert groups[0].is_dead
    assert groups[0].words == "0 of 2 pass · dead: all 0"
