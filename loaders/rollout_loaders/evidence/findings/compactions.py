"""Findings about compactions: those that failed, loops, and where the kept context starts."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import Compaction, Invocation, Place, Rollout, Turn
from rollout_loaders.reader import ReadOptions

from .rule import FindingRule, Found, one_line

LOOP = 3
UNRESOLVED_GAPS = frozenset({"compaction_first_kept_item_unavailable", "compaction_boundary_unavailable"})


def _each(rollout: Rollout) -> Iterator[tuple[Invocation, Compaction]]:
    for invocation in rollout.invocations:
        for compaction in invocation.compactions:
            yield invocation, compaction


def _where(invocation: Invocation, compaction: Compaction) -> Place:
    return Place(invocation=invocation.id, turn=compaction.after_turn or None, item_id=compaction.id)


def _after(compaction: Compaction) -> str:
    return "" if compaction.after_turn is None else f" after turn {compaction.after_turn}"


def failed(rollout: Rollout, _options: ReadOptions) -> Found:
    """A compaction ended with an error."""
    for invocation, compaction in _each(rollout):
        if compaction.outcome == "failed" and not compaction.lone_end:
            error = f": {one_line(compaction.error)}" if compaction.error else ""
            kind = f"{compaction.trigger} compaction" if compaction.trigger else "compaction"
            yield f"The {kind}{_after(compaction)} failed{error}", _where(invocation, compaction)


def not_recovered(rollout: Rollout, _options: ReadOptions) -> Found:
    """Pi gave up: after its one compaction and retry the context overflowed again. No compaction call failed."""
    for invocation, compaction in _each(rollout):
        if compaction.lone_end:
            error = f": {one_line(compaction.error)}" if compaction.error else ""
            yield (
                f"The context overflowed again after a compaction and one retry{_after(compaction)}{error}",
                _where(invocation, compaction),
            )


def unfinished(rollout: Rollout, _options: ReadOptions) -> Found:
    """A compaction was started and its end is not recorded, or it was aborted."""
    for invocation, compaction in _each(rollout):
        if compaction.outcome in ("unknown", "aborted") and not compaction.lone_end:
            what = "was aborted" if compaction.outcome == "aborted" else "has no recorded end"
            yield f"The compaction{_after(compaction)} {what}.", _where(invocation, compaction)


def _productive(turn: Turn) -> bool:
    return bool(turn.tool_calls or turn.answer_text.strip() or turn.reasoning_text.strip())


def loop(rollout: Rollout, _options: ReadOptions) -> Found:
    """Compactions follow each other and nothing is done between them."""
    for invocation in rollout.invocations:
        busy = [turn.number for turn in invocation.turns if _productive(turn)]
        run: list[Compaction] = []
        position = 0
        for compaction in (*(one for one in invocation.compactions if not one.lone_end), None):
            after = None if compaction is None else compaction.after_turn
            before = position
            while after is not None and position < len(busy) and busy[position] <= after:
                position += 1
            if compaction is None or position > before:
                if len(run) >= LOOP:
                    yield (
                        f"{len(run)} compactions follow each other{_after(run[0])} with no text and no tool call "
                        "between them.",
                        _where(invocation, run[0]),
                    )
                run = []
            if compaction is not None:
                run.append(compaction)


def boundary_unresolved(rollout: Rollout, _options: ReadOptions) -> Found:
    """The record names a kept message or entry, and it gave no item."""
    for gap in rollout.gaps:
        if gap.code in UNRESOLVED_GAPS and gap.detail is not None:
            yield (
                f"Where the kept context starts after a compaction is not resolved ({gap.detail}).",
                Place(invocation=gap.invocation_id),
            )


def boundary_dangling(rollout: Rollout, _options: ReadOptions) -> Found:
    """A recorded first kept item is no item of the conversation."""
    for invocation in rollout.invocations:
        if not invocation.items or not any(one.first_kept_item_id for one in invocation.compactions):
            continue
        known = {item.id for item in invocation.items} | {item.call_id for item in invocation.items}
        for compaction in invocation.compactions:
            kept = compaction.first_kept_item_id
            if kept is None or kept in known:
                continue
            split = f"{kept}-reasoning"
            said = (
                f"it should be {split}, the reasoning split off that part"
                if split in known
                else "nothing takes its place"
            )
            yield (
                f"first_kept_item_id {kept} of the compaction{_after(compaction)} is no item of the conversation; "
                f"{said}.",
                _where(invocation, compaction),
            )


RULES = (
    FindingRule(
        "compaction-failed",
        "warning",
        "A compaction ended with an error; after an overflow the run cannot go on.",
        "gym-semantics 4.4, 5.4 F; formats 1.6, 2.2",
        failed,
    ),
    FindingRule(
        "overflow-not-recovered",
        "warning",
        "Pi gave up on a context overflow: after its one compaction and retry the context overflowed again.",
        "gym-semantics 5.4 F; formats 2.2, trap 9",
        not_recovered,
    ),
    FindingRule(
        "compaction-unfinished",
        "warning",
        "A compaction was started and no end of it is recorded, or it was aborted.",
        "CONTRACT 3 outcome; formats trap 9",
        unfinished,
    ),
    FindingRule(
        "compaction-loop",
        "warning",
        f"At least {LOOP} compactions follow each other with nothing done between them.",
        "formats 1.6: no loop guard",
        loop,
    ),
    FindingRule(
        "compaction-boundary-unresolved",
        "info",
        "The record names where the kept context starts, and no item of the conversation can be found for it.",
        "CONTRACT 4.5; gym-semantics 3.8",
        boundary_unresolved,
    ),
    FindingRule(
        "compaction-boundary-dangling",
        "error",
        "A recorded first_kept_item_id is no item of the conversation.",
        "CONTRACT 4.5; gym-semantics 4.7",
        boundary_dangling,
    ),
)
