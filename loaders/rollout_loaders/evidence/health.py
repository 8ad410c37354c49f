"""Rollout health: recorded verdicts as they are, else the checks of gym-semantics 7 as far as the evidence allows."""

from __future__ import annotations

from collections.abc import Mapping

from rollout_loaders.model import Health, HealthCheck, JsonObject, JsonValue, RecordedHealth, Rollout

from .health_checks import CHECKS, Unobserved


def health_of(rollout: Rollout) -> Health:
    """Recorded health wins. Only Gym rows are checked: a session store without a row has no verdict."""
    recorded = rollout.evidence.recorded_health
    if recorded is not None:
        return _recorded(recorded)
    if rollout.evidence.row is None:
        return Health()
    return _computed(rollout)


def _recorded(recorded: RecordedHealth) -> Health:
    return Health(
        verdict=recorded.verdict,
        findings=tuple(_check(finding) for finding in recorded.findings),
        unobserved=recorded.unobserved,
        source="recorded",
    )


def _check(finding: JsonObject) -> HealthCheck:
    """A recorded finding; its detail and locator, which may be objects, as `key=value` text."""
    check, detail, locator = finding.get("check"), finding.get("detail"), finding.get("locator")
    return HealthCheck(
        check=check if isinstance(check, str) else "(no check id)", detail=_text(detail) or "", locator=_text(locator)
    )


def _text(value: JsonValue) -> str | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return str(value)


def _computed(rollout: Rollout) -> Health:
    findings: list[HealthCheck] = []
    unobserved: list[str] = []
    for check in CHECKS.values():
        if not check.computed:
            continue
        result = check.run(rollout)
        if isinstance(result, Unobserved):
            unobserved.append(check.id)
        else:
            findings.extend(result)
    verdict = "unhealthy" if findings else "unobserved" if unobserved else "healthy"
    return Health(verdict=verdict, findings=tuple(findings), unobserved=tuple(unobserved), source="computed")
