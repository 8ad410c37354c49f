"""`table`: the list with its pass rate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.factories import rollout, turn
from tests.paths import SAMPLES
from tests.widgets.shown import bundle, words

from rollout_loaders.model import Task
from rollout_widgets import CannotShowError, TableView, table

VALIDITY = SAMPLES / "reward-validity" / "rollouts.jsonl"
SPLIT = SAMPLES / "split"


def listed(*arguments: Any, **options: Any) -> TableView:
    view = table(*arguments, **options)
    assert isinstance(view, TableView)
    return view


def shown(view: TableView) -> str:
    return words(bundle(view)["text/html"])


def test_the_pass_rate_counts_graded_rewards_only() -> None:
    # One graded zero, one masked, one invalid, one not graded, one unreadable reward.
    assert listed(VALIDITY).status.startswith("5 rollouts · 0 of 1 pass · 4 not counted")
    assert listed(SPLIT).status.startswith("10 rollouts · 6 of 10 pass")


def test_no_invalid_reward_is_a_bare_zero() -> None:
    text = shown(listed(VALIDITY))
    assert "⊘ masked 0" in text
    assert "⊘ invalid 0" in text
    assert "✗ unreadable" in text


def test_filter_sort_and_groups() -> None:
    view = listed(SPLIT)
    view.filter = "reward<1"
    assert view.status.startswith("4 rollouts of 10 · 0 of 4 pass")
    view.filter = ""
    view.sort = "answer"
    assert [one.answer_chars for one in view.rollouts] == [0, 1, 1, 2, 2, 37, 43, 43, 44, 44]
    view.group = "tasks"
    assert "4 ○○ 0 of 2 pass · dead: all 0" in shown(view)


def test_controls_do_what_traits_do() -> None:
    view = listed(SPLIT)
    filter_, sort, group = view.children[0].children  # type: ignore[attr-defined]  # pyright: ignore
    filter_.value = "reward<1"
    assert len(view.rollouts) == 4
    sort.value = "answer"
    group.value = "tasks"
    assert (view.sort, view.group) == ("answer", "tasks")
    filter_.value = "nonsense:1"
    assert "there is no field" in view.status
    assert view.filter == "reward<1"


def test_static_and_only() -> None:
    made = bundle(table(SPLIT, only="reward<1", static=True))
    assert set(made) == {"text/html", "text/plain"}
    assert made["text/plain"].startswith("4 rollouts · 0 of 4 pass")
    with pytest.raises(CannotShowError):
        table(SPLIT, only="reward>7")


def test_many_rows_are_counted(tmp_path: Any) -> None:
    row = (SPLIT / "after" / "rollouts.jsonl").read_bytes().splitlines()[0]
    (tmp_path / "many.jsonl").write_bytes(b"".join(row + b"\n" for _ in range(1_000)))
    view = listed(tmp_path / "many.jsonl")
    assert "… 800 more" in shown(view)
    assert "… 945 more" in bundle(view)["text/plain"]
    assert sum(len(text) for text in bundle(view).values()) < 200_000


@pytest.mark.parametrize("group", ["rollouts", "tasks"])
def test_a_long_task_does_not_push_its_reward_off_the_page(group: str) -> None:
    one = rollout(turn(1, answer="x"))
    view = listed(replace(one, task=Task(task_id="t" * 20_000)))
    view.group = group
    html = bundle(view)["text/html"]
    assert f"<td>{'t' * 199}…</td>" in html
    assert "t" * 200 not in html
