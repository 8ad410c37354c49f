"""Converting OpenCode databases of growing length, against reading and parsing their rows in the same run.

By hand: `python -m tests.benchmarks.bench_opencode [TURNS…]`. Writes databases to a temporary folder and removes them.
A turn is one reply with reasoning, answer and two tool calls; every 100th is followed by a compaction. The ratios
between sizes say whether the work is linear. Each time is CPU time, the best of three rounds, baseline and measurement
in turn.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import orjson
from tests.loaders.opencode_data import STEP, STEP_END, Session, text, tool, write_database

from rollout_loaders.collection import open_paths
from rollout_loaders.document import document
from rollout_loaders.jsondecode import encode
from rollout_loaders.model import Rollout

TURNS = (10, 320, 1_000, 10_000)
ROUNDS = 3
WORDS = "the quick brown fox jumps over the lazy dog, then reads what the tests say about it. "


def made_session(turns: int) -> Session:
    """A root session of `turns` replies, half of them with a think block that the gate splits."""
    session = Session()
    session.user(WORDS)
    for number in range(1, turns + 1):
        said = f"<think>{WORDS * 4}</think>\n\n{WORDS}" if number % 2 else WORDS * 3
        calls = [tool(f"call_{number}_{n}", output=WORDS * 8, input={"command": WORDS}) for n in range(2)]
        ended = number == turns
        session.assistant(
            STEP, text(said), *([] if ended else calls), STEP_END, finish="stop" if ended else "tool-calls"
        )
        if number % 100 == 0 and not ended:
            session.add("user", [{"type": "compaction", "auto": True, "tail_start_id": session.messages[-1].id}])
            parent = session.messages[-1].id
            session.assistant(STEP, text(f"Summary {WORDS}"), STEP_END, summary=True, parentID=parent)
    return session


def baseline(path: Path) -> None:
    """Read every row of the two tables and parse its JSON."""
    connection = sqlite3.connect(path)
    for table in ("message", "part"):
        for row in connection.execute(f"SELECT id, session_id, time_created, CAST(data AS BLOB) FROM {table}"):
            orjson.loads(row[3])
    connection.close()


def listed(path: Path) -> None:
    """Every line of a list."""
    for _ in open_paths([str(path)]).summaries():
        pass


def read(path: Path) -> Rollout:
    """The rollout, completed."""
    (rollout,) = open_paths([str(path)]).rollouts()
    return rollout


def documented(path: Path) -> None:
    """The whole way to the JSON document."""
    encode(document(read(path), items=True, parts=True))


WORK: dict[str, Callable[[Path], object]] = {
    "rows parsed": baseline,
    "list": listed,
    "rollout": read,
    "document": documented,
}


def timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or list(TURNS)
    before: dict[str, tuple[int, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for turns in sizes:
            path = write_database(Path(folder) / f"{turns}.db", made_session(turns))
            best = dict.fromkeys(WORK, 9e9)
            for _ in range(ROUNDS):
                for name, work in WORK.items():
                    best[name] = min(best[name], timed(partial(work, path)))
            print(f"{turns:,} turns, {path.stat().st_size / 1e6:.1f} MB", flush=True)
            for name, seconds in best.items():
                line = f"  {name:12} {seconds * 1e3:9.1f} ms  {seconds / best['rows parsed']:5.1f}x of the rows parsed"
                if name in before:
                    fewer, faster = before[name]
                    line += f"  {seconds / faster:6.1f}x for {turns / fewer:.1f}x the turns"
                before[name] = (turns, seconds)
                print(line, flush=True)


if __name__ == "__main__":
    main()
