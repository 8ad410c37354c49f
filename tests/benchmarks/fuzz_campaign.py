"""The fuzz campaign, run by hand: `python -m tests.benchmarks.fuzz_campaign --seconds 600 --workers 2 --keep FOLDER`.

Every execution is one mutated artifact read, judged and drawn (`tests/hostile/judging.py`). What is found is printed
once a signature, and its input is kept. The count that is printed is of finished executions.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import hashlib
import multiprocessing
import os
import re
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.hostile.cases import write_case
from tests.hostile.judging import Judge
from tests.hostile.seeds import Seed, seeds
from tests.hostile.small_inputs import Small

MEMORY = 500 * 1024**2
HANG = 30
SMALL = "small"


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
    if kinds == SMALL:
        work_small(campaign, start, step, until, pipe)
        return
    choices = [seed for seed in seeds() if not kinds or seed.kind in kinds.split(",")]
    number, done = start, 0
    limit = False
    while time.time() < until:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            folder = Path(name)
            pipe.send(("at", number))
            faulthandler.dump_traceback_later(HANG, exit=True)
            problems = one(campaign, number, choices, folder, thorough=False)
            faulthandler.cancel_dump_traceback_later()
            for problem in problems:
                place = keep / f"{campaign}-{number}"
                if is_new(keep, signature(problem)):
                    shutil.copytree(folder, place, dirs_exist_ok=True)
                    pipe.send(("found", f"{campaign}/{number}: {problem}"))
                pipe.send(("count", signature(problem)))
        number, done = number + step, done + 1
        if not limit and done == 50:  # everything is imported by now
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
            limit = True
        if done % 20 == 0:
            pipe.send(("done", 20))
    pipe.send(("done", done % 20))
    pipe.close()


def work_small(campaign: str, start: int, step: int, until: float, pipe: Connection) -> None:
    """As `work`, with small inputs that need no file."""
    judge, number, done = Small(), start, 0
    while time.time() < until:
        faulthandler.dump_traceback_later(10 * HANG, exit=True)  # of two hundred on a machine that may be busy
        for _ in range(200):
            for problem in judge.run(Random(f"{campaign}/{number}")):
                pipe.send(("found", f"{campaign}/{number}: {problem}"))
                pipe.send(("count", signature(problem)))
            number += step
        faulthandler.cancel_dump_traceback_later()
        done += 200
        pipe.send(("at", number))
        pipe.send(("done", 200))
    pipe.close()


def is_new(keep: Path, sign: str) -> bool:
    """Whether no worker has met this signature before."""
    mark = keep / f".{hashlib.sha256(sign.encode()).hexdigest()[:16]}"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


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
    until = time.time() + given.seconds
    counts: collections.Counter[str] = collections.Counter()
    running: dict[int, tuple[multiprocessing.Process, Connection]] = {}
    at: dict[int, int] = {}
    total = 0

    def begin(index: int, start: int) -> None:
        here, there = multiprocessing.Pipe(duplex=False)
        call = (given.campaign, start, given.workers, until, given.kinds, given.keep, there)
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
                    kind, value = pipe.recv()
                    if kind == "at":
                        at[index] = value
                    elif kind == "found":
                        print(value, flush=True)
                    elif kind == "count":
                        counts[value] += 1
                    else:
                        total += value
            except (EOFError, ConnectionResetError):
                process.join()
                del running[index]
                if process.exitcode:
                    print(f"{given.campaign}/{at[index]}: the worker ended with {process.exitcode}", flush=True)
                    counts[f"worker ended with {process.exitcode}"] += 1
                    if time.time() < until:
                        begin(index, at[index] + given.workers)
    print(f"{total:,} executions in {given.seconds:.0f} s, {sum(counts.values())} problems of {len(counts)} signatures")
    for sign, count in counts.most_common():
        print(f"{count:8} {sign}")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
