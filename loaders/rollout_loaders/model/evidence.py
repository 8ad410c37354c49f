"""What lies beside the conversation: the row's own fields, the runner's result, captures, sidecars, verdicts.

Readers fill these; `rollout_loaders.evidence` turns them into outcome, grading, attribution, notes, health, findings.
"""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .jsontypes import JsonObject, JsonValue
from .place import Gap, Place


@dataclass(frozen=True, slots=True)
class RunResult:
    """A session folder's `result.json` (gym-semantics 4.1, 5.1)."""

    return_code: int | None
    """Exit code of the harness's process."""
    timed_out: bool
    error: str | None
    """An error of the runner itself."""
    cleanup_confirmed: bool | None = None
    extra: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class CapturedMessage:
    """One message of a captured model request, whatever its dialect."""

    role: str
    text: str | None
    only_text: bool
    """True when it has nothing beside its text: no tool calls, no non-empty reasoning, no other block."""
    tool_calls: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One captured model call (gym-semantics 10; a `requests.jsonl` line)."""

    call_id: str | None
    index: int
    """Append order, 0-based; not causal order."""
    response_id: str | None = None
    session_id: str | None = None
    model: str | None = None
    dialect: str | None = None
    """API of the request, as recorded, else by its shape: `chat`, `responses` or `messages`."""
    status_code: int | None = None
    response_status: str | None = None
    finish_reason: str | None = None
    error_category: str | None = None
    started_at: str | None = None
    """ISO 8601 UTC, as `completed_at`."""
    completed_at: str | None = None
    duration_ms: float | None = None
    """Milliseconds."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    cached_tokens: int | None = None
    request_messages: tuple[CapturedMessage, ...] | None = None
    """None when the request was not captured."""
    response_text: str | None = None
    response_reasoning: str | None = None
    response_tool_calls: tuple[JsonObject, ...] = ()
    response_captured: bool = False
    """Whether the capture holds the response."""
    tools_sent: bool | None = None
    """Whether the request offered tools."""
    model_ref: str | None = None
    upstream_attempted: bool | None = None
    """False where the model server answered without asking the model."""
    upstream_status_code: int | None = None
    local_response_reason: str | None = None
    source: str = "capture"
    """`requests.jsonl`, `ng_trajectory`, `ng_model_call_capture` or a capture file's name."""
    extra: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class CallRef:
    """A reference to a captured call from a turn, an invocation or a compaction (gym-semantics 3.1)."""

    model_call_id: str | None
    response_id: str | None
    model_ref: str | None
    owner: str
    """`turn`, `invocation` or `compaction`."""
    invocation_id: str | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn of `ng_trajectory.turns`, its reasoning and answer texts as recorded (gym-semantics 3.7)."""

    invocation_id: str
    number: int
    message_id: str | None
    reasoning: tuple[str, ...]
    answer: tuple[str, ...]
    tool_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """One line of `<id>.tokens.jsonl` or a capture record in a row (gym-semantics 8.2)."""

    call_id: str
    parent_call_id: str | None
    parent_resolution: str | None
    parent_reason: str | None
    response_id: str | None
    created_at: float | None
    """As recorded; the chain whose root is earliest is the main one where no terminal chain is (8.3)."""
    prompt_tokens: int | None
    """Number of token ids, as `generated_tokens`."""
    generated_tokens: int | None
    output_items: tuple[JsonObject, ...]
    extra: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class RecordedHealth:
    """One line of `rollout_verdicts.jsonl` (gym-semantics 7)."""

    verdict: str
    findings: tuple[JsonObject, ...]
    unobserved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailureRecord:
    """One sidecar row of either generation (gym-semantics 1.3)."""

    failure_class: str | None
    failure_kind: str | None
    stage: str | None
    message: str | None
    terminal: bool | None
    http_status: int | None
    exception_type: str | None
    delivery: str | None
    generation: str
    """`older` or `newer`."""
    judge_error: str | None = None
    has_real_response: bool = False
    """True for `judge_failed` / `judge_invalid`, whose response is the real generation."""
    extra: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class RowRecord:
    """The fields of a Gym row that rules read (gym-semantics 1.2); everything else is in `extras`."""

    reward: float | None
    reward_literal: str | None
    """The reward as written when it is no finite number (`NaN`, a string), else None."""
    has_reward: bool
    response_id: str | None = None
    response_status: str | None = None
    response_error: JsonValue = None
    incomplete_reason: str | None = None
    agent_outcome: JsonObject | None = None
    """`response.metadata.ng_agent_outcome`, decoded: `{failure_kind, status_code}`."""
    response_metadata: JsonObject = field(default_factory=lambda: {})
    failure_reason: str | None = None
    failure_kind: str | None = None
    mask_sample: bool | None = None
    instance_mask_sample: bool | None = None
    agent_timed_out: bool | None = None
    reward_components: JsonObject = field(default_factory=lambda: {})
    extras: JsonObject = field(default_factory=lambda: {})
    """Top-level keys that are neither in 1.2's table nor start with `_` (gym-semantics 9.3)."""
    template_metadata: JsonObject = field(default_factory=lambda: {})
    agent_name: str | None = None
    token_capture: JsonObject | None = None
    """`_ng_token_capture` verbatim."""
    output_texts: tuple[str, ...] = ()
    """Text of every assistant message item of `response.output`, in order (None texts left out)."""
    run_error: str | None = None
    """An error of the run itself that a row of another framework records beside its reward (verifiers `error`)."""


