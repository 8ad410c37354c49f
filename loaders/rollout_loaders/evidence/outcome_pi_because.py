"""Why a Pi outcome is what it is: one sentence for each event it rests on, and for each input that was not there."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import PiLog, Place, Reason, RunResult

_QUOTED = 300


def sentences(log: PiLog, result: RunResult | None, place: Place, *, damaged: bool = False) -> tuple[Reason, ...]:
    """In the order of the table's inputs: S, C, F, then R, T and X. `damaged`: there is a `result.json`, unreadable."""
    return (*_reply(log, place), *_outcome_lines(log), *_compactions(log, place), *_runner(log, result, damaged))


def _reply(log: PiLog, place: Place) -> Iterator[Reason]:
    if not log.has_assistant:
        yield Reason("No assistant message of this run ended.")
        return
    error = f": {_quoted(log.error_message)}" if log.error_message else ""
    yield Reason(f"The last finished reply has stopReason {log.stop_reason or 'none'}{error}.", place, log.stop_at)


def _outcome_lines(log: PiLog) -> Iterator[Reason]:
    if log.is_session_file:
        yield Reason("A session file holds no ng_pi_outcome lines: the overflow flag counts as false, as in Gym.")
    elif log.context_overflow is None:
        yield Reason("The log holds no ng_pi_outcome line: the overflow flag counts as false, as in Gym.")
    else:
        flag = str(log.context_overflow).lower()
        yield Reason(f"The last ng_pi_outcome line says context_overflow {flag}.", None, log.outcome_at)
        if log.outcome_lines != log.assistant_messages:
            yield Reason(
                f"There are {log.outcome_lines} ng_pi_outcome lines for {log.assistant_messages} finished replies."
            )
    if log.context_overflow is None and log.last_error_overflow_text:
        yield Reason(
            "The error's own words are a context limit: with an outcome line Gym would count it as one "
            "(reading `events`).",
            None,
            log.stop_at,
        )


def _compactions(log: PiLog, place: Place) -> Iterator[Reason]:
    if log.overflow_compaction_failed:
        yield Reason(
            f"Pi's compaction after the overflow failed: {_quoted(log.compaction_error)}.",
            place,
            log.compaction_error_at,
        )
    if log.lone_end_at is not None:
        yield Reason(
            "The last compaction_end has no compaction_start: Pi's verdict that its one retry overflowed again, "
            "not a failed compaction call.",
            place,
            log.lone_end_at,
        )
    if log.threshold_error is not None:
        what = "" if log.stop_reason != "error" else "; what it does to the grade is not decided by the records"
        yield Reason(f"A threshold compaction failed ({_quoted(log.threshold_error)}): it is no overflow's{what}.")
    if log.unclosed_compaction_at is not None:
        yield Reason(
            "A compaction_start is closed by nothing: that is no failed compaction; what came of it was not recorded.",
            place,
            log.unclosed_compaction_at,
        )
    if log.is_session_file and log.stop_reason == "error":
        yield Reason("A session file keeps no trace of a failed compaction call: whether there was one is not known.")


def _runner(log: PiLog, result: RunResult | None, damaged: bool) -> Iterator[Reason]:
    if result is not None:
        code = "no exit code" if result.return_code is None else f"exit code {result.return_code}"
        ran = "timed out" if result.timed_out else "no timeout"
        error = f", runner error: {_quoted(result.error)}" if result.error else ", no runner error"
        yield Reason(f"result.json: {code}, {ran}{error}.", None, "result.json")
        return
    absent = "The result.json cannot be read" if damaged else "There is no result.json"
    yield Reason(f"{absent}: no runner error, no timeout and exit 0 are taken, not recorded.")
    if log.is_session_file:
        yield Reason("A session file does not say whether Pi came to its end.")
    elif not log.ended:
        yield Reason("The log stops without an agent_end after its last agent_start.")


def _quoted(text: str | None) -> str:
    text = (text or "").rstrip(".")
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}… ({len(text):,} characters)"
