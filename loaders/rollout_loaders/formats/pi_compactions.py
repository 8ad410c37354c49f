"""Compactions of a Pi event log, and what Gym's table reads off them (formats 2.2, gym-semantics 5.2 and 5.4 F)."""

from __future__ import annotations

from dataclasses import field, replace

from rollout_loaders.convert.pi_message import iso_utc
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Compaction, JsonObject, JsonValue

from . import fields
from .pi_records import count_of

_NOT_OVERFLOW = frozenset({"threshold", "manual"})


@dataclass(slots=True)
class _Open:
    slot: int
    line: int
    reason: str | None
    at_ms: float | None
    after_turn: int
    retries: list[JsonValue] = field(default_factory=lambda: [])


@dataclass(slots=True)
class PiCompactions:
    """Pairs `compaction_end` with the earliest open `compaction_start` of its reason: 0.73.1 runs two at once."""

    overflow_failed: bool = False
    """F: an `errorMessage` closed the start of an overflow compaction, and no compaction or reply came after it.

    A threshold compaction does not set it: the rule is about the call after an overflow (5.4), and what a failed
    threshold compaction does to the grade is not stated (13.5).
    """
    error: str | None = None
    error_at: str | None = None
    lone_end_at: str | None = None
    threshold_error: str | None = None
    _done: list[Compaction | None] = field(default_factory=lambda: [])
    _open: list[_Open] = field(default_factory=lambda: [])

    def start(self, event: JsonObject, line: int, at_ms: float | None, after_turn: int) -> None:
        """`compaction_start`."""
        self._open.append(_Open(len(self._done), line, fields.text(event, "reason"), at_ms, after_turn))
        self._done.append(None)

    def summary_retry(self, event: JsonObject) -> None:
        """`summarization_retry_scheduled` (0.86.1 and later): the summary call is made again."""
        if self._open:
            attempt, message = count_of(event.get("attempt")), fields.text(event, "errorMessage")
            self._open[-1].retries.append({"attempt": attempt, "error": message})

    def end(self, event: JsonObject, line: int, at_ms: float | None, after_turn: int) -> None:
        """`compaction_end`, with or without its start."""
        reason = fields.text(event, "reason")
        started = self._take(reason)
        lone = started is None
        if started is None:
            started = _Open(len(self._done), line, reason, at_ms, after_turn)
            self._done.append(None)
        compaction = _compaction(event, started, reason or started.reason, lone)
        self._done[started.slot] = compaction
        self._judge(compaction, f"compaction_end L{line}")

    def replied(self) -> None:
        """An assistant message ended: a compaction that failed before it is no longer what the run ended on."""
        self.overflow_failed, self.error, self.error_at, self.lone_end_at = False, None, None, None

    def finished(self) -> tuple[Compaction, ...]:
        """All of them by their start; one that nothing closed has outcome `unknown`."""
        done = list(self._done)
        for started in self._open:
            done[started.slot] = replace(_compaction({}, started, started.reason, False), outcome="unknown")
        return tuple(compaction for compaction in done if compaction is not None)

    @property
    def unclosed_at(self) -> str | None:
        """Where the latest start without its end stands."""
        return f"compaction_start L{self._open[-1].line}" if self._open else None

    def _take(self, reason: str | None) -> _Open | None:
        for index, started in enumerate(self._open):
            if reason is None or started.reason in (reason, None):
                return self._open.pop(index)
        return self._open.pop(0) if self._open else None

    def _judge(self, compaction: Compaction, where: str) -> None:
        failed = compaction.error is not None and not compaction.lone_end
        self.overflow_failed = failed and compaction.trigger not in _NOT_OVERFLOW
        self.error = compaction.error if self.overflow_failed else None
        self.error_at = where if self.overflow_failed else None
        self.lone_end_at = where if compaction.lone_end else None
        self.threshold_error = compaction.error if failed and compaction.trigger == "threshold" else None


def _compaction(event: JsonObject, started: _Open, trigger: str | None, lone: bool) -> Compaction:
    result = fields.mapping(event, "result")
    error = fields.text(event, "errorMessage")
    extra: dict[str, JsonValue] = {}
    kept = fields.text(result, "firstKeptEntryId")
    if kept is not None:
        extra["first_kept_entry_id"] = kept
    if isinstance(event.get("willRetry"), bool):
        extra["will_retry"] = event["willRetry"]
    if result.get("details") is not None:
        extra["details"] = result["details"]
    if started.retries:
        extra["summary_retries"] = list(started.retries)
    return Compaction(
        id=f"compaction-L{started.line}",
        trigger=trigger,
        outcome=_outcome(event, result, error),
        summary=fields.text(result, "summary"),
        tokens_before=count_of(result.get("tokensBefore")),
        tokens_after=count_of(result.get("estimatedTokensAfter")),
        after_turn=started.after_turn,
        error=error,
        started_at=iso_utc(started.at_ms),
        lone_end=lone,
        extra=extra,
    )


def _outcome(event: JsonObject, result: JsonObject, error: str | None) -> str:
    """Gym's order (gym-semantics 5.2): aborted, a result, an error, else unknown."""
    if event.get("aborted") is True:
        return "aborted"
    if result:
        return "completed"
    return "failed" if error is not None else "unknown"
