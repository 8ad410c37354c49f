"""A rollout: one scored attempt at a task, as every reader gives it and every view shows it (CONTRACT 3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from .attribution import Attribution
from .evidence import Evidence
from .grading import Grading
from .invocation import Invocation
from .item import Item
from .jsontypes import JsonObject
from .outcome import Attempt, Outcome
from .place import Diagnostic, Finding, Gap, Place, Reason


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a rollout was read from."""

    path: str
    """As given, joined with the path inside a folder."""
    format: str
    locator: str | None = None
    artifacts: tuple[str, ...] = ()
    """Other artifacts of the same rollout, and evidence files joined to it."""


@dataclass(frozen=True, slots=True)
class Harness:
    """Which program ran the agent, as recorded; None is unknown."""

    name: str | None = None
    version: str | None = None
    agent: str | None = None
    model: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """Whether the think split is on (CONTRACT 4.2)."""

    gym_reasoning: bool = False
    forced: bool = False
    because: str = "no Gym Model Server is recorded"


@dataclass(frozen=True, slots=True)
class Task:
    """Which task and which try of it."""

    task_index: int | None = None
    rollout_index: int | None = None
    attempt: int | None = None
    task_id: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """The answer of the root's last turn; never an earlier one's (CONTRACT 3)."""

    text: str | None = None
    turn: int | None = None
    item_id: str | None = None
    stands: bool = False
    because: str | None = None


@dataclass(frozen=True, slots=True)
class OtherReading:
    """Another reading of the same store that ends in another text, or that Gym's local run would take."""

    reading: str
    final_text: str | None
    because: str
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True)
class Scored:
    """What the verifier read."""

    reading: str = "row"
    """`row`, `session-output` or `host-response`."""
    items: tuple[Item, ...] = ()
    final_text: str | None = None
    final_item_id: str | None = None
    final_index: int | None = None
    """Index into `items` of the graded item; None when there is no assistant message item."""
    origin: Place = field(default_factory=Place)
    """`from` in the document: invocation and turn that wrote it."""
    others: tuple[OtherReading, ...] = ()


@dataclass(frozen=True, slots=True)
class HarnessNote:
    """A message that the harness sent in the model's name (gym-semantics 8.6)."""

    harness: str
    name: str
    text: str
    call_index: int
    turn: int | None
    role_on_wire: str
    forwarded_as: str
    effect: str
    invocation: str | None = None
    """The conversation whose turn it was sent for, when the call can be placed."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One finding of a health check (gym-semantics 7)."""

    check: str
    detail: str
    locator: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """Health checks: recorded verdicts or recomputed ones (gym-semantics 7)."""

    verdict: str | None = None
    """`healthy`, `unhealthy`, `unobserved`, or None when there is nothing to check."""
    findings: tuple[HealthCheck, ...] = ()
    unobserved: tuple[str, ...] = ()
    source: str = "computed"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the whole rollout; None is unknown, never 0."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None
    cost: float | None = None
    counted_by: str | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    """One document of `show --json`. Build it with a reader, finish it with `evidence.complete`."""

    id: str
    source: SourceRef
    harness: Harness = Harness()
    route: Route = Route()
    task: Task = Task()
    invocations: tuple[Invocation, ...] = ()
    final_answer: FinalAnswer = FinalAnswer()
    scored: Scored = field(default_factory=Scored)
    outcome: Outcome = field(default_factory=Outcome)
    attempts: tuple[Attempt, ...] = ()
    grading: Grading = field(default_factory=Grading)
    attribution: Attribution = field(default_factory=Attribution)
    harness_notes: tuple[HarnessNote, ...] = ()
    health: Health = Health()
    usage: Usage = Usage()
    gaps: tuple[Gap, ...] = ()
    findings: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    """Not part of the document: what the rules read."""
    notes: tuple[Reason, ...] = ()
    """Facts about the reading itself, e.g. that an empty think block was removed."""
    extra: JsonObject = field(default_factory=lambda: {})

    @property
    def root(self) -> Invocation | None:
        """The root invocation, or None for a rollout without any conversation."""
        return self.invocations[0] if self.invocations else None
