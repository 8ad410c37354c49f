"""`to_dataframe`: unknown is missing, and no reward is a number that does not measure the policy."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from tests.paths import SAMPLES

from rollout_widgets import CannotShowError, to_dataframe

pd = pytest.importorskip("pandas")
SPLIT = SAMPLES / "split"


def test_one_row_a_rollout() -> None:
    frame = to_dataframe(SPLIT)
    assert len(frame) == 10
    assert frame.groupby("path")["reward"].mean().tolist() == [0.8, 0.4]
    assert frame["answer_chars"].tolist() == [1, 1, 2, 2, 0, 43, 43, 44, 44, 37]


def test_a_reward_stands_only_where_it_was_graded() -> None:
    frame = to_dataframe(SAMPLES / "reward-validity" / "rollouts.jsonl").set_index("id")
    assert frame["reward"].count() == 1
    assert frame.loc["4-0", "reward"] == 0
    assert frame.loc["0-0", "recorded_reward"] == 0
    assert pd.isna(frame.loc["0-0", "reward"])
    assert frame.loc["0-0", "state"] == "masked"


def test_unknown_is_missing() -> None:
    frame = to_dataframe(SAMPLES / "killed-run")
    assert pd.isna(frame.loc[0, "tokens_input"])
    assert pd.isna(frame.loc[0, "reward"])


def test_only_and_errors() -> None:
    assert len(to_dataframe(SPLIT, only="reward<1")) == 4
    with pytest.raises(CannotShowError):
        to_dataframe("nowhere.jsonl")


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = builtins.__import__

    def refusing(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name == "pandas":
            raise ImportError("No module named 'pandas'")
        return ordinary(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(ImportError, match=r"rollout-inspect\[pandas\]"):
        to_dataframe(SPLIT)
