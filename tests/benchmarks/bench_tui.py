"""Speed of the terminal, against the empty app and a rollout of ten turns in the same run. By hand: `python -m
tests.benchmarks.bench_tui`."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.bench_gym import write_file
from tests.factories import rollout, summary, tool_call, turn
from textual.app import App
from textual.pilot import Pilot

from rollout_inspector.app import InspectorApp
from rollout_inspector.panes.blocksource import TranscriptSource
from rollout_inspector.panes.blockview import BlockView, Spot
from rollout_inspector.screens.browse import BrowseScreen
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary, Turn

REPEATS = 5
FILE_ROWS = 23_000
SIZE = (120, 40)


class ManySource:
    """Any number of summaries, made one by one."""

    diagnostics: tuple[Diagnostic, ...] = ()
    place: Place | None = None

    def __init__(self, number: int) -> None:
        self.number = number

    def summaries(self) -> Iterator[RolloutSummary]:
        for index in range(self.number):
            yield summary(f"{index // 4}-{index % 4}", reward=float(index % 2))

    def load(self, summary: RolloutSummary) -> Rollout:
        return rollout(*turns(10), id=summary.id)


def turns(number: int) -> tuple[Turn, ...]:
    return tuple(
        turn(index, user=f"question {index}", reasoning="Think. " * 30, answer="Said.", tools=(tool_call(),))
        for index in range(1, number + 1)
    )


class ViewApp(App[None]):
    """Nothing but a transcript."""

    def compose(self) -> Iterator[BlockView]:
        yield BlockView(id="view")


async def best_of(measure: Callable[[], Awaitable[float]]) -> float:
    return min([await measure() for _ in range(REPEATS)])


async def empty_app() -> float:
    started = time.perf_counter()
    async with App[None]().run_test(size=SIZE) as pilot:
        await pilot.pause()
        return time.perf_counter() - started


async def first_rows(number: int) -> float:
    started = time.perf_counter()
    app = InspectorApp(("many.jsonl",), opener=lambda: ManySource(number))
    async with app.run_test(size=SIZE):
        while not (isinstance(app.screen, BrowseScreen) and app.screen.table.lines):
            await asyncio.sleep(0.001)
        # Not `pilot.pause`: it would wait until all 100,000 are read.
        app.screen.table.visible_text()
        return time.perf_counter() - started


async def first_rows_of_file(path: Path, cache: Path | None) -> float:
    """`cache` None: a new one, so that nothing of the file is known."""
    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = str(cache or empty)
        started = time.perf_counter()
        app = InspectorApp((str(path),))
        async with app.run_test(size=SIZE):
            while not (isinstance(app.screen, BrowseScreen) and app.screen.table.lines):
                await asyncio.sleep(0.001)
            app.screen.table.visible_text()
            taken = time.perf_counter() - started
            if cache is not None:
                while app.screen.reading:  # the index is there for the next round
                    await asyncio.sleep(0.01)
            app.workers.cancel_all()
        return taken


async def painted(made: Rollout) -> float:
    # The sections are listed by the worker that reads the rollout; `listed` below says what that costs.
    source = TranscriptSource(made, "observed")
    async with ViewApp().run_test(size=SIZE) as pilot:
        view = pilot.app.query_one(BlockView)
        started = time.perf_counter()
        view.show(source)
        await pilot.pause()
        view.visible_text()
        return time.perf_counter() - started


async def listed(made: Rollout) -> float:
    started = time.perf_counter()
    TranscriptSource(made, "observed")
    return time.perf_counter() - started


async def paged(made: Rollout, prepare: Callable[[BlockView], None] | None = None) -> float:
    async with ViewApp().run_test(size=SIZE) as pilot:
        view = pilot.app.query_one(BlockView)
        view.show(TranscriptSource(made, "observed"))
        if prepare is not None:
            prepare(view)
        await pilot.pause()
        return await _pages(pilot, view)


async def _pages(pilot: Pilot[None], view: BlockView) -> float:
    taken: list[float] = []
    for step in (1, 1, 1, -1, 1, -1, 1, 1):
        started = time.perf_counter()
        view.action_page(step)
        await pilot.pause()
        view.visible_text()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def memory(made: Rollout) -> float:
    """Megabytes that the view adds to the rollout."""

    async def look() -> float:
        async with ViewApp().run_test(size=SIZE) as pilot:
            view = pilot.app.query_one(BlockView)
            gc.collect()
            tracemalloc.start()
            view.show(TranscriptSource(made, "observed"))
            await pilot.pause()
            view.action_bottom()
            view.action_top()
            await pilot.pause()
            gc.collect()
            return tracemalloc.get_traced_memory()[0] / 1e6

    try:
        return asyncio.run(look())
    finally:
        tracemalloc.stop()


async def sort_rows(number: int) -> float:
    app = InspectorApp(("many.jsonl",), opener=lambda: ManySource(number))
    async with app.run_test(size=SIZE) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        while len(screen.rows) < number or screen.reading:
            await asyncio.sleep(0.01)
        await pilot.pause()
        started = time.perf_counter()
        screen.sort_by("reward")
        await pilot.pause()
        return time.perf_counter() - started


def unfold_all(view: BlockView) -> None:
    view.fold_all(False)
    view.reveal(Spot(0, 0), align_top=True)


def line(name: str, seconds: float, base: float | None = None) -> None:
    against = f"   {seconds / base:5.2f}x" if base else ""
    print(f"{name:<58}{seconds * 1000:9.1f} ms{against}")


async def main() -> None:
    """Print every number of the issue."""
    await empty_app()
    base = await best_of(empty_app)
    line("empty app, first frame", base)
    line("list of 100,000, first rows", await best_of(lambda: first_rows(100_000)), base)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.jsonl"
        write_file(path, FILE_ROWS)
        size = f"{path.stat().st_size / 1e6:,.0f} MB"
        line(
            f"file of {size} never seen before, first rows", await best_of(lambda: first_rows_of_file(path, None)), base
        )
        kept = Path(folder) / "cache"
        line(f"file of {size} opened before, first rows", await best_of(lambda: first_rows_of_file(path, kept)), base)
    line("list of 100,000, sort", await sort_rows(100_000))
    ten = rollout(*turns(10))
    many = rollout(*turns(100_000))
    long_block = rollout(turn(1, user="go", reasoning="thought " * 27_321 + "ends."), *turns(9)[1:])
    output = rollout(turn(1, tools=(tool_call(output="\n".join(f"line {n} of output" for n in range(15_000))),)))
    one_line = rollout(turn(1, tools=(tool_call(output="x" * 300_000),)))
    paint = await best_of(lambda: painted(ten))
    line("ten turns, paint", paint)
    line("100,000 turns, paint", await best_of(lambda: painted(many)), paint)
    line("100,000 turns, sections listed (in the worker)", await best_of(lambda: listed(many)))
    line("218,573 characters of reasoning, paint", await best_of(lambda: painted(long_block)), paint)
    page = await best_of(lambda: paged(ten))
    line("ten turns, page", page)
    line("100,000 turns, page", await best_of(lambda: paged(many)), page)
    unfolded = {
        "218,573 characters of reasoning": long_block,
        "300 kB of output": output,
        "300 kB in one line": one_line,
    }
    for name, made in unfolded.items():
        line(f"{name}, unfolded, page", await best_of(partial(paged, made, unfold_all)), page)


if __name__ == "__main__":
    asyncio.run(main())
    print(f"view of 100,000 turns: {memory(rollout(*turns(100_000))):.1f} MB")
    print(f"resident: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB, the rollouts above included")
