"""Aligning two long runs, against reading and decoding both in the same run.

By hand: `python -m tests.benchmarks.bench_alignment`. Every tenth turn of the second run does something else and every
twentieth is dropped. The baseline writes both runs as Pi session files and reads their lines with orjson.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

import orjson

from rollout_loaders.comparison import align
from rollout_loaders.model import ToolCall, Turn

SIZES = (1_000, 10_000, 20_000)
TARGET_SECONDS = 2.0
"""For 10,000 turns against 10,000."""


def run_of(length: int, changed: float, seed: int) -> list[Turn]:
    """Turns with one tool call each; commands repeat, so that not every turn is an anchor."""
    base, chance = random.Random(1), random.Random(seed)
    turns: list[Turn] = []
    for _ in range(length):
        command = f"echo {base.randrange(5_000)}"
        if chance.random() < changed:
            command = f"echo other {chance.randrange(5_000)}"
        if chance.random() >= changed / 2:
            number = len(turns) + 1
            call = ToolCall(f"c{number}", f"c{number}", "bash", {"command": command}, "completed")
            turns.append(Turn(number, f"m{number}", tool_calls=(call,)))
    return turns


def reading(folder: Path, runs: list[list[Turn]]) -> float:
    """Seconds to read and decode both runs, about 400 bytes a turn."""
    for index, run in enumerate(runs):
        lines = [
            {"type": "message", "id": turn.message_id, "text": "x" * 250, "call": turn.tool_calls[0].arguments}
            for turn in run
        ]
        (folder / f"{index}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    start = time.perf_counter()
    for index in range(len(runs)):
        with (folder / f"{index}.jsonl").open("rb") as file:
            for line in file:
                orjson.loads(line)
    return time.perf_counter() - start


def main() -> None:
    """Print one line a size."""
    for size in SIZES:
        runs = [run_of(size, 0.1, seed) for seed in (1, 2)]
        with tempfile.TemporaryDirectory() as folder:
            baseline = reading(Path(folder), runs)
        start = time.perf_counter()
        steps = align(*runs)
        took = time.perf_counter() - start
        equal = sum(step.kind == "equal" for step in steps)
        print(
            f"{size:>6} turns: aligned in {took:.2f} s ({equal} equal of {len(steps)} steps), "
            f"reading both {baseline:.3f} s, ratio {took / baseline:.1f}"
        )


if __name__ == "__main__":
    main()
