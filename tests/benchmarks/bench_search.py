"""`search` over a large rollouts file against `grep -c` on the same file, in turn in the same run.

By hand: `python -m tests.benchmarks.bench_search [ROWS [COPIES]]` (about 24 kB a row; default 23,000, 550 MB; COPIES of
them after each other). Both are whole processes, start of Python and imports included; best of three, wall clock, and
CPU time of all processes. The index is not used: a search makes none.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.bench_gym import write_file

ROUNDS = 3
CASES: dict[str, tuple[str, list[str], list[str]]] = {
    "absent": ("zzqqxxneedle", ["-s"], []),
    "absent, case ignored": ("zzqqxxneedle", ["-i"], ["-i"]),
    "absent, beyond ASCII": ("日本語", ["-s"], []),
    "the same, case ignored": ("слово", ["-i"], ["-i"]),
    "absent, two words": ("zzqqxxneedle|qqzzyyneedle", ["-es"], ["-E"]),
    "three rollouts": ("Needle_In_The_Stack", ["-s"], []),
    "expression, grep -E": (r"Needle\w+Stack", ["-es"], ["-E"]),
    "expression, grep -P": (r"Needle\w+Stack", ["-es"], ["-P"]),
}
"""Pattern, options of `search`, options of `grep -c`."""


def plant(path: Path, copies: int) -> None:
    """Put a text into three rows, and add copies of the rows without it."""
    lines = dict.fromkeys((100, 5000, 20000), b"Needle_In_The_Stack ")
    partial = path.with_suffix(".partial")
    with path.open("rb") as source, partial.open("wb") as target:
        for number, line in enumerate(source):
            mark = b'"text": "'
            target.write(line.replace(mark, mark + lines[number], 1) if number in lines else line)
        for _ in range(copies - 1):
            target.write(path.read_bytes())
    partial.replace(path)


def timed(command: list[str]) -> tuple[float, float, bytes]:
    """Wall clock, CPU time, output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # Modules are compiled by the first run and kept, as an installation does it.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(command, env={**kept, "ROLLOUT_INSPECT_CACHE": "off"}, capture_output=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ran.stdout


def main() -> None:
    """One line a case."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 23_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rollouts.jsonl"
        write_file(path, rows)
        plant(path, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
        print(f"{path.stat().st_size / 1e6:,.0f} MB, {os.cpu_count()} cores")
        for case, (pattern, own_options, grep_options) in CASES.items():
            grep = ["grep", "-c", *grep_options, pattern, str(path)]
            own = [sys.executable, "-m", "rollout_inspector", "search", *own_options]
            best = {"grep": (9e9, 9e9), "search": (9e9, 9e9)}
            found: dict[str, bytes] = {}
            for _ in range(ROUNDS):
                for tool, command in {"grep": grep, "search": [*own, pattern, str(path)]}.items():
                    wall, cpu, found[tool] = timed(command)
                    best[tool] = (min(best[tool][0], wall), min(best[tool][1], cpu))
            lines = {line.split(b"@")[0] for line in found["search"].splitlines()}
            assert len(lines) == int(found["grep"]), (lines, found["grep"])
            (grep_wall, grep_cpu), (wall, cpu) = best["grep"], best["search"]
            print(
                f"{case:22} grep {grep_wall:5.2f} s (CPU {grep_cpu:5.2f})   search {wall:5.2f} s (CPU {cpu:5.2f})   "
                f"speed {grep_wall / wall:4.2f} of grep's, by CPU {grep_cpu / cpu:4.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
