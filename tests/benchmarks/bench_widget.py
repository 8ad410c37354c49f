"""What a cell takes: reading, the live view and its bundle, for a short rollout and for very large ones.

By hand: `python -m tests.benchmarks.bench_widget`. Files are written to a temporary folder and removed. A cell should
take at most twice what a short rollout takes, or a second, and its bundle stay under 200 kB.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.samples.gym_rows import call, message, output, reasoning, row

from rollout_widgets import RolloutView, show

ROUNDS = 3


def short() -> list[dict[str, Any]]:
    """Three turns."""
    return [
        reasoning("Two and two.", "rs_1"),
        call("bash", {"command": "echo 4"}, "call_1"),
        output("call_1", "4"),
        message("4", "msg_1"),
    ]


def long_reasoning() -> list[dict[str, Any]]:
    """A reasoning block of 200 kB."""
    return [reasoning("I think & <wonder>.\n" * 10_000, "rs_1"), message("4", "msg_1")]


def many_turns() -> list[dict[str, Any]]:
    """10,000 turns."""
    items: list[dict[str, Any]] = []
    for number in range(10_000):
        items += [
            reasoning("Hm.", f"rs_{number}"),
            call("bash", {"command": f"echo {number}"}, f"call_{number}"),
            output(f"call_{number}", str(number)),
        ]
    return [*items, message("4", "msg_1")]


def large_output() -> list[dict[str, Any]]:
    """A tool output of 2 MB."""
    text = "a line of <output> & more\n" * 80_000
    return [call("bash", {"command": "cat"}, "call_1"), output("call_1", text), message("4", "msg_1")]


CASES: tuple[Callable[[], list[dict[str, Any]]], ...] = (short, long_reasoning, many_turns, large_output)


def main() -> None:
    print("CPU seconds, the best of three rounds; kB")
    print(f"{'case':16}{'cell':>8}{'view alone':>16}{'next page':>11}{'search':>8}{'bundle':>11}{'page':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for make in CASES:
            path = Path(folder) / f"{make.__name__}.jsonl"
            path.write_text(json.dumps(row(0, 0, make(), "What is 2+2?")) + "\n", encoding="utf-8")
            best = min((measured(path) for _ in range(ROUNDS)), key=lambda found: found[0])
            numbers = "{:8.3f}{:16.3f}{:11.3f}{:8.3f}{:11.1f}{:9.1f}".format(*best)
            print(f"{make.__name__:16}{numbers}")


def measured(path: Path) -> tuple[float, float, float, float, float, float]:
    """Seconds of the cell, of its view alone, of a page, of a search; kilobytes of the bundle and of the page."""
    start = time.process_time()
    view = show(path)
    assert isinstance(view, RolloutView)
    made = view._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage]
    cell = time.process_time() - start
    start = time.process_time()
    view.panel = "Transcript"
    page = time.process_time() - start
    start = time.process_time()
    view.query = "no such text"
    search = time.process_time() - start
    start = time.process_time()
    again = show(view.rollout)
    again._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage]
    alone = time.process_time() - start
    size = len(json.dumps(made)) / 1_000
    return cell, alone, page, search, size, len(view.controls.page.value.encode()) / 1_000


if __name__ == "__main__":
    main()
