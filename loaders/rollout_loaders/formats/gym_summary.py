"""Lists of a rollouts file without building rollouts: scanned ranges, on all cores where the file is large.

Equal to `summary.summarise` of the completed rollout except that findings are not computed (`findings` None). Outcome
and grading state come from the same tables, asked once for each kind of row.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from rollout_loaders.evidence.grading_state import facts_of as grade_facts
from rollout_loaders.evidence.grading_state import state_of
from rollout_loaders.evidence.outcome_row import status_and_kind
from rollout_loaders.evidence.row_facts import row_facts
from rollout_loaders.model import Harness, RolloutSummary, SourceRef, Task, Usage
from rollout_loaders.source import open_file

from . import gym_scan
from .gym_blocks import Readable
from .gym_row import record_of

ALONE = 48 * 1024 * 1024
"""Bytes that one process scans in about the time in which another starts."""
_HELPER = "import sys; sys.path[:] = {path!r}; from rollout_loaders.formats.gym_scan import serve; serve()"
Row = tuple[Any, ...]


@dataclass(slots=True)
class Scanned:
    """The rows of one range, packed; line numbers count from the first line of the file."""

    first_line: int
    packed: bytes

    def rows(self) -> Iterator[Row]:
        """`(line number, offset, terminated, fields or None)`."""
        for number, offset, terminated, fields in marshal.loads(self.packed):
            yield self.first_line + number - 1, offset, terminated, fields


def scan_file(path: Path, workers: int | None = None) -> list[Scanned]:
    """Scan the whole file. `workers` processes in all; None takes the cores that this process may use.

    A helper that fails for whatever reason costs nothing but time: its range is scanned here. Raises `ReadError`.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        (start, end), *others = _ranges(size, workers or usable_cores())
        helpers = [Helper(path, low, high) for low, high in others]
        try:
            pieces = list(gym_scan.packed(cast(Readable, file), start, end))
            for helper in helpers:
                found = helper.result()
                if found is None:
                    found = list(gym_scan.packed(cast(Readable, file), helper.start, helper.end))
                pieces += found
        finally:
            for helper in helpers:
                helper.end_it()
    scanned: list[Scanned] = []
    line = 1
    for count, piece in pieces:
        scanned.append(Scanned(line, piece))
        line += count
    return scanned


def usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ranges(size: int, workers: int) -> list[tuple[int, int]]:
    """Byte ranges, the first for this process: it scans while the helpers start, and makes all summaries at the end."""
    workers = max(1, min(workers, size // ALONE))
    if workers == 1:
        return [(0, size)]
    own = max(0, (size + (workers - 1) * (ALONE - size // 5)) // workers)
    share = -(-(size - own) // (workers - 1))
    rest = [(own + share * place, min(own + share * (place + 1), size)) for place in range(workers - 1)]
    return [(0, own), *((start, end) for start, end in rest if start < end)]


class Helper:
    """A process that scans one range while this one scans another; a thread takes its output off the pipe."""

    def __init__(self, path: Path, start: int, end: int) -> None:
        self.start, self.end = start, end
        self._pieces: list[tuple[int, bytes]] = []
        self._whole = False
        code = _HELPER.format(path=[place or str(Path.cwd()) for place in sys.path])
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", code, str(path.resolve()), str(start), str(end)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, ValueError):
            self._process = None
            return
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def result(self) -> list[tuple[int, bytes]] | None:
        """Its pieces, None where it did not come to its end."""
        if self._process is None:
            return None
        self._thread.join()
        return self._pieces if self._whole else None

    def end_it(self) -> None:
        """Leave no process behind."""
        if self._process is not None:
            self._process.kill()
            self._thread.join()
            self._process.wait()

    def _drain(self) -> None:
        pipe = self._process.stdout if self._process is not None else None
        if pipe is None:
            return
        with pipe:
            while len(header := pipe.read(gym_scan.HEADER.size)) == gym_scan.HEADER.size:
                count, length = gym_scan.HEADER.unpack(header)
                if length == 0:
                    self._whole = True
                    return
                piece = pipe.read(length)
                if len(piece) < length:
                    return
                self._pieces.append((count, piece))


@dataclass(slots=True)
class Summaries:
    """Turns the fields of plain rows into summaries of one file."""

    path: str
    format: str
    _verdicts: dict[Any, tuple[str, str, str | None]] = field(default_factory=lambda: {})
    _harnesses: dict[Any, Harness] = field(default_factory=lambda: {})

    def summary(self, rollout_id: str, number: int, fields: Row) -> RolloutSummary:
        """The summary of one plain row."""
        _, task, rollout, attempt, named, prompt, agent, model, pi, source, started, plain, masked, rare, *rest = fields
        turns, calls, answer, stands, counts = rest
        key = (agent, model, pi, source)
        harness = self._harnesses.get(key)
        if harness is None:
            harness = Harness(source or ("pi" if pi is not None else None), pi, agent, model)
            self._harnesses[key] = harness
        state, reward, status, kind = self._verdict(plain, masked, rare)
        usage = (
            NO_USAGE if counts is None else Usage(counts[0], counts[1], counts[2], counts[3], None, "response.usage")
        )
        return RolloutSummary(
            rollout_id,
            SourceRef(self.path, self.format, f"L{number}"),
            harness,
            Task(task, rollout, attempt, named, prompt),
            state,
            reward,
            status,
            kind,
            turns,
            calls,
            answer,
            stands,
            None,
            usage,
            None,
            started,
        )

    def _verdict(self, plain: Row, masked: Any, rare: Any) -> tuple[str, float | None, str, str | None]:
        """(grading state, reward, outcome status, failure kind) by the tables; remembered for plain kinds of rows."""
        reward = plain[0]
        if rare is not None or type(reward) is not float or reward - reward != 0:
            return self._asked(plain, masked, rare)
        key = (plain[1:], masked)
        found = self._verdicts.get(key)
        if found is None:
            state, _, status, kind = self._asked(plain, masked, rare)
            found = self._verdicts[key] = (state, status, kind)
        state, status, kind = found
        return state, reward, status, kind

    def _asked(self, plain: Row, masked: Any, rare: Any) -> tuple[str, float | None, str, str | None]:
        reward, status, timed_out, mask = plain
        row: dict[str, Any] = {"reward": reward, "agent_timed_out": timed_out, "mask_sample": mask, **(rare or {})}
        row.setdefault("response", {"status": status})
        row["instance_config"] = {"mask_sample": masked}
        record = record_of(row, row["response"], ())
        state, _ = state_of(grade_facts(record))
        return state, record.reward, *status_and_kind(row_facts(record))


NO_USAGE = Usage()
