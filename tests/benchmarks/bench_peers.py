"""`rollout-inspect` beside other viewers of rollouts: the same 5,000 rollouts of about 106 kB, in turn in the same run.

By hand, on Linux: `python -m tests.benchmarks.bench_peers [--vf-tui VENV] [--mini VENV] [--inspect VENV]`, where a VENV
has verifiers==0.1.14, mini-swe-agent or inspect_ai; a viewer that is not named is left out. A terminal of 200 x 50 is
read byte by byte: a time counts from the start or the keys until the text came out. The input (2.2 GB) is written to a
temporary folder, or to `--keep FOLDER` and found there again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import orjson
from tests.benchmarks.peers_browser import inspect_view
from tests.benchmarks.peers_input import NEEDLE, WRITE_INSPECT, write_gym, write_mini_swe, write_verifiers
from tests.benchmarks.peers_sessions import Session, empty_app, mini_inspector, ours, vf_tui
from tests.benchmarks.peers_terminal import Terminal, resident, tree

ROLLOUTS = 5_000
ROUNDS = 3
Measured = tuple[str, float, float]
"""What, seconds by the clock (or megabytes), seconds of CPU time (0: not measured)."""
RESIDENT = "resident"


def run(session: Session) -> Iterator[Measured]:
    """One session, from start to end; what it did not reach in time ends it."""
    start = time.perf_counter()
    with Terminal(session.command, session.environment, session.folder) as terminal:
        for step in session.steps:
            before = 0.0
            if step.keys:
                if not step.at_once:
                    terminal.settle()
                before = terminal.cpu
                terminal.send(step.keys)
            if step.text:
                try:
                    taken = terminal.until(step.text)
                except TimeoutError as error:
                    yield f"{step.what or step.keys!r}: {error}", 0.0, 0.0
                    return
                if step.from_start:
                    taken, before = time.perf_counter() - start, 0.0
                if step.what:
                    yield step.what, taken, terminal.cpu - before
        terminal.settle()
        yield RESIDENT, resident(tree(terminal.process)), 0.0


def browser(venv: Path, folder: Path, number: int) -> Iterator[Measured]:
    """`inspect view`, without CPU time."""
    for what, value in inspect_view(venv, folder, number):
        yield what, value, 0.0


def floors(path: Path) -> Iterator[Measured]:
    """What reading the file costs without a viewer."""
    started = time.perf_counter()
    subprocess.run(["grep", "-c", NEEDLE, str(path)], check=True, capture_output=True)
    yield f"grep -c {NEEDLE}", time.perf_counter() - started, 0.0
    started = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    yield "orjson.loads of each line", time.perf_counter() - started, 0.0


def made_input(folder: Path, options: argparse.Namespace) -> None:
    """Write what is not there yet, for the viewers that are asked for."""
    number: int = options.rollouts
    gym, runs, mini, logs = (folder / name for name in ("gym", "verifiers", "mini", "inspect"))
    if not gym.exists():
        gym.mkdir(parents=True)
        write_gym(gym / "rollouts.jsonl", number)
    if not runs.exists():
        write_verifiers(runs, number)
    if options.mini and not mini.exists():
        write_mini_swe(mini, number)
    if options.inspect and not logs.exists():
        logs.mkdir()
        rows, log = results(folder), logs / "2026-01-01T00-00-00+00-00_bench_1.eval"
        subprocess.run([options.inspect / "bin/python", "-c", WRITE_INSPECT, str(rows), str(log)], check=True)
    for each in filter(Path.exists, (gym, runs, mini, logs)):
        size = sum(file.stat().st_size for file in each.rglob("*") if file.is_file())
        print(f"{each.name}: {size / 1e6:,.0f} MB")


def results(folder: Path) -> Path:
    """Where the verifiers rows are."""
    return next((folder / "verifiers").rglob("results.jsonl"))


def viewers(folder: Path, options: argparse.Namespace) -> dict[str, Callable[[], Iterator[Measured]]]:
    """What is measured, by name, in the order of a round."""
    number: int = options.rollouts
    gym, rows = folder / "gym" / "rollouts.jsonl", results(folder)
    middle = f"{number // 8}-{number // 2 % 4}"
    kept = folder / "cache-kept"

    def cold() -> Iterator[Measured]:
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            yield from run(ours("", gym, Path(cache), number, middle))

    again = ours("rollout-inspect, Gym, reopened", gym, kept, number, middle)
    if not kept.exists():
        list(run(again))  # The index is made here.
    sessions = [
        empty_app(folder),
        again,
        ours("rollout-inspect, verifiers", rows, kept, number, f"L{number // 2 + 1}"),
    ]
    if options.vf_tui:
        sessions += [vf_tui(options.vf_tui, folder / "verifiers", number, idle=idle) for idle in (False, True)]
    if options.mini:
        sessions.append(mini_inspector(options.mini, folder / "mini"))
    measured: dict[str, Callable[[], Iterator[Measured]]] = {"floors": partial(floors, rows)}
    measured["rollout-inspect, Gym, first time"] = cold
    measured |= {session.name: partial(run, session) for session in sessions}
    if options.inspect:
        measured["inspect view"] = partial(browser, options.inspect, folder / "inspect", number)
    return {name: work for name, work in measured.items() if any(part in name for part in options.only)}


def report(name: str, found: dict[str, list[tuple[float, float]]]) -> None:
    """Best and worst by the clock, best CPU time."""
    print(name)
    for what, values in found.items():
        clock, cpu = ([value[at] for value in values] for at in (0, 1))
        if what.startswith(RESIDENT):
            print(f"  {what:40} {max(clock):8.0f} MB")
        else:
            used = f"   CPU {min(cpu) * 1e3:9,.0f} ms" if any(cpu) else ""
            print(f"  {what:40} {min(clock) * 1e3:9,.0f} ms (worst {max(clock) * 1e3:9,.0f}, n {len(clock)}){used}")


def main() -> None:
    """Rounds of all viewers in turn, then one block a viewer."""
    parser = argparse.ArgumentParser()
    for peer in ("--vf-tui", "--mini", "--inspect", "--keep"):
        parser.add_argument(peer, type=Path)
    parser.add_argument("--rollouts", type=int, default=ROLLOUTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="*", default=[""], help="parts of the names of what is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).absolute()
        made_input(folder, options)
        work = viewers(folder, options)
        found: dict[str, dict[str, list[tuple[float, float]]]] = {name: {} for name in work}
        for turn in range(options.rounds):
            for name, measure in work.items():
                for what, value, cpu in measure():
                    found[name].setdefault(what, []).append((value, cpu))
            print(f"round {turn + 1}, load average {os.getloadavg()[0]:.1f}", flush=True)
        for name, values in found.items():
            report(name, values)


if __name__ == "__main__":
    main()
