"""One finding of one rollout or of a file."""

from __future__ import annotations

import re

from rollout_loaders.document_identity import place_document
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.locator import format_place
from rollout_loaders.model import Finding, JsonObject, Place, Rollout

_LINE = re.compile(r"L(\d+)")


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with where it lies."""

    path: str
    line: int | None
    place: str
    """What the command line accepts; for a finding of a file, its path."""
    rollout: str | None
    code: str
    severity: str
    message: str
    where: Place | None = None


def of_rollout(rollout: Rollout, finding: Finding) -> Found:
    """A finding of a rollout."""
    match = _LINE.fullmatch(rollout.source.locator or "")
    return Found(
        path=rollout.source.path,
        line=int(match[1]) if match else None,
        place=format_place(rollout, finding.where),
        rollout=rollout.id,
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        where=finding.where,
    )


def as_json(found: Found) -> JsonObject:
    """One line of `check --json`. `where` is null for a finding of a file, its locator the path."""
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "id": found.rollout,
        "locator": found.place,
        "where": place_document(found.where),
        "path": found.path,
        "line": found.line,
    }
