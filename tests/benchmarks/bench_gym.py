"""Listing a 500 MB rollouts file, and opening one rollout of it, against reading its lines with orjson in the same run.

By hand: `python -m tests.benchmarks.bench_gym [ROWS]`. Writes the file to a temporary folder and removes it. Three
rounds, baseline and measurement in turn; the ratio is of the best of each, wall clock and CPU time of all processes
apart. Wall clock means something on a machine that does nothing else.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from tests.samples.gym_rows import call, message, output, reasoning, row

from rollout_loaders import cores
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document
from rollout_loaders.evidence import complete
from rollout_loaders.formats import gym_rollouts
from rollout_loaders.formats.gym_file import GymFile
from rollout_loaders.jsondecode import encode
from rollout_loaders.reader import ReadOptions

ROWS = 23_000
ROUNDS = 3
MEGABYTE = 1024 * 1024


def made_row(number: int, chance: random.Random, words: list[str]) -> dict[str, Any]:
    """About 22 kB: seven tool rounds with reasoning, then an answer; a judge evaluation as a verifier leaves it."""

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length // 6))[:length]

    talk: list[dict[str, Any]] = []
    for turn in range(7):
        talk += [
            reasoning(text(600), f"rs_{number}_{turn}"),
            message(text(300), f"msg_{number}_{turn}"),
            call("bash", {"command": text(150)}, f"call_{number}_{turn}"),
            output(f"call_{number}_{turn}", text(900) + "\n" + text(400)),
        ]
    talk.append(message(text(700), f"msg_{number}"))
    evaluation = {"responses_create_params": {"input": text(900)}, "response": text(300), "verdict_label": "[[A=B]]"}
    made = row(number // 4, number % 4, talk, text(1500), expected_answer="4", judge_evaluations=[evaluation])
    return made | {"reward": float(number % 2), "turns_used": 8, "finished_naturally": True}


def write_file(path: Path, rows: int) -> None:
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(3000)]
    with path.open("w") as file:
        for number in range(rows):
            file.write(json.dumps(made_row(number, chance, words)) + "\n")


def baseline(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def listed(path: Path, count: int | None) -> None:
    kept = cores.usable_cores
    if count is not None:
        cores.usable_cores = lambda: count
    try:
        for _ in gym_rollouts.READER.open(path, str(path), ReadOptions()).summaries():
            pass
    finally:
        cores.usable_cores = kept


def collected(path: Path) -> None:
    for _ in open_paths([str(path)]).summaries():
        pass


def cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, used = time.perf_counter(), cpu()
    work()
    return time.perf_counter() - wall, cpu() - used


def report(path: Path) -> Iterator[str]:
    yield f"{path.stat().st_size / 1e6:,.0f} MB, {cores.usable_cores()} cores"
    cases: dict[str, Callable[[], object]] = {
        "orjson.loads of each line, one core": lambda: baseline(path),
        "list, all cores": lambda: listed(path, None),
        "list, one core": lambda: listed(path, 1),
        "list through the collection, all cores": lambda: collected(path),
    }
    collected(path)
    best = dict.fromkeys(cases, (9e9, 9e9))
    for _ in range(ROUNDS):
        for name, work in cases.items():
            best[name] = tuple(map(min, best[name], timed(work)))  # type: ignore[assignment]
    base = next(iter(best.values()))
    for name, (wall, used) in best.items():
        yield f"{name:42} {wall:6.2f} s ({wall / base[0]:4.2f}x)   CPU {used:6.2f} s ({used / base[1]:4.2f}x)"


PEAK = """
import resource, sys
from rollout_loaders.collection import open_paths
for _ in open_paths([sys.argv[1]]).summaries(): pass
print(sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
"""


def peak(path: Path) -> str:
    """Largest resident size of a listing process and of its largest helper, added."""
    ran = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, check=True)
    return f"peak memory of the listing and its helper {int(ran.stdout) / 1024:,.0f} MB"


def one_rollout(path: Path, rows: int) -> Iterator[str]:
    """5b: to the document, from a cold open by line and by name, and from a listed file."""
    locators = [f"L{rows // 2}", f"L{rows}", f"{rows // 8}-0", f"{(rows - 1) // 4}-{(rows - 1) % 4}"]
    listed_file = gym_rollouts.READER.open(path, str(path), ReadOptions())
    offsets = {s.source.locator: s for s in listed_file.summaries()}
    for locator in locators:
        cold = min(timed(partial(opened, path, locator))[0] for _ in range(ROUNDS))
        warm = min(timed(partial(found_in, listed_file, locator))[0] for _ in range(ROUNDS))
        yield f"open {locator:8} cold {cold * 1e3:6.1f} ms   listed before {warm * 1e3:6.2f} ms"
    line = next(iter(path.open("rb")))
    alone = min(timed(lambda: orjson.loads(line))[0] for _ in range(ROUNDS))
    yield f"orjson.loads of one line alone {alone * 1e3:.3f} ms ({len(offsets):,} rollouts listed)"


def opened(path: Path, locator: str) -> None:
    documented(gym_rollouts.READER.open(path, str(path), ReadOptions()).find(locator))


def found_in(file: GymFile, locator: str) -> None:
    documented(file.find(locator))


def documented(rollout: Any) -> None:
    assert rollout is not None
    encode(document(complete(rollout)))


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.jsonl"
        write_file(path, rows)
        for part in (report(path), iter([peak(path)]), one_rollout(path, rows)):
            for line in part:
                print(line, flush=True)


if __name__ == "__main__":
    main()