@dataclass(frozen=True, slots=True)
class PiLog:
    """What the Pi decision table (gym-semantics 5.4) reads off an event log or a session's leaf path."""

    stop_reason: str | None
    error_message: str | None
    has_assistant: bool
    context_overflow: bool | None
    """Of the last outcome line; None when the log has no outcome lines at all."""
    outcome_lines: int
    overflow_compaction_failed: bool
    """F of 5.4."""
    compaction_error: str | None
    ended: bool
    """False when the log stops without `agent_end` after its last `agent_start`."""
    last_error_overflow_text: bool = False
    """The last error's own words are a context limit, and no 'status code (no body)': what the events show."""
    is_session_file: bool = False
    assistant_messages: int = 0
    """Finished ones (`message_end`); partial messages do not count."""
    paired_overflow: bool | None = None
    """Of the outcome line that belongs to the last assistant message: the n-th (CONTRACT 4.7); None without one."""
    stop_at: str | None = None
    """Locator of the last finished assistant message, e.g. `message_end L40`."""
    stop_turn: int | None = None
    outcome_at: str | None = None
    """Locator of the last outcome line."""
    compaction_error_at: str | None = None
    """Locator of the `compaction_end` that F rests on."""
    lone_end_at: str | None = None
    """Locator of a last `compaction_end` without its start: Pi's verdict that the retry overflowed again."""
    unclosed_compaction_at: str | None = None
    """Locator of a `compaction_start` that nothing closes."""
    threshold_error: str | None = None
    """Error of a failed threshold compaction: it does not set F, and what it does to the grade is not stated (13.5)."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a log or trajectory of another harness says about the end of its run; each format says it in one field."""

    says: str | None = None
    """The recorded field, e.g. `result.subtype`; None where the format has none, or this record lacks it."""
    word: str | None = None
    """What it holds, verbatim."""
    error: str | None = None
    """A recorded error of the run, in its own words; '' for one without words."""
    cut_off: str | None = None
    """A recorded field that says that the run was cut off (`is_truncated`)."""
    status_code: int | None = None
    where: Place | None = None
    rests_on: str | None = None
    """Locator of the record that says it."""
    last_finish: str | None = None
    """Finish of the root's last turn, as recorded: what the events themselves show."""
    last_error: str | None = None
    """Error of the root's last turn."""
    replies: int = 0
    recorded: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class Evidence:
    """All side evidence of one rollout. Absent means absent, never empty-as-zero."""

    row: RowRecord | None = None
    run_result: RunResult | None = None
    failures: tuple[FailureRecord, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    call_refs: tuple[CallRef, ...] = ()
    recorded_turns: tuple[RecordedTurn, ...] = ()
    trajectory_state: str | None = None
    """`valid`, `invalid`, or None when the row holds no `ng_trajectory`."""
    trajectory_gaps: tuple[Gap, ...] = ()
    token_entries: tuple[TokenEntry, ...] = ()
    recorded_health: RecordedHealth | None = None
    pi: PiLog | None = None
    requests_source: str | None = None
    """Path of the captured requests, when there are any."""
    session_output: bool = False
    """True when the conversation is read as session output (a session folder or an export)."""
    last_message: JsonObject | None = None
    """OpenCode: `{id, finish, completed, error, summary}` of the root's last assistant message, summaries included."""
    disagreements: tuple[str, ...] = ()
    """Sentences, one for each contradiction between artifacts of one session: the finding `records-disagree`."""
    session_folder: str | None = None
    """Path of the session folder whose `result.json` was joined, when there is one."""
    ending: Ending | None = None
    """Set by readers of formats whose outcome no table of Gym decides."""
