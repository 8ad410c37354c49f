"""How a run ended, by which rule, and every other reading that can be defended."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .jsontypes import JsonObject
from .place import Reason


@dataclass(frozen=True, slots=True)
class OutcomeReading:
    """Another defensible reading of the same evidence: as recorded, as the events show, another mode of Gym."""

    reading: str
    """`as` in the document: `recorded`, `events`, `gym-default-mode`, …"""
    status: str
    failure_kind: str | None = None
    graded: bool | None = None
    rule: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What a run's outcome policy does with it (gym-semantics 6.3)."""

    action: str = "unknown"
    """`verify`, `retry`, `fail`, `count_as_zero` or `unknown`."""
    source: str = "depends on the run's agent_outcome_policy"
    status_code: int | None = None
    """HTTP status of the model request that the policy was asked with; not part of the document."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Gym's current rules applied to what this evidence holds (CONTRACT 3)."""

    status: str = "unknown"
    """`completed`, `incomplete`, `failed` or `unknown`."""
    failure_kind: str | None = None
    """One of gym-semantics 6.1, or as recorded: the set is open."""
    error: str | None = None
    """The recorded error's text."""
    graded: bool | None = None
    """Whether Gym would hand it to the verifier; None where the run's policy decides and is not recorded."""
    rule: str = "none"
    """Id of the rule that decided."""
    because: tuple[Reason, ...] = ()
    policy: Policy = Policy()
    readings: tuple[OutcomeReading, ...] = ()
    recorded: JsonObject = field(default_factory=lambda: {})
    """Outcome fields as the record holds them (`status`, `ng_agent_outcome`, `failure_kind`, `result.json`)."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at the same rollout: a main row or a sidecar record (gym-semantics 1.3)."""

    attempt: int | None
    """0 for the first try."""
    kind: str
    """`row` or `failure`."""
    locator: str | None
    path: str | None
    """File that holds its record, at `locator`."""
    failure_class: str | None = None
    failure_kind: str | None = None
    stage: str | None = None
    message: str | None = None
    terminal: bool | None = None
    """True: never retried when the run is resumed (gym-semantics 1.3)."""
    http_status: int | None = None
    decides: bool = False
    """True for the latest reserved attempt, which decides (newer collectors)."""
    extra: JsonObject = field(default_factory=lambda: {})
