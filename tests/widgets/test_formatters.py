"""Rollouts, turns and findings display themselves in IPython once the package is imported."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from tests.factories import think_only
from tests.widgets.shown import words

from rollout_loaders.model import Finding
from rollout_widgets.formatters import register


@pytest.fixture
def shown() -> Any:
    shell: Any = InteractiveShell()  # type: ignore[no-untyped-call]
    assert register(shell)

    def display(value: object) -> dict[str, Any]:
        data, _ = shell.display_formatter.format(value)
        return dict(data)

    return display


def test_a_rollout_shows_its_verdict_and_transcript(shown: Any) -> None:
    made = shown(think_only())
    assert set(made) == {"text/html", "text/plain"}
    assert "reward 0 · graded · completed · scored text: empty" in words(made["text/html"])
    assert made["text/plain"].splitlines()[0] == "rollouts.jsonl#3-1"
    assert "Rollout(" not in made["text/plain"]


def test_a_turn_shows_what_was_thought_called_and_answered(shown: Any) -> None:
    root = think_only().root
    assert root is not None
    made = shown(root.turns[0])
    assert "user What is 2+2? Use the tool." in words(made["text/html"])
    assert "answer 4" in words(made["text/html"])
    assert "bash" in made["text/plain"]


def test_findings_show_a_line_each(shown: Any) -> None:
    made = shown(think_only().findings)
    assert "error empty-final-answer: The final answer is empty." in words(made["text/html"])
    many = tuple(Finding("code", "info", f"number {n}") for n in range(500))
    assert len(shown(many)["text/plain"].splitlines()) == 60


@pytest.mark.parametrize("value", [(), (1, 2), ("a",), (Finding("a", "info", "b"), 3)])
def test_other_tuples_are_shown_as_ever(shown: Any, value: tuple[Any, ...]) -> None:
    assert shown(value) == {"text/plain": repr(value)}


def test_without_ipython_nothing_is_registered() -> None:
    assert register() is False
