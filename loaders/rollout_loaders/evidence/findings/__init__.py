"""Findings: what a reviewer should know about a rollout. One module a family of rules, one registry of all."""

from __future__ import annotations

from collections.abc import Mapping

from rollout_loaders.model import Finding, Rollout
from rollout_loaders.reader import ReadOptions

from . import answers, compactions, grades, reading, records, run_events, scored_text, tool_calls
from .reading import finding_of
from .rule import FindingRule
from .table import table_of

__all__ = ["FINDINGS", "SEVERITIES", "FindingRule", "finding_of", "findings_of", "findings_table"]

SEVERITIES = ("error", "warning", "info")
NOTHING_FORCED = ReadOptions()

FINDINGS: Mapping[str, FindingRule] = {
    rule.code: rule
    for family in (answers, scored_text, records, compactions, run_events, tool_calls, grades, reading)
    for rule in family.RULES
}
"""Every finding by its code, in the order in which they are reported."""
_OF_RECORDS = tuple(rule for code, rule in FINDINGS.items() if code not in reading.IMPORTED)
"""Those that are no diagnostic of the reading. They come first."""


def findings_of(rollout: Rollout, options: ReadOptions = NOTHING_FORCED) -> tuple[Finding, ...]:
    """All findings of a rollout whose outcome, grading, attribution, notes, health and gaps are complete."""
    said = {diagnostic.code for diagnostic in rollout.diagnostics}
    rules = (*_OF_RECORDS, *(rule for rule in reading.RULES if rule.code in said))
    return tuple([finding for rule in rules for finding in rule.run(rollout, options)])


def findings_table() -> str:
    """The table of all findings for the README, in Markdown."""
    return table_of(FINDINGS.values())
