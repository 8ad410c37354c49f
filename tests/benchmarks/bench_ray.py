"""`index --ray local` against `index` in one process, on the same file: wall clock, and CPU time of all processes.

By hand: `python -m tests.benchmarks.bench_ray [ROWS]` (about 24 kB a row; default 23,000, 550 MB), on Linux, with the
extra `ray`. The file is temporary; no index is kept. What a cluster costs before it reads is measured on a file of 8
rows and taken off, so that what is left grows with the file; both are printed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.bench_gym import write_file

from rollout_loaders.cores import usable_cores

EVERY = 0.2
FEW = 8


class Cost(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


def ticks() -> dict[int, tuple[int, int]]:
    """(parent, clock ticks used) of every process."""
    found: dict[int, tuple[int, int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                found[int(entry.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    return found


class Family:
    """What a process and all that descend from it have used; Ray's are nobody's children when they end."""

    def __init__(self, root: int) -> None:
        self._used = {root: 0}

    def look(self) -> None:
        now = ticks()
        is_new = True
        while is_new:
            new = [pid for pid, (parent, _) in now.items() if parent in self._used and pid not in self._used]
            is_new = bool(new)
            self._used.update(dict.fromkeys(new, 0))
        self._used.update({pid: now[pid][1] for pid in self._used if pid in now})

    @property
    def cpu(self) -> float:
        return sum(self._used.values()) / os.sysconf("SC_CLK_TCK")


def cost(path: Path, *options: str) -> Cost:
    """Of one command line; the last fifth of a second of each process is not seen."""
    target = path.with_suffix(".parquet")
    arguments = ["index", str(path), "-o", str(target), *options]
    start = time.perf_counter()
    running = subprocess.Popen(
        [sys.executable, "-m", "rollout_inspector", *arguments],
        env={**os.environ, "ROLLOUT_INSPECT_CACHE": "off"},
    )
    family = Family(running.pid)
    while running.poll() is None:
        family.look()
        time.sleep(EVERY)
    if running.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit code {running.returncode}")
    return Cost(time.perf_counter() - start, family.cpu)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 23_000
    with tempfile.TemporaryDirectory() as name:
        few, many = Path(name) / "few.jsonl", Path(name) / "many.jsonl"
        write_file(few, FEW)
        write_file(many, rows)
        gigabytes = many.stat().st_size / 1e9
        print(f"{gigabytes * 1000:,.0f} MB, {rows:,} rollouts, {usable_cores()} cores", flush=True)
        for how in ("--no-findings", "--findings"):
            for where in ([], ["--ray", "local"]):
                start, whole = cost(few, how, *where), cost(many, how, *where)
                print(
                    f"{how:14} {' '.join(where):11}  {whole.wall:6.1f} s, CPU {whole.cpu:6.1f} s; of these "
                    f"{start.wall:5.1f} s, CPU {start.cpu:4.1f} s for {FEW} rows; "
                    f"the rest {(whole.cpu - start.cpu) / gigabytes:6.1f} core seconds a gigabyte",
                    flush=True,
                )


if __name__ == "__main__":
    main()
