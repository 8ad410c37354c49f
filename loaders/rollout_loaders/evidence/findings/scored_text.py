"""Findings about where the scored text came from, and other readings of the same evidence."""

from __future__ import annotations

from rollout_loaders.model import OtherReading, Rollout
from rollout_loaders.reader import ReadOptions

from .graded_origin import graded_place, origin_invocation, origin_summary, origin_turn
from .rule import FindingRule, Found, characters

STORE = "store:"
"""Prefix of the readings that the native session beside a row gives."""


def from_summary(rollout: Rollout, _options: ReadOptions) -> Found:
    """The graded text is a compaction's summary."""
    compaction = origin_summary(rollout)
    if compaction is not None:
        after = "" if compaction.after_turn is None else f" after turn {compaction.after_turn}"
        yield f"The scored text is the summary of the compaction{after}, not an answer.", graded_place(rollout)


def from_subagent(rollout: Rollout, _options: ReadOptions) -> Found:
    """The graded text was written in another conversation than the root."""
    invocation = origin_invocation(rollout)
    if invocation is not None and rollout.root is not None and invocation.id != rollout.root.id:
        title = f" ({invocation.title})" if invocation.title else ""
        yield f"The scored text was written by the subagent {invocation.id}{title}.", graded_place(rollout)


def from_tool_turn(rollout: Rollout, _options: ReadOptions) -> Found:
    """The graded text stands beside tool calls: the model meant to go on."""
    turn = origin_turn(rollout)
    calls = () if turn is None else tuple(call for call in turn.tool_calls if not call.hosted)
    if turn is not None and calls and (rollout.scored.final_text or "").strip():
        yield f"The scored text was written in turn {turn.number}, which also called tools.", graded_place(rollout)


def reverted(rollout: Rollout, _options: ReadOptions) -> Found:
    """The graded text belongs to a turn that was reverted."""
    turn = origin_turn(rollout)
    if turn is not None and turn.reverted and (rollout.scored.final_text or "").strip():
        yield (
            f"The scored text was written in turn {turn.number}, which was reverted: the model no longer saw it.",
            graded_place(rollout),
        )


def _differing(rollout: Rollout) -> list[OtherReading]:
    return [other for other in rollout.scored.others if other.final_text != rollout.scored.final_text]


def _of_store(rollout: Rollout, other: OtherReading) -> bool:
    return rollout.scored.reading == "row" and other.reading.startswith(STORE)


def _said(text: str | None) -> str:
    if text is None:
        return "no assistant message"
    return f"a text of {characters(text)}" if text.strip() else "an empty text"


def readings_differ(rollout: Rollout, _options: ReadOptions) -> Found:
    """Another reading that can be computed ends in another text."""
    for other in _differing(rollout):
        if not _of_store(rollout, other):
            yield (
                f"The {rollout.scored.reading} reading ends in {_said(rollout.scored.final_text)}, the {other.reading} "
                f"reading in {_said(other.final_text)}: {other.because.removesuffix('.')}.",
                graded_place(rollout),
            )


def differs_from_store(rollout: Rollout, _options: ReadOptions) -> Found:
    """The row's scored text is not what the store beside it gives."""
    for other in _differing(rollout):
        if _of_store(rollout, other):
            yield (
                f"The row was scored on {_said(rollout.scored.final_text)}; the store beside it gives "
                f"{_said(other.final_text)} ({other.reading.removeprefix(STORE)}): {other.because.removesuffix('.')}.",
                graded_place(rollout),
            )


RULES = (
    FindingRule(
        "scored-text-is-summary",
        "error",
        "The text that was scored is a compaction's summary, which the harness asked for, not the task.",
        "CONTRACT 4.6; gym-semantics 4.2",
        from_summary,
    ),
    FindingRule(
        "scored-text-from-subagent",
        "error",
        "The text that was scored was written by a subagent, not by the root conversation.",
        "CONTRACT 4.6; gym-semantics 4.2",
        from_subagent,
    ),
    FindingRule(
        "scored-text-from-tool-turn",
        "warning",
        "The text that was scored stands in a turn that called tools: the model meant to go on.",
        "CONTRACT 4.6",
        from_tool_turn,
    ),
    FindingRule(
        "scored-text-reverted",
        "error",
        "The text that was scored belongs to a turn that was reverted.",
        "CONTRACT 4.6; formats trap 14",
        reverted,
    ),
    FindingRule(
        "scored-readings-differ",
        "warning",
        "Two readings of this evidence that Gym could take end in different text.",
        "CONTRACT 3 scored.others",
        readings_differ,
    ),
    FindingRule(
        "scored-differs-from-store",
        "error",
        "The text on the row is not the text that the session store beside it gives under the current rules.",
        "CONTRACT 2, 3",
        differs_from_store,
    ),
)
