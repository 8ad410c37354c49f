"""The frozen dataclasses that cross every border of the project. No rules, no reading, no drawing."""

from __future__ import annotations

from .attribution import Attribution
from .evidence import (
    CallRef,
    CapturedMessage,
    Ending,
    Evidence,
    FailureRecord,
    ModelCall,
    PiLog,
    RecordedHealth,
    RecordedTurn,
    RowRecord,
    RunResult,
    TokenEntry,
)
from .grading import Grading, JudgeCall, Verdict
from .invocation import Branch, Compaction, Invocation, SessionPath, StoredPart
from .item import Item
from .jsontypes import JsonObject, JsonValue, is_array, is_object
from .outcome import Attempt, Outcome, OutcomeReading, Policy
from .place import Diagnostic, Finding, Gap, Place, Reason
from .rollout import (
    FinalAnswer,
    Harness,
    HarnessNote,
    Health,
    HealthCheck,
    OtherReading,
    Rollout,
    Route,
    Scored,
    SourceRef,
    Span,
    Task,
    Usage,
)
from .summary import RolloutSummary
from .turn import InputMessage, Retry, TextPiece, ToolCall, Turn, TurnError

__all__ = [
    "Attempt",
    "Attribution",
    "Branch",
    "CallRef",
    "CapturedMessage",
    "Compaction",
    "Diagnostic",
    "Ending",
    "Evidence",
    "FailureRecord",
    "FinalAnswer",
    "Finding",
    "Gap",
    "Grading",
    "Harness",
    "HarnessNote",
    "Health",
    "HealthCheck",
    "InputMessage",
    "Invocation",
    "Item",
    "JsonObject",
    "JsonValue",
    "JudgeCall",
    "ModelCall",
    "OtherReading",
    "Outcome",
    "OutcomeReading",
    "PiLog",
    "Place",
    "Policy",
    "Reason",
    "RecordedHealth",
    "RecordedTurn",
    "Retry",
    "Rollout",
    "RolloutSummary",
    "Route",
    "RowRecord",
    "RunResult",
    "Scored",
    "SessionPath",
    "SourceRef",
    "Span",
    "StoredPart",
    "Task",
    "TextPiece",
    "TokenEntry",
    "ToolCall",
    "Turn",
    "TurnError",
    "Usage",
    "Verdict",
    "is_array",
    "is_object",
]
