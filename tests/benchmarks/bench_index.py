"""Reopening a large rollouts file by its index, against an empty Textual app and against listing it without one.

By hand: `python -m tests.benchmarks.bench_index [ROWS…]` (about 24 kB a row; default 23,000, 550 MB). Every number is
of a fresh process, best of three; imports of the reader count, the start of Python does not. The cache folder and the
file are temporary.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.bench_gym import write_file

ROUNDS = 3
LISTING = """
import json, resource, sys, time
start = time.perf_counter()
from rollout_loaders.collection import open_paths
first = None
count = 0
collection = open_paths([sys.argv[1]])
for _ in collection.early() if sys.argv[2:] else collection.summaries():
    count += 1
    if count == 40:
        first = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([first, time.perf_counter() - start, peak, count]))
"""
FINDING = """
import json, sys, time
start = time.perf_counter()
from rollout_loaders.collection import open_paths
assert list(open_paths([sys.argv[1]]).rollouts())
print(json.dumps([time.perf_counter() - start]))
"""
EMPTY_APP = """
import asyncio, json, time
start = time.perf_counter()
from textual.app import App
async def main():
    async with App().run_test(size=(120, 40)) as pilot:
        await pilot.pause()
asyncio.run(main())
print(json.dumps([time.perf_counter() - start]))
"""


def measured(program: str, *arguments: str, cache: str = "off", rounds: int = ROUNDS) -> list[float]:
    """The round with the least last time."""
    found: list[list[float]] = []
    for _ in range(rounds):
        environment = {**os.environ, "ROLLOUT_INSPECT_CACHE": cache}
        ran = subprocess.run(
            [sys.executable, "-c", program, *arguments], env=environment, capture_output=True, check=True
        )
        found.append(json.loads(ran.stdout))
    return min(found)


def main() -> None:
    """One table a size."""
    base = measured(EMPTY_APP)[0]
    print(f"empty app, first frame {base:.2f} s")
    for rows in [int(text) for text in sys.argv[1:]] or [23_000]:
        with tempfile.TemporaryDirectory() as name:
            path, cache = Path(name) / "run" / "rollouts.jsonl", Path(name) / "cache"
            path.parent.mkdir()
            write_file(path, rows)
            print(f"{rows:,} rollouts, {path.stat().st_size / 1e6:,.0f} MB")
            cases = {
                "without a cache": measured(LISTING, str(path)),
                "first listing, which makes the index": measured(LISTING, str(path), cache=str(cache / "1"), rounds=1),
                "the same as the terminal lists it": measured(LISTING, str(path), "early", cache=str(cache), rounds=1),
                "reopened": measured(LISTING, str(path), cache=str(cache)),
            }
            for case, (first, whole, peak, _) in cases.items():
                print(
                    f"  {case:38} first 40 rows {first:6.2f} s ({first / base:4.2f}x empty app)   "
                    f"all {whole:6.2f} s   peak {peak:4.0f} MB"
                )
            place = f"{path}#L{rows - 1}"
            print(f"  one rollout, cold: without a cache {measured(FINDING, place)[0]:.2f} s, ", end="")
            print(f"by the index {measured(FINDING, place, cache=str(cache))[0]:.2f} s")
            size = sum(file.stat().st_size for file in cache.iterdir() if file.is_file())
            print(f"  index {size / 1e6:.1f} MB ({size / path.stat().st_size:.1%} of the file)", flush=True)


if __name__ == "__main__":
    main()
