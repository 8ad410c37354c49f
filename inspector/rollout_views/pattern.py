"""What is searched for, as an expression. Imports nothing of a rollout: a search begins before that is there."""

from __future__ import annotations

import re
import warnings


def compile_pattern(pattern: str, *, regex: bool = False, match_case: bool | None = None) -> re.Pattern[str]:
    """Return the pattern to search with. Raises `re.error` for a regular expression that is none.

    Args:
        pattern: what to look for.
        regex: whether it is a regular expression; else it is taken literally.
        match_case: None matches case only when the pattern holds an upper-case letter.
    """
    exact = any(char.isupper() for char in pattern) if match_case is None else match_case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what later releases of `re` may read otherwise is the user's own pattern
        return re.compile(pattern if regex else re.escape(pattern), re.MULTILINE | (0 if exact else re.IGNORECASE))


def text_pattern(wanted: str) -> re.Pattern[str]:
    """Return the pattern that `holds_text` looks for."""
    return re.compile(re.escape(wanted), re.IGNORECASE)
