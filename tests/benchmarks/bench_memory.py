"""Peak memory of listing rollouts files of growing size: first listing, reopened, without a cache; and of a search.

By hand: `python -m tests.benchmarks.bench_memory [MEGABYTES…]` (default 10 100 500 1000). Resident peak of the process
that lists, summaries dropped as they come; its helper processes are counted apart, the largest of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.bench_gym import write_file

BYTES_A_ROW = 24_055
SIZES = (10, 100, 500, 1000)
PROGRAM = """
import json, resource, sys
from rollout_loaders.collection import open_paths
from rollout_loaders.index.needle import Needle
collection = open_paths([sys.argv[2]])
found = collection.holding(Needle(("zzqqxxneedle",), True)) if sys.argv[1] == "search" else collection.summaries()
for _ in found: pass
peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps(peaks))
"""


def peak(what: str, path: Path, cache: str) -> str:
    """`own + largest helper`, in MB."""
    environment = {**os.environ, "ROLLOUT_INSPECT_CACHE": cache}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, what, str(path)], env=environment, capture_output=True, check=True
    )
    own, helper = json.loads(ran.stdout)
    return f"{own:5.0f} + {helper:3.0f}"


def main() -> None:
    """One line a size."""
    print("file, MB   first listing     reopened     without cache   search      (own + largest helper, MB)")
    for size in [int(text) for text in sys.argv[1:]] or SIZES:
        with tempfile.TemporaryDirectory() as name:
            path, cache = Path(name) / "run" / "rollouts.jsonl", str(Path(name) / "cache")
            path.parent.mkdir()
            write_file(path, size * 1_000_000 // BYTES_A_ROW)
            found = [peak("list", path, cache), peak("list", path, cache)]
            found += [peak("list", path, "off"), peak("search", path, "off")]
            print(f"{size:8,}   " + "     ".join(found), flush=True)


if __name__ == "__main__":
    main()
