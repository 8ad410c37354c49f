"""What the terminal looks like. Behaviour is tested elsewhere: a change here is looked at, then taken with
`pytest --snapshot-update`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

import pytest
from tests.factories import graded, rollout, think_only, tool_call, turn
from tests.inspector.test_tui_hostile import hostile_rollout
from tests.inspector.tui import MadeSource, app_over, named, press, settled, write
from textual.app import App
from textual.pilot import Pilot

from rollout_inspector.app import InspectorApp
from rollout_loaders.model import Diagnostic, Place, Rollout

WIDE = (120, 40)
NARROW = (80, 24)


class Compare(Protocol):
    """`snap_compare` of pytest-textual-snapshot."""

    def __call__(
        self,
        app: App[None],
        *,
        terminal_size: tuple[int, int],
        run_before: Callable[[Pilot[None]], Awaitable[None]],
    ) -> bool: ...


def many() -> list[Rollout]:
    """A run of three tasks in all states."""
    good = rollout(turn(1, user="q", answer="The answer is 4."))
    partial = rollout(turn(1, user="q", answer="4, I think"), grading=graded(0.5))
    broken = rollout(turn(1, user="q"), grading=graded(0.0, state="invalid"))
    masked = rollout(turn(1, user="q", answer="4"), grading=graded(0.0, state="masked"))
    waiting = rollout(turn(1, user="q", answer="4", tools=(tool_call(),)), reward=None, state="not_graded")
    made = [think_only(), good, partial, good, broken, good, masked, waiting]
    return [named(one, task=index // 4 + 3, index=index % 4) for index, one in enumerate(made)]


def after(*keys: str, theme: str = "inspector-dark") -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        pilot.app.theme = theme
        await settled(pilot)
        await press(pilot, *keys)

    return run


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("theme", ["inspector-dark", "inspector-light"])
def test_list(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    assert snap_compare(app_over(*many()), terminal_size=size, run_before=after(theme=theme))


def test_list_in_the_terminals_own_colours(snap_compare: Compare) -> None:
    assert snap_compare(app_over(*many()), terminal_size=WIDE, run_before=after(theme="ansi-dark"))


def test_list_grouped_and_sorted(snap_compare: Compare) -> None:
    assert snap_compare(app_over(*many()), terminal_size=WIDE, run_before=after("t", "greater_than_sign", "space"))


def test_list_with_a_wrong_filter(snap_compare: Compare) -> None:
    async def run(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "f")
        await write(pilot, "rewrd<1")

    assert snap_compare(app_over(*many()), terminal_size=WIDE, run_before=run)


def test_groups(snap_compare: Compare) -> None:
    assert snap_compare(app_over(*many()), terminal_size=WIDE, run_before=after("T"))


@pytest.mark.parametrize("size", [WIDE, NARROW, (200, 50)], ids=["wide", "narrow", "vast"])
def test_why(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app_over(think_only()), terminal_size=size, run_before=after())


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 15)], ids=["wide", "narrow", "tiny"])
@pytest.mark.parametrize("theme", ["inspector-dark", "inspector-light"])
def test_transcript(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = app_over(think_only(), place=Place(turn=1))
    assert snap_compare(app, terminal_size=size, run_before=after(theme=theme))


def test_transcript_at_the_scored_text(snap_compare: Compare) -> None:
    app = app_over(think_only(), place=Place(turn=1))
    assert snap_compare(app, terminal_size=WIDE, run_before=after("3", "c"))


def test_search(snap_compare: Compare) -> None:
    async def run(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "slash")
        await write(pilot, "thought")
        await press(pilot, "enter", "n")

    app = app_over(think_only(), place=Place(turn=1))
    assert snap_compare(app, terminal_size=WIDE, run_before=run)


def test_hostile_text(snap_compare: Compare) -> None:
    app = app_over(hostile_rollout(), place=Place(turn=1))
    assert snap_compare(app, terminal_size=WIDE, run_before=after("e"))


def test_comparison(snap_compare: Compare) -> None:
    assert snap_compare(app_over(*many()), terminal_size=WIDE, run_before=after("m", "j", "d"))


def test_help(snap_compare: Compare) -> None:
    app = app_over(think_only(), place=Place(turn=1))
    assert snap_compare(app, terminal_size=(120, 60), run_before=after("question_mark"))


def test_nothing_to_read(snap_compare: Compare) -> None:
    assert snap_compare(app_over(), terminal_size=NARROW, run_before=after())


def test_a_damaged_file(snap_compare: Compare) -> None:
    source = MadeSource(many())
    source.diagnostics = (
        Diagnostic("record-unreadable", "line 7 is no JSON: unexpected end of data", "rollouts.jsonl#L7"),
        Diagnostic("no-final-newline", "the last line has no newline; it is read", "rollouts.jsonl#L8"),
    )
    app = InspectorApp(("rollouts.jsonl",), opener=lambda: source)
    assert snap_compare(app, terminal_size=NARROW, run_before=after("D"))


def test_a_file_that_vanished(snap_compare: Compare) -> None:
    source = MadeSource(many())
    app = InspectorApp(("rollouts.jsonl",), opener=lambda: source)

    async def run(pilot: Pilot[None]) -> None:
        await settled(pilot)
        source.vanished = True
        await press(pilot, "enter")

    assert snap_compare(app, terminal_size=NARROW, run_before=run)
