"""Findings about how the run went: its outcome, retries, lost text, harness notes, health, usage."""

from __future__ import annotations

from rollout_loaders.model import OutcomeReading, Place, Rollout
from rollout_loaders.reader import ReadOptions

from .rule import FindingRule, Found, listed, one_line

RECORDED = "recorded"


def _outcome(status: str, kind: str | None) -> str:
    return status if kind is None else f"{status} ({kind})"


def _recorded(reading: OutcomeReading) -> bool:
    return reading.reading == RECORDED or reading.reading.startswith(f"{RECORDED}-")


def _says_other(rollout: Rollout, reading: OutcomeReading) -> bool:
    """A failure kind that one side leaves open contradicts nothing."""
    mine, theirs = rollout.outcome, reading
    kinds = None not in (mine.failure_kind, theirs.failure_kind) and mine.failure_kind != theirs.failure_kind
    return theirs.status != mine.status or kinds


def outcome_disagrees(rollout: Rollout, _options: ReadOptions) -> Found:
    """What was recorded at the time is not what the rules give for the same evidence."""
    for reading in rollout.outcome.readings:
        if _recorded(reading) and _says_other(rollout, reading):
            mine = _outcome(rollout.outcome.status, rollout.outcome.failure_kind)
            theirs = _outcome(reading.status, reading.failure_kind)
            yield f"The record says {theirs}; the rules give {mine} ({rollout.outcome.rule}).", None


def outcome_readings_differ(rollout: Rollout, _options: ReadOptions) -> Found:
    """Another defensible reading of how the run ended."""
    for reading in rollout.outcome.readings:
        if not _recorded(reading) and _says_other(rollout, reading):
            mine = _outcome(rollout.outcome.status, rollout.outcome.failure_kind)
            theirs = _outcome(reading.status, reading.failure_kind)
            yield f"Read as {reading.reading}, the run is {theirs}; here it counts as {mine}.", None


def retried_in_place(rollout: Rollout, _options: ReadOptions) -> Found:
    """A model call was tried again, and the turn holds both tries."""
    for invocation in rollout.invocations:
        for turn in invocation.turns:
            if turn.retries:
                reasons = [one_line(retry.reason) for retry in turn.retries if retry.reason]
                why = f" ({listed(list(dict.fromkeys(reasons)), 2)})" if reasons else ""
                times = "once" if len(turn.retries) == 1 else f"{len(turn.retries)} times"
                yield (
                    f"The model call of turn {turn.number} was tried again {times}{why}.",
                    Place(invocation.id, turn.number),
                )


def partial_text_lost(rollout: Rollout, _options: ReadOptions) -> Found:
    """A turn was broken off and the store keeps nothing of what had been streamed."""
    for invocation in rollout.invocations:
        for turn in invocation.turns:
            kept = turn.answer_text or turn.reasoning_text or turn.tool_calls
            if turn.partial and not kept:
                yield (
                    f"Turn {turn.number} was broken off, and nothing of what it had written is kept.",
                    Place(invocation.id, turn.number),
                )


def harness_note_sent(rollout: Rollout, _options: ReadOptions) -> Found:
    """A request ended with a message that the harness wrote in the model's name."""
    for note in rollout.harness_notes:
        turn = "a turn that is not known" if note.turn is None else f"turn {note.turn}"
        owner = note.invocation or (None if rollout.root is None else rollout.root.id)
        yield (
            f"{note.harness} sent its {note.name} note in the model's name on model call {note.call_index} ({turn}).",
            Place(owner, note.turn),
        )


def unhealthy(rollout: Rollout, _options: ReadOptions) -> Found:
    """The health checks say that the rollout is unhealthy."""
    if rollout.health.verdict == "unhealthy":
        checks = listed(list(dict.fromkeys(check.check for check in rollout.health.findings))) or "no check is named"
        yield f"Rollout health is unhealthy ({rollout.health.source}): {checks}.", None


def usage_unknown(rollout: Rollout, _options: ReadOptions) -> Found:
    """There are turns and nothing counts their tokens."""
    turns = any(invocation.turns for invocation in rollout.invocations)
    if turns and rollout.usage.input is None and rollout.usage.output is None:
        yield "How many tokens the rollout used is not recorded.", None


RULES = (
    FindingRule(
        "outcome-disagrees",
        "warning",
        "The outcome that was recorded is not the one that the current rules give for the same evidence.",
        "CONTRACT 3 outcome",
        outcome_disagrees,
    ),
    FindingRule(
        "outcome-readings-differ",
        "info",
        "Another defensible reading of the same evidence gives another outcome.",
        "CONTRACT 3 outcome.readings",
        outcome_readings_differ,
    ),
    FindingRule(
        "retried-in-place",
        "info",
        "A model call was tried again inside one turn.",
        "formats 1.6, 2.2; trap 6",
        retried_in_place,
    ),
    FindingRule(
        "partial-text-lost",
        "warning",
        "A turn was broken off and nothing of what it had written is kept.",
        "formats 1.5: a killed run loses its text",
        partial_text_lost,
    ),
    FindingRule(
        "harness-note-sent",
        "info",
        "The harness sent a message in the model's name that the model never wrote.",
        "gym-semantics 8.6",
        harness_note_sent,
    ),
    FindingRule(
        "rollout-unhealthy",
        "warning",
        "The rollout health checks found something.",
        "gym-semantics 7",
        unhealthy,
    ),
    FindingRule(
        "usage-unknown",
        "info",
        "No record counts the tokens of this rollout.",
        "CONTRACT 3 usage",
        usage_unknown,
    ),
)
