"""The registry of findings as the table that the README shows."""

from __future__ import annotations

from collections.abc import Iterable

from .rule import FindingRule


def table_of(rules: Iterable[FindingRule]) -> str:
    """A Markdown table: code, severity, what it means; in the order of the registry."""
    lines = ["| code | severity | what it means |", "|---|---|---|"]
    lines.extend(
        f"| `{rule.code}` | {rule.severity} | {rule.explanation.replace('|', chr(92) + '|')} |" for rule in rules
    )
    return "\n".join(lines)
