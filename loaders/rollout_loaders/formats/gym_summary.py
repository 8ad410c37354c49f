"""Lists of a rollouts file without building rollouts: scanned ranges, on all cores where the file is large.

Equal to `summary.summarise` of the completed rollout except that findings are not computed (`findings` None). Outcome
and grading state come from the same tables, asked once for each kind of row.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from rollout_loaders.evidence.grading_state import facts_of as grade_facts
from rollout_loaders.evidence.grading_state import state_of
from rollout_loaders.evidence.outcome_row import status_and_kind
from rollout_loaders.evidence.row_facts import row_facts
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Harness, RolloutSummary, SourceRef, Task, Usage
from rollout_loaders.source import open_file, size_of

from .gym_pieces import pieces
from .gym_row import record_of

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


def scan_file(path: Path, scan: str = "gym_scan", workers: int | None = None) -> Iterator[Scanned]:
    """Scan the whole file by a module's `plain_fields`, in file order.

    `workers` processes in all, None for all cores. Raises `ReadError`.
    """
    line = 1
    with open_file(path) as file:
        for count, piece in pieces(path, file, 0, size_of(file), scan, workers):
            yield Scanned(line, piece)
            line += count


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
