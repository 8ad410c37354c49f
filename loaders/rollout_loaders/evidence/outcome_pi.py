"""How a Pi run ended: the decision table of gym-semantics 5.4, its eleven rows, first match decides.

The order is that in which Gym asks: a runner error, no reply at all, a reply that failed, a timeout, a reply that was
cut off (row 6 asks for no exit code, and row 10 leaves model limits alone), an exit code, the stop reason. CONTRACT 3
adds what a log without `result.json` leaves open, and that a missing outcome line counts as false, as in Gym.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, Outcome, OutcomeReading, PiLog, Place, Reason, Rollout, RunResult

from .outcome_pi_because import sentences
from .policy import graded_under, policy_for
from .result_file import damaged_result

_STATUS = re.compile(r"^([45]\d\d)(?!\d)")
TERMINAL = frozenset({"stop", "length", "aborted", "error"})


@dataclass(frozen=True, slots=True)
class PiInputs:
    """S, C, T, R, X and F of gym-semantics 5.4, and whether the log reached its end."""

    stop: str | None
    has_assistant: bool
    overflow: bool
    timed_out: bool
    runner_error: str | None
    exit_code: int | None
    compaction_failed: bool
    error: str | None = None
    compaction_error: str | None = None
    open_end: bool = False
    """No `result.json`, and nothing in the record says that Pi came to its end."""

    @property
    def failed_reply(self) -> bool:
        """S = error."""
        return self.stop == "error"

    @property
    def bad_exit(self) -> bool:
        """X is not 0; an exit that is not known is none (CONTRACT 3)."""
        return self.exit_code not in (0, None)


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """A row: when it applies and what it says. `error` and `kind` may depend on the inputs."""

    id: str
    applies: Callable[[PiInputs], bool]
    status: str
    error: Callable[[PiInputs], str | None] = lambda _inputs: None
    kind: Callable[[PiInputs], str | None] = lambda _inputs: None
    sentence: str = ""


def _status_code(error: str | None) -> int | None:
    """The 4xx or 5xx status that Pi's error text starts with (CONTRACT 3, row 9)."""
    found = _STATUS.match(error or "")
    return int(found[1]) if found else None


def _request_kind(inputs: PiInputs) -> str:
    return "unknown" if _status_code(inputs.error) is None else "model_request_error"


ROWS: tuple[OutcomeRow, ...] = (
    OutcomeRow(
        "pi-1",
        lambda i: i.runner_error is not None,
        "failed",
        error=lambda i: i.runner_error,
        sentence="the runner reports an error of its own",
    ),
    OutcomeRow(
        "pi-3",
        lambda i: not i.has_assistant and i.timed_out,
        "incomplete",
        sentence="the runner timed out before Pi gave any reply",
    ),
    OutcomeRow(
        "pi-open",
        lambda i: i.open_end and i.stop not in TERMINAL,
        "unknown",
        sentence="the record stops before Pi came to its end, and no result.json says why",
    ),
    OutcomeRow(
        "pi-2",
        lambda i: not i.has_assistant,
        "failed",
        error=lambda _i: "Pi produced no assistant result",
        sentence="there is no finished reply at all",
    ),
    OutcomeRow(
        "pi-8",
        lambda i: i.failed_reply and i.compaction_failed,
        "failed",
        error=lambda i: i.compaction_error,
        kind=lambda _i: "unknown",
        sentence="the compaction call after the overflow failed; whatever its own error, the cause counts as unknown",
    ),
    OutcomeRow(
        "pi-7",
        lambda i: i.failed_reply and i.overflow,
        "incomplete",
        sentence="the last reply failed on a context overflow that compaction did not fix: a limit, always verified",
    ),
    OutcomeRow(
        "pi-9",
        lambda i: i.failed_reply,
        "failed",
        error=lambda i: i.error or "error",
        kind=_request_kind,
        sentence="the last reply failed, and no outcome line calls it a context overflow",
    ),
    OutcomeRow(
        "pi-4",
        lambda i: i.timed_out,
        "incomplete",
        sentence="the runner timed out: the partial work is graded",
    ),
    OutcomeRow(
        "pi-6",
        lambda i: i.stop in ("length", "aborted"),
        "incomplete",
        sentence="the last reply was cut off: partial work is graded",
    ),
    OutcomeRow(
        "pi-10",
        lambda i: i.bad_exit,
        "failed",
        error=lambda i: f"Pi exited with code {i.exit_code}",
        sentence="Pi's exit code is not 0",
    ),
    OutcomeRow(
        "pi-5",
        lambda i: i.stop == "stop",
        "completed",
        sentence="the last reply ended by itself",
    ),
    OutcomeRow(
        "pi-11",
        lambda _i: True,
        "failed",
        error=lambda _i: "Pi ended without a terminal assistant result",
        sentence="the last reply did not end the run",
    ),
)
"""In Gym's order of asking. Ids are the row numbers of 5.4; `pi-open` is CONTRACT 3's own."""

