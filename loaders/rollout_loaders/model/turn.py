"""One assistant message, its reasoning and answer apart, and what came in before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .jsontypes import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of reasoning or of answer, with the id that Gym's observations give it (CONTRACT 4.3)."""

    id: str
    text: str
    interrupted: bool = False
    """True for text of a try that was broken off and made again in the same message, or of a killed stream."""


@dataclass(frozen=True, slots=True)
class InputMessage:
    """What came in since the last turn: user, system, developer, continue prompts, tool-like custom messages."""

    id: str
    role: str
    text: str
    synthetic: bool = False
    """Written by the harness, not the user (OpenCode `synthetic`, compaction continue prompts)."""
    ignored: bool = False
    """Stored but not sent to the model (OpenCode `ignored`)."""
    kind: str = "text"
    """`text`, `file`, `image`, `subtask`, `agent`, `shell`, `custom`, … as the harness calls it."""
    reverted: bool = False
    """Stored, and taken back by the user: hidden from the model."""
    in_context_at_end: bool | None = None
    """As `Turn.in_context_at_end`."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call with its result. Times are ISO 8601 UTC, durations milliseconds; None is unknown."""

    id: str
    call_id: str | None
    name: str
    arguments: JsonValue
    """The object the model sent, or the raw string where it is no JSON object."""
    status: str
    """`completed`, `failed`, `incomplete`, `timeout`, `cancelled` or `unknown` (gym-semantics 3.3)."""
    output: str | None = None
    """Verbatim and in full, also when pruned."""
    pruned: bool = False
    """True when later model inputs saw `[Old tool result content cleared]` in its place (gym-semantics 4.3)."""
    error: str | None = None
    """The error's text, also where `output` repeats it."""
    started_at: str | None = None
    duration_ms: int | None = None
    child: str | None = None
    """Id of the invocation (subagent) that this call spawned or resumed."""
    exit_code: int | None = None
    invalid: bool = False
    """The harness could not run it: unknown tool or unreadable arguments (OpenCode tool `invalid`)."""
    interrupted: bool = False
    """Broken off: by a kill, an abort or a dropped stream."""
    hosted: bool = False
    """The provider ran it inside the reply (a web search): text after it is the reply's own answer."""
    attachments: tuple[str, ...] = ()
    """One line for each image or file in the result, e.g. `image/png, 1,204 bytes (base64)`."""
    extra: JsonObject = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class TurnError:
    """Why a turn failed, as recorded."""

    name: str | None
    """The error's class or code."""
    message: str | None
    status_code: int | None = None
    """HTTP status of the refused request."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A model call that was tried again (Pi `auto_retry_*`; an OpenCode message with two step-starts)."""

    attempt: int | None
    """1 for the first repetition."""
    reason: str | None
    at: str | None = None
    """ISO 8601 UTC."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant message that is not a compaction summary, also one that started and never ended."""

    number: int
    """1-based in its invocation."""
    message_id: str
    started_at: str | None = None
    """ISO 8601 UTC, as `completed_at`."""
    completed_at: str | None = None
    partial: bool = False
    """Started and never ended (killed), or a Pi message without its `message_end`."""
    reverted: bool = False
    """Taken back by the user (OpenCode `revert`): stored, and hidden from the model."""
    input: tuple[InputMessage, ...] = ()
    reasoning: tuple[TextPiece, ...] = ()
    answer: tuple[TextPiece, ...] = ()
    """In order. A blank stored text part is no answer piece; an empty answer kept by CONTRACT 4.4 has text ''."""
    tool_calls: tuple[ToolCall, ...] = ()
    order: tuple[str, ...] = ()
    """Ids of reasoning, answer and tool calls in the order in which they stand in the record (views follow it)."""
    finish: str | None = None
    """As recorded: OpenCode `finish`, Pi `stopReason`."""
    error: TurnError | None = None
    usage: Mapping[str, int | float | None] = field(default_factory=lambda: {})
    """`input, output, reasoning, cached, cost` as counted by the harness; unknown is None."""
    retries: tuple[Retry, ...] = ()
    unfinished: str | None = None
    """Why the reply never came to its end, in words, where neither `partial`, `finish` nor `error` says so."""
    in_context_at_end: bool | None = None
    """Whether the model's context still held this turn when the rollout ended; None where compactions leave it open."""
    model: str | None = None
    agent: str | None = None
    extra: JsonObject = field(default_factory=lambda: {})

    @property
    def answer_text(self) -> str:
        """The non-blank answer pieces joined by newline; '' when there is none (CONTRACT 3, `final_answer`)."""
        return "\n".join(piece.text for piece in self.answer if piece.text.strip())

    @property
    def reasoning_text(self) -> str:
        """All reasoning of the turn, pieces joined by newline."""
        return "\n".join(piece.text for piece in self.reasoning)
