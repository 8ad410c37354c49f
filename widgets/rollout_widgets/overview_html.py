"""The list of rollouts as an HTML table and as text, with its pass rate; the same columns as `rollout-inspect list`."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.model import RolloutSummary
from rollout_views import table
from rollout_views.block_html import html_line
from rollout_views.formatting import UNKNOWN, one_line, quantity
from rollout_views.inert_math import inert_math
from rollout_views.scored_mark import unclaimed
from rollout_views.task_groups import TaskGroup, task_groups

MOST_ROWS = 200
LONGEST_CELL = 200
"""Characters of a cell: one long word of a task would push its reward off the page. A place is whole, to be copied."""
LEAST_RANK = 7
"""The terminal leaves columns of higher rank out first; `to_dataframe` has them all."""
TEXT_ROWS = 55


def rate_words(summaries: Sequence[RolloutSummary]) -> str:
    """Return `10 rollouts · 5 of 10 pass · reward 0 to 1`; what is not graded is not counted and said so."""
    return f"{quantity(len(summaries), 'rollout')} · {TaskGroup('', tuple(summaries)).words}"


def table_html(summaries: Sequence[RolloutSummary], most: int = MOST_ROWS, rest: str = "") -> str:
    """Return the rows as one table. Rows past `most` are counted, with how to see them."""
    columns = _columns(summaries)
    heads = "".join(f"<th>{column.title}</th>" for column in columns)
    rows = "".join(
        "<tr>" + "".join(_cell(column, summary) for column in columns) + "</tr>\n" for summary in summaries[:most]
    )
    more = _more(len(summaries) - most, rest)
    return inert_math(f"{_table(f'<tr>{heads}</tr>', rows)}{more}")


def groups_html(summaries: Sequence[RolloutSummary], most: int = MOST_ROWS) -> str:
    """Return one row a task: its repeats as glyphs, its pass rate, whether it has any spread."""
    groups = task_groups(summaries)
    rows = "".join(
        f"<tr><td>{html_line(one_line(group.name, LONGEST_CELL))}</td>"
        f"<td>{group.strip[:100]}</td><td>{html_line(group.words)}</td></tr>\n"
        for group in groups[:most]
    )
    head = "<tr><th>task</th><th>rollouts</th><th>pass</th></tr>"
    return inert_math(f"{_table(head, rows)}{_more(len(groups) - most, '')}")


def table_text(summaries: Sequence[RolloutSummary]) -> str:
    """Return the head of the list as text, the pass rate first."""
    lines = [unclaimed(line) for line in table.lines(summaries[:TEXT_ROWS], 120)]
    if len(summaries) > TEXT_ROWS:
        lines.append(f"… {len(summaries) - TEXT_ROWS:,} more")
    return "\n".join([rate_words(summaries), "", *lines])


def _columns(summaries: Sequence[RolloutSummary]) -> list[table.Column]:
    """What fits a cell's width; columns of nothing but unknowns go, unless they are what a reader looks for."""
    return [
        column
        for column in table.COLUMNS
        if column.rank <= LEAST_RANK
        and (column.rank <= 5 or any(column.cell(summary) != UNKNOWN for summary in summaries))
    ]


def _cell(column: table.Column, summary: RolloutSummary) -> str:
    text = column.cell(summary)
    if column.key == "place":
        return f'<td style="overflow-wrap:anywhere">{html_line(text)}</td>'
    return f"<td>{html_line(one_line(text, LONGEST_CELL))}</td>"


def _table(head: str, rows: str) -> str:
    """A wide table scrolls by itself: a page that hides what stands out would cut it off."""
    made = f"<table>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table>"
    return f'<div style="overflow:auto">\n{made}\n</div>\n'


def _more(number: int, rest: str) -> str:
    if number <= 0:
        return ""
    how = f"; to see them: <code>{html_line(rest)}</code>" if rest else "; narrow the filter to see them"
    return f"<p><em>… {number:,} more{how}</em></p>\n"
