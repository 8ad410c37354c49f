"""Places worth jumping to: findings, compactions, the scored text, an item. Pure functions, no widget."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.model import Finding, Place, Rollout

from .blocksource import BlockSource
from .blockview import Spot

_SERIOUS = frozenset({"error", "warning"})


def findings_in_order(rollout: Rollout, serious: bool) -> list[Finding]:
    """Return findings that have a place, in the order of the rollout."""
    order = {invocation.id: index for index, invocation in enumerate(rollout.invocations)}
    placed = [
        one
        for one in rollout.findings
        if one.where is not None and one.where != Place() and (not serious or one.severity in _SERIOUS)
    ]

    def position(finding: Finding) -> tuple[int, int]:
        where = finding.where or Place()
        return order.get(where.invocation or "", 0), where.turn or 0

    return sorted(placed, key=position)


def next_finding(
    findings: Sequence[Finding], rollout: Rollout, here: Place, step: int, last: Finding | None
) -> Finding | None:
    """Return the finding after (or before) a place; from a finding just visited, simply the next one."""
    if not findings:
        return None
    if last is not None and last in findings and last.where is not None and _same_turn(last.where, here, rollout):
        return findings[(findings.index(last) + step) % len(findings)]
    order = {invocation.id: index for index, invocation in enumerate(rollout.invocations)}

    def position(place: Place) -> tuple[int, int]:
        return order.get(place.invocation or "", 0), place.turn or 0

    now = position(here)
    if step > 0:
        return next((one for one in findings if one.where and position(one.where) > now), findings[0])
    return next((one for one in reversed(findings) if one.where and position(one.where) < now), findings[-1])


def _same_turn(one: Place, other: Place, rollout: Rollout) -> bool:
    root = rollout.root.id if rollout.root is not None else None
    return (one.invocation or root, one.turn) == (other.invocation or root, other.turn)


def spot_of(source: BlockSource, place: Place) -> Spot | None:
    """Return where a place stands in a source; its turn when the item is not drawn there; None when neither is."""
    of_turn = [index for index, section in enumerate(source.sections) if section.turn == place.turn]
    if place.item_id is not None:
        searched = of_turn if place.turn is not None and of_turn else range(len(source.sections))
        for index in searched:
            block = _block_of(source, index, place.item_id)
            if block is not None:
                return Spot(index, block)
        boundary = next((index for index, one in enumerate(source.sections) if one.ident == place.item_id), None)
        if boundary is not None:
            return Spot(boundary)
    if place.turn is None:
        return Spot() if place.item_id is None and source.sections else None
    turns = [index for index in of_turn if source.sections[index].kind != "compaction"]
    return Spot(turns[0]) if turns else None


def _block_of(source: BlockSource, section: int, item: str) -> int | None:
    blocks = source.blocks(section)
    for index, block in enumerate(blocks):
        if item in (block.place.item_id, block.id):
            return index
    return None


def scored_spot(source: BlockSource) -> Spot | None:
    """Return where the badge of the graded item stands."""
    for index in range(len(source.sections) - 1, -1, -1):
        for at, block in enumerate(source.blocks(index)):
            if block.badge:
                return Spot(index, at)
    return None


def boundary_spot(source: BlockSource, section: int, step: int) -> Spot | None:
    """Return the next or previous compaction boundary."""
    at = section + step
    while 0 <= at < len(source.sections):
        if source.sections[at].kind == "compaction":
            return Spot(at)
        at += step
    return None


def turn_spot(source: BlockSource, section: int, step: int) -> Spot | None:
    """Return the next or previous section that is no compaction boundary."""
    at = section + step
    while 0 <= at < len(source.sections):
        if source.sections[at].kind != "compaction":
            return Spot(at)
        at += step
    return None
