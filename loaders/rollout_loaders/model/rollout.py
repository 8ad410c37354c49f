"""A rollout: one scored attempt at a task, as every reader gives it and every view shows it (CONTRACT 3)."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .attribution import Attribution
from .evidence import Evidence
from .grading import Grading
from .invocation import Invocation
from .item import Item
from .jsontypes import JsonObject
from .outcome import Attempt, Outcome
from .place import Diagnostic, Finding, Gap, Place, Reason


@dataclass(frozen=True, slots=True)
class Span:
    """Where the record of a rollout lies in an object behind a URL."""

    offset: int
    length: int
    """Bytes up to the next record, or of this one; 0 where the rollout is no record of its own."""
    version: str
    """The state of the object for which this holds."""


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a rollout was read from."""

    path: str
    """As given, joined with the path inside a folder."""
    format: str
    """Name of the reader: `opencode-sqlite`, `gym-rollouts`, …"""
    locator: str | None = None
    """Which of the rollouts in the file: `L17`, `ses_…`; None where it holds one."""
    artifacts: tuple[str, ...] = ()
    """Other artifacts of the same rollout, and evidence files joined to it."""
    span: Span | None = field(default=None, compare=False)
    """Of a row behind a URL, so that an index can lead to it."""


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
    """The user said so (`--gym-reasoning`, `--no-gym-reasoning`)."""
    because: str = "no Gym Model Server is recorded"
    """One sentence: what decided."""


@dataclass(frozen=True, slots=True)
class Task:
    """Which task and which try of it."""

    task_index: int | None = None
    rollout_index: int | None = None
    """Both as recorded; together they name the logical rollout."""
    attempt: int | None = None
    """0 for the first try."""
    task_id: str | None = None
    prompt: str | None = None
    """The first user text, verbatim."""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """The answer of the root's last turn; never an earlier one's (CONTRACT 3)."""

    text: str | None = None
    """'' where that turn has no answer text; None where there is no turn."""
    turn: int | None = None
    """`Turn.number` of the root."""
    item_id: str | None = None
    stands: bool = False
    """False where that turn called tools, was cut off, failed, was refused or reverted, or a failed or unfinished
    compaction follows it: then there is no final answer."""
    because: str | None = None
    """Why it does not stand; None when it does."""


@dataclass(frozen=True, slots=True)
class OtherReading:
    """Another reading of the same store that ends in another text, or that Gym's local run would take."""

    reading: str
    final_text: str | None
    """As `Scored.final_text`."""
    because: str
    place: Place = field(default_factory=Place)
    """Where that text was written."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What the verifier read."""

    reading: str = "row"
    """`row`, `session-output` or `host-response`."""
    items: tuple[Item, ...] = ()
    final_text: str | None = None
    """Text of the graded item, not stripped; None when there is no assistant message item."""
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
    """Key of the note in `evidence.harness_notes`, e.g. `max-steps`."""
    text: str
    call_index: int
    """`ModelCall.index` of the request that holds it."""
    turn: int | None
    """The turn that this request led to; None where the call cannot be placed."""
    role_on_wire: str
    forwarded_as: str
    """The role it has when the model reads it."""
    effect: str
    """What it does to token attribution, in one sentence (gym-semantics 8.6)."""
    invocation: str | None = None
    """The conversation whose turn it was sent for, when the call can be placed."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One finding of a health check (gym-semantics 7)."""

    check: str
    """Name of the check, as Gym calls it."""
    detail: str
    locator: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """Health checks: recorded verdicts or recomputed ones (gym-semantics 7)."""

    verdict: str | None = None
    """`healthy`, `unhealthy`, `unobserved`, or None when there is nothing to check."""
    findings: tuple[HealthCheck, ...] = ()
    unobserved: tuple[str, ...] = ()
    """Names of checks for which the evidence is missing."""
    source: str = "computed"
    """`recorded` (`rollout_verdicts.jsonl`) or `computed`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the whole rollout; None is unknown, never 0."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None
    cost: float | None = None
    """As the harness counts it, in its own currency."""
    counted_by: str | None = None
    """Which record counted, in words; None where none did."""


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
