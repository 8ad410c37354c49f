"""How the rows of verifiers' `results.jsonl` are told, built and listed, with the `metadata.json` beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import Line
from rollout_loaders.model import Diagnostic, Harness, JsonObject, Rollout, RolloutSummary, SourceRef, Task, is_object
from rollout_loaders.reader import ReadOptions
from rollout_loaders.remote.path import RemotePath
from rollout_loaders.source import is_file, state_of

from . import fields
from .line_records import BOM, not_read, without_newline
from .row_kind import Fields, Refused

METADATA = "metadata.json"
FORMAT = "verifiers-results"


@dataclass(frozen=True, slots=True)
class Run:
    """What all rows of a file share."""

    metadata: JsonObject
    artifacts: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def harness(self) -> Harness:
        """The environment is the agent: verifiers has no other name for what ran."""
        return Harness(
            name="verifiers",
            version=fields.text(fields.mapping(self.metadata, "version_info"), "vf_version"),
            agent=fields.text(self.metadata, "env_id"),
            model=fields.text(self.metadata, "model"),
        )


class VerifiersKind:
    """See `row_kind.RowKind`. Rows have no identity: each is called by its line."""

    format = FORMAT
    scan = "verifiers_scan"
    has_names = False

    def __init__(self, path: Path, shown: str) -> None:
        self._beside = path.parent / METADATA
        self._shown = f"{shown.rpartition('/')[0]}/{METADATA}" if "/" in shown else METADATA
        self._known: tuple[Any, Run] | None = None

    @property
    def stamp(self) -> str:
        """What of the metadata is in a summary."""
        run = self.run()
        return repr((run.harness, len(run.artifacts)))

    @property
    def artifacts(self) -> tuple[str, ...]:
        """The metadata."""
        return self.run().artifacts

    def problems(self) -> tuple[Diagnostic, ...]:
        """Of the metadata."""
        return self.run().problems

    def run(self) -> Run:
        """The metadata as it is now: a run that goes on rewrites it."""
        state = None if isinstance(self._beside, RemotePath) else state_of(self._beside)
        if self._known is None or self._known[0] != state:
            self._known = (state, self._read())
        return self._known[1]

    def _read(self) -> Run:
        from .logged_file import document  # a search reads no metadata

        if not is_file(self._beside):
            return Run({})
        try:
            metadata = document(self._beside, self._shown, [])
        except ReadError as error:
            return Run({}, problems=(Diagnostic("evidence-unreadable", error.reason, self._shown),))
        return Run(metadata, (self._shown,)) if "env_id" in metadata or "model" in metadata else Run({})

    def record(self, line: Line, shown: str) -> JsonObject | Refused:
        """Exactly: what is refused is said with all that had to be tolerated."""
        read = self.whole(line, shown)
        return read if isinstance(read, Refused) else read[0]

    def whole(self, line: Line, shown: str) -> tuple[JsonObject, list[Diagnostic]] | Refused:  # noqa: ARG002
        """Exactly."""
        data, where = line.data.removeprefix(BOM) if line.number == 1 else line.data, f"L{line.number}"
        if not data.strip():
            return Refused(())
        try:
            decoded = decode(data)
        except BadJson as bad:
            return Refused((not_read(line, str(bad)),))
        own = [Diagnostic(code, message, where) for code, message in decoded.problems]
        if not is_object(decoded.value):
            return Refused((*own, Diagnostic("record-unreadable", "no object", where)))
        if not line.terminated:
            own.append(without_newline(where))
        if "completion" not in decoded.value:
            said = Diagnostic("not-a-rollout", "an object without `completion`, so no rollout", where)
            return Refused((*own, said))
        return decoded.value, own

    def name_of(self, row: JsonObject) -> str | None:  # noqa: ARG002
        """None."""
        return None

    def name_in(self, fields: Fields) -> str | None:  # noqa: ARG002
        """None."""
        return None

    def built(
        self,
        row: JsonObject,
        rollout_id: str,  # noqa: ARG002 - its locator
        source: SourceRef,
        diagnostics: Sequence[Diagnostic],
        options: ReadOptions,  # noqa: ARG002 - nothing can be forced
    ) -> Rollout:
        """The rollout of a row."""
        from .verifiers_rollout import rollout_of  # a list builds none

        return rollout_of(row, source, self.run(), diagnostics)

    def lister(self, shown: str) -> Summaries:
        """With the metadata as it is now."""
        run = self.run()
        return Summaries(shown, run.harness, run.artifacts)


@dataclass(slots=True)
class Summaries:
    """Turns the fields of plain rows into summaries of one file, equal to those of built rollouts but for findings."""

    path: str
    harness: Harness
    artifacts: tuple[str, ...]
    _states: dict[bool, str] = field(default_factory=dict[bool, str])
    _statuses: dict[Any, str] = field(default_factory=dict[Any, str])

    def summary(self, rollout_id: str, number: int, fields: Fields) -> RolloutSummary:
        """The summary of one plain row."""
        from rollout_loaders.summary import milliseconds

        from .logged_file import utc
        from .verifiers_rollout import task_index_of, usage_of

        example, prompt, reward, ending, started, ended, turns, calls, answer, stands, counts = fields
        state, reward = self._graded(reward, ending[0])
        status = self._statuses.get(ending)
        if status is None:
            status = self._statuses[ending] = _status(*ending)
        started = utc(started) if started else None
        return RolloutSummary(
            id=rollout_id,
            source=SourceRef(self.path, FORMAT, f"L{number}", self.artifacts),
            harness=self.harness,
            task=Task(
                task_index=task_index_of(example),
                task_id=None if example is None else str(example),
                prompt=prompt,
            ),
            state=state,
            reward=reward,
            status=status,
            failure_kind=None,
            turns=turns,
            tool_calls=calls,
            answer_chars=answer,
            answer_stands=stands,
            findings=None,
            usage=usage_of(counts),
            duration_ms=milliseconds(started, utc(ended) if ended else None),
            started_at=started,
        )

    def _graded(self, reward: Any, has_error: bool) -> tuple[str, float | None]:
        """(grading state, reward) by the table; remembered for finite rewards."""
        if type(reward) is float:  # finite: a scan refuses what is no JSON number
            state = self._states.get(has_error)
            if state is None:
                state, _ = _asked(reward, has_error)
                self._states[has_error] = state
            return state, reward
        return _asked(reward, has_error)


def _asked(reward: Any, has_error: bool) -> tuple[str, float | None]:
    from rollout_loaders.evidence.grading_state import facts_of, state_of

    from .verifiers_rollout import record_of

    record = record_of({"reward": reward, "error": "" if has_error else None}, {})
    return state_of(facts_of(record))[0], record.reward


def _status(has_error: bool, is_truncated: bool, word: str | None, is_single: bool) -> str:
    from rollout_loaders.evidence.outcome_recorded import status_of

    from .verifiers_rollout import ending_of

    row = {"error": "" if has_error else None, "is_truncated": is_truncated, "stop_condition": word}
    return status_of(ending_of(row, 1 if is_single else 0))
