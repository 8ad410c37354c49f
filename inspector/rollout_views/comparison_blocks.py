"""A comparison as blocks: the totals, and one block a changed pair that leads to it."""

from __future__ import annotations

from rollout_loaders.model import Place

from .block import Block, Link
from .comparison_report import Report, Table

OPEN_PAIR = "pair"
"""Prefix of the id of a block that stands for a pair: `pair-0` is the first row of changed rollouts."""


def report_blocks(report: Report) -> tuple[Block, ...]:
    """Blocks in the order of the report's tables."""
    made = [Block("headline", "diff", "normal", body=report.headline)]
    for table in report.tables:
        made += _pairs(table) if table.places else [_table(table)]
    made.append(Block("anchor", "rule", "note", body=f"Alignment: {report.anchor_rule}."))
    return tuple(made)


def _table(table: Table) -> Block:
    widths = [max(len(row[column]) for row in (table.header, *table.rows)) for column in range(len(table.header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table.rows]
    if any(table.header):
        lines.insert(0, "  ".join(name.ljust(width) for name, width in zip(table.header, widths, strict=True)))
    note = [table.note] if table.note else []
    return Block(f"table-{table.title}", "total", "normal", title=table.title, body="\n".join([*lines, *note]))


def _pairs(table: Table) -> list[Block]:
    made = [Block("changed", "total", "normal", title=table.title, body=table.note)]
    for index, (row, place) in enumerate(zip(table.rows, table.places, strict=True)):
        facts = "\n".join(f"{name.ljust(16)}  {cell}" for name, cell in zip(table.header[1:], row[1:], strict=True))
        made.append(
            Block(
                f"{OPEN_PAIR}-{index}",
                "pair",
                "tool",
                title=row[0],
                body=facts,
                mark=place,
                links=(Link("side by side", Place()),),
            )
        )
    return made
