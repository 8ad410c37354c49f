"""SARIF 2.1.0, as code hosts take it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from rollout_loaders.evidence.findings import FINDINGS
from rollout_loaders.model import JsonObject, JsonValue

from .found import Found

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def document(found: Sequence[Found], version: str) -> JsonObject:
    """One run with one result a finding; rules are those that were found."""
    codes = list(dict.fromkeys(one.code for one in found))
    rules: list[JsonValue] = [
        {
            "id": code,
            "shortDescription": {"text": FINDINGS[code].explanation if code in FINDINGS else code},
        }
        for code in codes
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "rollout-inspect", "version": version, "rules": rules}},
                "results": [_result(one, codes.index(one.code)) for one in found],
            }
        ],
    }


def _result(one: Found, rule: int) -> JsonObject:
    physical: dict[str, JsonValue] = {"artifactLocation": {"uri": quote(one.path)}}
    if one.line is not None:
        physical["region"] = {"startLine": one.line}
    return {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": _LEVELS.get(one.severity, "note"),
        "message": {"text": one.message},
        "locations": [
            {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": one.place, "kind": "member"}]}
        ],
    }
