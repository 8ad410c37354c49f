"""A comparison as plain text, as Markdown for a pull-request comment, and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .comparison_report import Report, Table
from .foreign import visible_line
from .inert_math import inert_math

COMMENT_LIMIT = 60_000
"""Bytes of a pull-request comment; GitHub takes 65,536 characters."""


def text_lines(report: Report) -> Iterator[str]:
    """Aligned columns, one table after the other."""
    yield report.headline
    for table in report.tables:
        yield ""
        yield table.title
        if table.places:
            yield from _stacked(table)
            continue
        cells = [[visible_line(cell) for cell in row] for row in (table.header, *table.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(table.header))]
        for row in cells:
            yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if table.note:
            yield f"  {table.note}"
    yield ""
    yield f"Alignment: {report.anchor_rule}."


def _stacked(table: Table) -> Iterator[str]:
    """A row of many columns as a few short lines: eighty columns hold no seven."""
    if table.note:
        yield f"  {table.note}"
    width = max(map(len, table.header))
    for row, place in zip(table.rows, table.places, strict=True):
        yield f"  {visible_line(row[0])}  {visible_line(place)}"
        for name, cell in zip(table.header[1:], row[1:], strict=True):
            yield f"    {name.ljust(width)}  {visible_line(cell)}"


def markdown(report: Report, title: str = "Rollouts compared", limit: int = COMMENT_LIMIT) -> str:
    """A comment of at most `limit` bytes; what does not fit is counted, never dropped in silence."""
    lines = [f"### {_cell(title)}", "", _cell(report.headline), ""]
    foot = ["", f"Alignment: {report.anchor_rule}."]
    left = limit - sum(len(line.encode()) + 1 for line in (*lines, *foot)) - 200
    for table in report.tables:
        head = [f"#### {_cell(table.title)}", "", _row(table.header), _row(("---",) * len(table.header))]
        left -= sum(len(line.encode()) + 1 for line in head) + len(table.note) + 100
        lines += head
        shown = 0
        for index, row in enumerate(table.rows):
            line = (
                _row(row) if not table.places else _row(row).removesuffix(" |") + f"<br>{_code(table.places[index])} |"
            )
            if len(line.encode()) + 1 > left:
                break
            left -= len(line.encode()) + 1
            lines.append(line)
            shown += 1
        if shown < len(table.rows):
            lines += ["", f"… {len(table.rows) - shown} more rows: run `rollout-inspect diff` to see them."]
        lines += ["", table.note, ""] if table.note else [""]
    return "\n".join([*lines, *foot]) + "\n"


def html(report: Report, title: str = "Rollouts compared") -> str:
    """One document that works offline; no script, no link, every cell escaped."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>'
        f"{_text(title)}</title><style>body{{font:15px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em}}"
        "table{border-collapse:collapse}td,th{border:1px solid rgba(127,127,127,.4);padding:.2em .6em;text-align:left;"
        "vertical-align:top}:root{color-scheme:light dark}</style></head><body>"
        f"<h1>{_text(title)}</h1>{fragment(report)}</body></html>\n"
    )


def fragment(report: Report) -> str:
    """The same for a cell of a notebook: headline, tables and rule, without a page around them."""
    body = "".join(map(_html_table, report.tables))
    return inert_math(f"<p>{_text(report.headline)}</p>{body}<p>Alignment: {_text(report.anchor_rule)}.</p>")


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    note = f"<p>{_text(table.note)}</p>" if table.note else ""
    return f"<h2>{_text(table.title)}</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _text(cell: str) -> str:
    return escape(visible_line(cell), quote=True)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


# Every character that Markdown or GitHub could read as more than itself, `@` and `#` for mentions and references too.
_LIVE = {ord(character): f"&#{ord(character)};" for character in "&<>|`*_[]()!#@~\\:"}


def _cell(text: str) -> str:
    return visible_line(text).translate(_LIVE)


def _code(text: str) -> str:
    """A place to copy. HTML's `code`, because a cell's `|` and backticks end Markdown's."""
    return f"<code>{visible_line(text).translate(_LIVE)}</code>"
