"""The words of a filter: `reward<1 -state:invalid tool:bash text:"over flow"` as terms with their columns."""

from __future__ import annotations

import re

from rollout_loaders.fast_dataclass import dataclass

_OPERATORS = ("<=", ">=", "!=", ":", "=", "<", ">")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FilterError(ValueError):
    """A filter that cannot be read; `column` is 1-based."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"column {column}: {message}")
        self.column = column
        self.message = message


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. All terms of a filter must hold."""

    column: int
    negated: bool
    field: str
    """'' for a bare word."""
    operator: str
    values: tuple[str, ...]
    """Alternatives, as given between commas."""
    value_column: int


def parse_terms(query: str) -> tuple[Term, ...]:
    """Return the terms of a query. Raises `FilterError` with the column of what is wrong."""
    terms: list[Term] = []
    position = 0
    while True:
        while position < len(query) and query[position].isspace():
            position += 1
        if position >= len(query):
            return tuple(terms)
        term, position = _term(query, position)
        terms.append(term)


def _term(query: str, start: int) -> tuple[Term, int]:
    position = start
    negated = query[position] == "-" and position + 1 < len(query) and not query[position + 1].isspace()
    position += negated
    name = _NAME.match(query, position)
    if name is not None:
        operator = next((one for one in _OPERATORS if query.startswith(one, name.end())), None)
        if operator is not None:
            value_start = name.end() + len(operator)
            values, end = _values(query, value_start)
            if not any(values):
                raise FilterError(f"a value is missing after {name[0]}{operator}", value_start + 1)
            return Term(start + 1, negated, name[0].lower(), operator, values, value_start + 1), end
    values, end = _values(query, position)
    if not any(values):
        raise FilterError(f"a word was expected, not {query[position]!r}", position + 1)
    return Term(start + 1, negated, "", ":", (",".join(values),), position + 1), end


def _values(query: str, start: int) -> tuple[tuple[str, ...], int]:
    """Read comma-separated values up to white space; `"…"` may hold white space, commas and `\\"`."""
    values: list[str] = []
    current, position = "", start
    while position < len(query) and not query[position].isspace():
        char = query[position]
        if char == '"':
            text, position = _quoted(query, position)
            current += text
            continue
        if char == ",":
            values.append(current)
            current = ""
        else:
            current += char
        position += 1
    return (*values, current), position


def _quoted(query: str, start: int) -> tuple[str, int]:
    text, position = "", start + 1
    while position < len(query):
        char = query[position]
        if char == '"':
            return text, position + 1
        if char == "\\" and position + 1 < len(query):
            position += 1
            char = query[position]
        text += char
        position += 1
    raise FilterError("this quote is never closed", start + 1)