POLICY_DECIDES = frozenset({"pi-8", "pi-9"})
"""Failed replies that come with a cause, so that the outcome policy is asked (5.4); other failures are not verified."""


def inputs_of(log: PiLog, result: RunResult | None) -> PiInputs:
    """The table's inputs. Without `result.json`: no runner error, no timeout, exit 0, unless the end is open."""
    return PiInputs(
        stop=log.stop_reason,
        has_assistant=log.has_assistant,
        overflow=log.context_overflow is True,
        timed_out=result is not None and result.timed_out,
        runner_error=None if result is None else result.error,
        exit_code=0 if result is None else result.return_code,
        compaction_failed=log.overflow_compaction_failed,
        error=log.error_message,
        compaction_error=log.compaction_error,
        open_end=result is None and (log.is_session_file or not log.ended),
    )


def decide(inputs: PiInputs) -> OutcomeRow:
    """The first row that applies; the last one always does."""
    return next(row for row in ROWS if row.applies(inputs))


def outcome(rollout: Rollout) -> Outcome:
    """The outcome of a Pi rollout, with every other reading of the same evidence and what each rests on."""
    log = rollout.evidence.pi
    if log is None:
        return Outcome(because=(Reason("the record holds no Pi events"),))
    result = rollout.evidence.run_result
    inputs = inputs_of(log, result)
    row = decide(inputs)
    root = rollout.root
    place = Place(invocation=None if root is None else root.id, turn=log.stop_turn)
    decided = Reason(f"{row.id}: {row.sentence}.", place, log.stop_at)
    verdict = _verdict("computed", row, inputs)
    return Outcome(
        status=verdict.status,
        failure_kind=verdict.failure_kind,
        error=verdict.error,
        graded=verdict.graded,
        rule=row.id,
        because=(decided, *sentences(log, result, place, damaged=damaged_result(rollout))),
        policy=policy_for(row.status, row.kind(inputs), _policy_code(row, inputs)),
        readings=_readings(log, inputs, verdict),
        recorded={} if result is None else {"result.json": _recorded(result)},
    )


def _policy_code(row: OutcomeRow, inputs: PiInputs) -> int | None:
    return _status_code(inputs.error) if row.id == "pi-9" else None


def _verdict(name: str, row: OutcomeRow, inputs: PiInputs) -> OutcomeReading:
    kind = row.kind(inputs)
    graded: bool | None = {"completed": True, "incomplete": True, "failed": False}.get(row.status)
    if row.id in POLICY_DECIDES:
        graded = graded_under(policy_for(row.status, kind, _policy_code(row, inputs)))
    return OutcomeReading(name, row.status, kind, graded, row.id, row.error(inputs))


def _readings(log: PiLog, inputs: PiInputs, verdict: OutcomeReading) -> tuple[OutcomeReading, ...]:
    """Other readings that end elsewhere; `events` is what the events themselves show (issue: both are given)."""
    found: list[OutcomeReading] = []

    def consider(name: str, other: PiInputs) -> None:
        reading = _verdict(name, decide(other), other)
        if (reading.status, reading.failure_kind, reading.rule) != (verdict.status, verdict.failure_kind, verdict.rule):
            found.append(reading)

    if log.context_overflow is None and log.last_error_overflow_text:
        consider("events", replace(inputs, overflow=True))
    elif log.paired_overflow is not None and log.paired_overflow != log.context_overflow:
        consider("events", replace(inputs, overflow=log.paired_overflow))
    if verdict.rule == "pi-open":
        consider("if-timed-out", replace(inputs, open_end=False, timed_out=True))
        consider("if-it-had-ended", replace(inputs, open_end=False))
    if verdict.rule == "pi-8":
        consider("before-the-compaction-rule", replace(inputs, compaction_failed=False))
    if inputs.failed_reply and verdict.rule in POLICY_DECIDES:
        raised = f"Pi agent failed: {inputs.error or 'error'}"
        found.append(OutcomeReading("before-agent-outcomes", "failed", None, False, "pi-raised", raised))
    return tuple(found)


def _recorded(result: RunResult) -> JsonObject:
    return {
        "return_code": result.return_code,
        "timed_out": result.timed_out,
        "cleanup_confirmed": result.cleanup_confirmed,
        "error": result.error,
        **result.extra,
    }
