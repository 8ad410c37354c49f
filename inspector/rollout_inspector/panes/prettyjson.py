"""JSON with line breaks, made by changing white space between members alone.

It is not parsed and written again: that would lose repeated keys, spellings of numbers and escapes, and a reviewer
would look at something that nobody recorded.
"""

from __future__ import annotations

import re

LONGEST = 64_000
"""Longer texts stay as they are: nobody reads them whole, and their lines are needed as recorded."""

SHORTEST = 60
"""Shorter ones stand on one line as well."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|\s+')
_STEP = "  "


def looks_like_json(text: str) -> bool:
    """Say whether a text on one line begins and ends as an object or array with something in it."""
    text = text.strip()
    return (
        SHORTEST < len(text) <= LONGEST
        and "\n" not in text
        and ((text[0] == "{" and text[-1] == "}" and '"' in text) or (text[0] == "[" and text[-1] == "]"))
    )


def spread(text: str) -> str:
    """Put each member on a line of its own; a text that does not nest properly comes back unchanged.

    >>> spread('{"a": [1, 2], "b": {}}')
    '{\\n  "a": [\\n    1,\\n    2\\n  ],\\n  "b": {}\\n}'
    """
    made: list[str] = []
    open_brackets: list[str] = []
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()]
    gap = " " if '": ' in text else ""
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in "{[":
            open_brackets.append("}" if token == "{" else "]")
            made.append(token)
            if following != open_brackets[-1]:
                made.append("\n" + _STEP * len(open_brackets))
        elif token in "}]":
            if not open_brackets or open_brackets.pop() != token:
                return text
            if not made[-1].endswith(("{", "[")):
                made.append("\n" + _STEP * len(open_brackets))
            made.append(token)
        elif token == ",":
            made.append(",\n" + _STEP * len(open_brackets))
        elif token == ":":
            made.append(f":{gap}")
        else:
            made.append(token)
    return text if open_brackets else "".join(made)
