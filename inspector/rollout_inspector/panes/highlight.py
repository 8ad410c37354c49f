"""Colour for code, one line at a time: it never changes, hides or reorders a character."""

from __future__ import annotations

import re

from rollout_views.block import BodyFormat

Spans = list[tuple[int, int, str]]
"""Start, end and component class of a stretch of one line."""

_LIMIT = 2_000
"""Longer lines stay plain: colour helps nobody there, and the expressions below are for lines that people wrote."""

_JSON = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<number>-?\b\d[\d.eE+-]*\b)|'
    r"(?P<word>\b(?:true|false|null)\b)"
)
_MARKDOWN = re.compile(
    r"(?P<code>`[^`\n]+`)|(?P<bold>\*\*[^*\n]+\*\*)|(?P<heading>^\s{0,3}#{1,6} .*$)|(?P<fence>^\s*```.*$)"
    r"|(?P<bullet>^\s*(?:[-*+]|\d+\.) )"
)
_SHELL = re.compile(r"(?P<prompt>^\s*\$ )|(?P<string>\"[^\"\n]*\"|'[^'\n]*')|(?P<flag>(?<=\s)--?[A-Za-z][\w-]*)")


def spans(line: str, body_format: BodyFormat, prose: bool) -> Spans:
    """Give the coloured stretches of one line.

    Args:
        line: Display text of the line.
        body_format: What the block says its body is.
        prose: Whether Markdown marks mean something here (answers, users' texts), not in tool output.
    """
    if len(line) > _LIMIT:
        return []
    if body_format == "diff":
        return _diff(line)
    if body_format == "json":
        return _matches(_JSON, line, "code")
    if body_format == "shell":
        return _matches(_SHELL, line, "code")
    return _matches(_MARKDOWN, line, "md") if prose else []


def _matches(pattern: re.Pattern[str], line: str, family: str) -> Spans:
    return [(match.start(), match.end(), f"{family}--{match.lastgroup}") for match in pattern.finditer(line)]


def _diff(line: str) -> Spans:
    match line[:1]:
        case "+":
            return [(0, len(line), "diff--added")]
        case "-":
            return [(0, len(line), "diff--removed")]
        case "@":
            return [(0, len(line), "diff--hunk")]
        case _:
            return []
