"""Diagnostics that are many and alike: a hundred of a kind are said, the rest is counted (CONTRACT 3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .model import Diagnostic

MOST = 100
"""Diagnostics of one code that are said one by one."""


def counted(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The first hundred places of each code, in their order, then how many more there are of it.

    Only what names a place is cut: a sentence about a whole file, such as the count of an earlier pass, always stays.
    """
    kept: list[Diagnostic] = []
    number: Counter[str] = Counter()
    for one in diagnostics:
        if one.locator is not None:
            number[one.code] += 1
            if number[one.code] > MOST:
                continue
        kept.append(one)
    kept += [more(code, many - MOST) for code, many in number.items() if many > MOST]
    return tuple(kept)


_COUNT = re.compile(r"and [\d,]+ more records? like these")


def is_count(diagnostic: Diagnostic) -> bool:
    """Whether it is what `more` gives: a count, which is not to be counted away itself."""
    return _COUNT.fullmatch(diagnostic.message) is not None


def more(code: str, many: int) -> Diagnostic:
    """How many diagnostics of a code are not said one by one."""
    return Diagnostic(code, f"and {many:,} more {'record' if many == 1 else 'records'} like these")
