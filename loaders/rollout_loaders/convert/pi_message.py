"""Messages as Pi recorded them, whatever file they came from: the input of Pi's half of the conversion core.

The event log and the session file both build these; turns and items then follow one set of rules (CONTRACT 4.7).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonValue

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_9999_MS = 253_402_300_799_999


@dataclass(frozen=True, slots=True)
class PiCall:
    """A `toolCall` block."""

    call_id: str | None
    name: str
    arguments: JsonValue
    arguments_error: str | None = None
    """Pi 1.6.0 and later: why the arguments could not be parsed."""


@dataclass(frozen=True, slots=True)
class PiBlock:
    """One content block. Its kind is Pi's own word: `text`, `thinking`, `toolCall`, `image`, or any other."""

    kind: str
    text: str | None = None
    call: PiCall | None = None
    attachment: str | None = None
    """One line that stands for an image: its type and size."""


@dataclass(frozen=True, slots=True)
class PiToolResult:
    """What a `toolResult` message says beside its content."""

    call_id: str
    name: str | None
    is_error: bool | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class PiMessage:
    """One message. `ended` is False for one that only its start or its deltas tell of."""

    role: str
    blocks: tuple[PiBlock, ...]
    message_id: str
    """The entry id of a session file; `L<line>` in an event log."""
    locator: str
    stop_reason: str | None = None
    error_message: str | None = None
    usage: Mapping[str, int | float | None] = field(default_factory=lambda: {})
    """`input, output, reasoning, cached, cost` as recorded; empty where the record has none."""
    started_ms: float | None = None
    ended_ms: float | None = None
    response_id: str | None = None
    model: str | None = None
    provider: str | None = None
    tool: PiToolResult | None = None
    speech: str | None = None
    """For roles without content blocks (`bashExecution`, `system`, summaries): what they say, as text."""
    synthetic: bool = False
    ended: bool = True

    @property
    def text(self) -> str:
        """All text blocks, joined by newline, after `speech`."""
        texts = [block.text for block in self.blocks if block.kind == "text" and block.text is not None]
        if self.speech is None:
            return "\n".join(texts)
        return "\n".join([self.speech, *(text for text in texts if text)])


def iso_utc(milliseconds: float | None) -> str | None:
    """ISO 8601 UTC with milliseconds; None for what is no time between 1970 and 9999."""
    if milliseconds is None or not math.isfinite(milliseconds) or not 0 < milliseconds <= _YEAR_9999_MS:
        return None
    moment = _EPOCH + timedelta(milliseconds=round(milliseconds))
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
