"""Findings that are diagnostics of the reading: what was damaged, missing or doubtful in the artifact itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rollout_loaders.evidence.task_health import ALL_UNHEALTHY, NO_CALL
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, Finding, Place, Rollout
from rollout_loaders.reader import ReadOptions

from .rule import FindingRule, Found


@dataclass(frozen=True, slots=True)
class Imported:
    """A diagnostic code that is a finding."""

    severity: str
    explanation: str
    source: str


IMPORTED: Mapping[str, Imported] = {
    "line-separator-in-line": Imported(
        "warning",
        "A line holds a character at which Gym's own Pi parser would split it, which loses the message.",
        "formats trap 11",
    ),
    "wal-missing": Imported(
        "error",
        "The database is empty because its write-ahead log, which holds the data, is not beside it.",
        "formats 1.1, trap 1",
    ),
    "artifact-truncated": Imported(
        "error", "The artifact is cut off: what stands before the cut was recovered.", "issue 2, opencode-export"
    ),
    "record-unreadable": Imported("error", "A record could not be read; only that record is lost.", "CONTRACT 3"),
    "artifact-unreadable": Imported("error", "An artifact of this rollout could not be read.", "CONTRACT 2"),
    "database-damaged": Imported(
        "error", "SQLite could not read the whole database: records may be missing.", "CONTRACT 3"
    ),
    "evidence-unreadable": Imported(
        "warning", "A file beside the artifact could not be read, so what it says is missing here.", "CONTRACT 2"
    ),
    "torn-line": Imported("warning", "The last line breaks off and was not read.", "CONTRACT 2"),
    "no-final-newline": Imported(
        "info", "The last line has no newline: Gym's own reader would not count it.", "CONTRACT 2"
    ),
    "non-finite-number": Imported("warning", "A number is written as NaN or Infinity and shown as null.", "CONTRACT 3"),
    "no-roles": Imported(
        "info",
        "The printed stream has no roles: a compaction summary in it cannot be told from an answer.",
        "formats 1.7",
    ),
    ALL_UNHEALTHY: Imported(
        "warning", "All repeats of a task whose health can be told are unhealthy (`check` only).", "gym-semantics 7"
    ),
    NO_CALL: Imported("warning", "No repeat of a task had a successful model call (`check` only).", "gym-semantics 7"),
    "identity-missing": Imported("info", "The row names no task or rollout; its id is its line.", "CONTRACT 2"),
    "identity-repeated": Imported(
        "warning", "Several rows share one task, rollout and attempt; their ids are their lines.", "CONTRACT 2"
    ),
}


def _importer(code: str) -> Callable[[Rollout, ReadOptions], Found]:
    def find(rollout: Rollout, _options: ReadOptions) -> Found:
        named = [diagnostic for diagnostic in rollout.diagnostics if diagnostic.code == code]
        places = _places(rollout) if named else {}
        for diagnostic in named:
            yield _said(diagnostic), places.get(diagnostic.locator or "")

    return find


def _places(rollout: Rollout) -> dict[str, Place]:
    """Turns by message id, which in a Pi log is the line that a diagnostic names."""
    return {
        turn.message_id: Place(invocation.id, turn.number)
        for invocation in rollout.invocations
        for turn in invocation.turns
    }


def _said(diagnostic: Diagnostic) -> str:
    return diagnostic.message if diagnostic.locator is None else f"{diagnostic.message} ({diagnostic.locator})"


def finding_of(diagnostic: Diagnostic) -> Finding | None:
    """The finding that a diagnostic of a whole file is; None for a code that is none (`check` on files)."""
    imported = IMPORTED.get(diagnostic.code)
    if imported is None:
        return None
    return Finding(code=diagnostic.code, severity=imported.severity, message=_said(diagnostic))


RULES = tuple(
    FindingRule(code, imported.severity, imported.explanation, imported.source, _importer(code))
    for code, imported in IMPORTED.items()
)
