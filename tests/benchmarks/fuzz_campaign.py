"""The fuzz campaign, run by hand: `python -m tests.benchmarks.fuzz_campaign --seconds 600 --workers 2 --keep FOLDER`.

Every execution is one mutated artifact read, judged and drawn (`tests/hostile/judging.py`). What is found is printed
once a signature, and its input is kept. The count that is printed, each minute and at the end, is of what is finished.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import faulthandler
import hashlib
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from tests.hostile.cases import write_case
from tests.hostile.judging import Judge
from tests.hostile.seeds import Seed, seeds
from tests.hostile.small_inputs import Small

MEMORY = 500 * 1024**2
HANG = 30
"""Seconds of processor time: on a machine that is busy with other things nothing else tells a hang from a wait."""
WAIT = 20
"""Times `HANG` on the clock: what blocks takes no processor time."""
IMPORTED = 50
"""Executions until everything is imported."""
SMALL = "small"
SMALL_BATCH = 200
SHARED_MEMORY = Path("/dev/shm")
MINUTE = 60


@contextlib.contextmanager
def watched(executions: int) -> Generator[None]:
    """End the process with a traceback when these executions hang."""
    faulthandler.dump_traceback_later(executions * WAIT * HANG, exit=True)
    signal.setitimer(signal.ITIMER_PROF, HANG)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()


def signature(problem: str) -> str:
    """A problem without what differs from input to input."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\[.*\]|\d+", "…", problem)[:160]


def one(campaign: str, number: int, choices: Sequence[Seed], folder: Path, thorough: bool) -> list[str]:
    """One execution."""
    rng = Random(f"{campaign}/{number}")
    path = write_case(rng, choices, folder)
    return Judge(path, rng, thorough).run()


def work(campaign: str, start: int, step: int, until: float, kinds: str, keep: Path, pipe: Connection) -> None:
    """Execute numbers `start`, `start + step`, … until the time is over."""
    os.nice(10)
    faulthandler.register(signal.SIGPROF, chain=True)
    if kinds == SMALL:
        work_small(campaign, start, step, until, pipe)
        return
    choices = [seed for seed in seeds() if not kinds or seed.kind in kinds.split(",")]
    beside = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    number, done = start, 0
    while time.time() < until:
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=beside) as name:
            folder = Path(name)
            pipe.send(("at", number))
            with watched(1):
                problems = one(campaign, number, choices, folder, thorough=False)
            for problem in problems:
                place = keep / f"{campaign}-{number}"
                if is_new(keep, signature(problem)):
                    shutil.copytree(folder, place, dirs_exist_ok=True)
                    pipe.send(("found", f"{campaign}/{number}: {problem}"))
                pipe.send(("count", signature(problem)))
        number, done = number + step, done + 1
        if done == IMPORTED:
            limit_memory()
        if done % 20 == 0:
            pipe.send(("done", 20))
    pipe.send(("done", done % 20))
    pipe.close()


def work_small(campaign: str, start: int, step: int, until: float, pipe: Connection) -> None:
    """As `work`, with small inputs that need no file."""
    judge, number = Small(), start
    while time.time() < until:
        with watched(SMALL_BATCH):
            for _ in range(SMALL_BATCH):
                for problem in judge.run(Random(f"{campaign}/{number}")):
                    pipe.send(("found", f"{campaign}/{number}: {problem}"))
                    pipe.send(("count", signature(problem)))
                number += step
        if number == start + step * SMALL_BATCH:
            limit_memory()
        pipe.send(("at", number))
        pipe.send(("done", SMALL_BATCH))
    pipe.close()


def limit_memory() -> None:
    """From here on, no more than `MEMORY` beyond what is taken now."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def is_new(keep: Path, sign: str) -> bool:
    """Whether no worker has met this signature before."""
    mark = keep / f".{hashlib.sha256(sign.encode()).hexdigest()[:16]}"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class Tally:
    """What the workers have sent."""

    def __init__(self, campaign: str, seconds: float) -> None:
        self.campaign, self.began, self.until = campaign, time.time(), time.time() + seconds
        self.counts: collections.Counter[str] = collections.Counter()
        self.at: dict[int, int] = {}
        self.total = 0
        self._said = self.began

    def take(self, index: int, kind: str, value: Any) -> None:
        """Count one message of a worker; print what was found, and each minute how far it is."""
        if kind == "at":
            self.at[index] = value
        elif kind == "found":
            print(value, flush=True)
        elif kind == "count":
            self.counts[value] += 1
        else:
            self.total += value
        if time.time() - self._said > MINUTE:
            self._said = time.time()
            print(self.line(), flush=True)

    def line(self) -> str:
        """How far it is."""
        problems = f"{sum(self.counts.values())} problems of {len(self.counts)} signatures"
        return f"{self.total:,} executions in {time.time() - self.began:.0f} s, {problems}"

    def ended(self, index: int, code: int) -> None:
        """A worker died of the execution it was at."""
        print(f"{self.campaign}/{self.at[index]}: the worker ended with {code}", flush=True)
        self.counts[f"worker ended with {code}"] += 1


def main(arguments: Sequence[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--campaign", default="a")
    parser.add_argument("--kinds", default="", help="lines,document,store,database; or: small")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"))
    given = parser.parse_args(arguments)
    given.keep.mkdir(parents=True, exist_ok=True)
    tally = Tally(given.campaign, given.seconds)
    running: dict[int, tuple[multiprocessing.Process, Connection]] = {}

    def begin(index: int, start: int) -> None:
        here, there = multiprocessing.Pipe(duplex=False)
        call = (given.campaign, start, given.workers, tally.until, given.kinds, given.keep, there)
        process = multiprocessing.Process(target=work, args=call, daemon=True)
        process.start()
        there.close()
        running[index] = (process, here)

    for index in range(given.workers):
        begin(index, index)
    while running:
        for index, (process, pipe) in list(running.items()):
            try:
                while pipe.poll(0.2):
                    tally.take(index, *pipe.recv())
            except (EOFError, ConnectionResetError):
                process.join()
                del running[index]
                if process.exitcode:
                    tally.ended(index, process.exitcode)
                    if time.time() < tally.until:
                        begin(index, tally.at[index] + given.workers)
    print(tally.line())
    for sign, count in tally.counts.most_common():
        print(f"{count:8} {sign}")
    return 1 if tally.counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
