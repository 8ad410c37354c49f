"""Drives the terminal app in tests: a source of made rollouts, an app over it, and what stands on screen."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from textual.pilot import Pilot

from rollout_inspector.app import InspectorApp
from rollout_inspector.panes.blockview import BlockView
from rollout_inspector.screens.browse import BrowseScreen
from rollout_inspector.screens.rollout import RolloutScreen
from rollout_loaders.errors import ReadError
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary
from rollout_loaders.summary import summarise


class MadeSource:
    """Rollouts that are there already."""

    def __init__(self, rollouts: Sequence[Rollout], place: Place | None = None) -> None:
        self.rollouts = {rollout.id: rollout for rollout in rollouts}
        self.place = place
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.vanished = False

    def summaries(self) -> Iterator[RolloutSummary]:
        return (summarise(rollout) for rollout in self.rollouts.values())

    def load(self, summary: RolloutSummary) -> Rollout:
        if self.vanished:
            raise ReadError(summary.source.path, "the file is gone")
        return self.rollouts[summary.id]


def named(rollout: Rollout, task: int, index: int) -> Rollout:
    """The same rollout as another try."""
    return replace(rollout, id=f"{task}-{index}", task=replace(rollout.task, task_index=task, rollout_index=index))


def app_over(*rollouts: Rollout, place: Place | None = None) -> InspectorApp:
    source = MadeSource(rollouts, place)
    return InspectorApp(("rollouts.jsonl",), opener=lambda: source)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing is read, searched or drawn any more."""
    for _ in range(2):
        await pilot.app.workers.wait_for_complete()  # pyright: ignore[reportUnknownMemberType] - Textual's open type
        await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def write(pilot: Pilot[None], text: str) -> None:
    """Type text into what has the keys."""
    await press(pilot, *(_KEYS.get(char, char) for char in text))


_KEYS = {
    "=": "equals_sign",
    " ": "space", "<": "less_than_sign", ">": "greater_than_sign", ":": "colon", '"': "quotation_mark", "-": "minus",
    "/": "slash", "#": "number_sign", ".": "full_stop", "_": "underscore",
}  # fmt: skip


@asynccontextmanager
async def running(app: InspectorApp, size: tuple[int, int] = (120, 40)) -> AsyncGenerator[Pilot[None]]:
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield pilot


def browse(pilot: Pilot[None]) -> BrowseScreen:
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, BrowseScreen))


def opened(pilot: Pilot[None]) -> RolloutScreen:
    screen = pilot.app.screen
    assert isinstance(screen, RolloutScreen)
    return screen


def transcript(pilot: Pilot[None]) -> BlockView:
    return opened(pilot).transcript


def screen_text(pilot: Pilot[None]) -> str:
    """What stands on screen, a line a row."""
    size = pilot.app.size
    strips = pilot.app.screen._compositor.render_strips(size)  # pyright: ignore[reportPrivateUsage]
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def lines_with(text: str, words: Iterable[str]) -> list[str]:
    return [line for line in text.split("\n") if all(word in line for word in words)]
