"""A Pi rollout from its conversation: what the event log and the session file have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rollout_loaders.convert.context import with_context
from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.pi_message import PiMessage
from rollout_loaders.convert.pi_output import scored_of
from rollout_loaders.convert.pi_turns import PiConversation
from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.model import (
    Branch,
    Diagnostic,
    Evidence,
    Gap,
    Harness,
    Invocation,
    Item,
    JsonObject,
    OtherReading,
    PiLog,
    Rollout,
    Route,
    SourceRef,
    StoredPart,
    Task,
    Turn,
    Usage,
)
from rollout_loaders.reader import ReadOptions

from .logged_file import first_prompt

ROUTE = Route(gym_reasoning=False, because="Pi's think tags are literal text: nothing is split")
STATUSES = {"stop": "completed", "error": "failed", "aborted": "incomplete", "length": "incomplete"}
"""Invocation status by the last assistant's stop reason (gym-semantics 5.2); anything else is unknown."""
_GENERIC_STEMS = frozenset({"stdout", "events", "session", "log", "output"})
_OVERFLOW_WORDS = re.compile(
    r"maximum context length|context[ _]length[ _]exceeded|context window|prompt is too long|prompt too long|"
    r"input is too long|exceeds? the (?:model'?s )?(?:available )?context|too many (?:input )?tokens|"
    r"token limit|request_too_large|reduce the length",
    re.IGNORECASE,
)
_NO_BODY = re.compile(r"^4\d\d status code \(no body\)")
_RATE_LIMIT = re.compile(r"^429|rate limit|too many requests", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PiRun:
    """What a reader found, apart from the conversation."""

    path: Path
    shown: str
    format: str
    session_id: str | None
    pi: PiLog
    parts: tuple[StoredPart, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    gaps: tuple[Gap, ...] = ()
    branches: tuple[Branch, ...] = ()
    others: tuple[OtherReading, ...] = ()
    title: str | None = None
    started_at: str | None = None
    status: str = "unknown"
    model: str | None = None
    """As a session's `model_change` says it, where no reply names one."""
    provider: str | None = None
    extra: JsonObject | None = None


def rollout_id(path: Path, session_id: str | None) -> str:
    """The session id, else `pi-<name>`: the file's stem, or its folder's name where the stem says nothing."""
    if session_id is not None:
        return session_id
    stem = path.stem
    return f"pi-{path.parent.name}" if stem in _GENERIC_STEMS and path.parent.name else f"pi-{stem}"


def is_overflow_text(error: str | None) -> bool:
    """Whether an error's own words are a context limit. `status code (no body)` is none for Gym (gym-semantics 5.4)."""
    if error is None or _NO_BODY.match(error) or _RATE_LIMIT.search(error):
        return False
    return _OVERFLOW_WORDS.search(error) is not None


def compose(run: PiRun, conversation: PiConversation, options: ReadOptions) -> Rollout:
    """The rollout, without what `evidence.complete` adds."""
    ident = rollout_id(run.path, run.session_id)
    invocation = _invocation(run, conversation)
    last = next((turn for turn in reversed(invocation.turns) if turn.model is not None), None)
    provider = next((m.provider for m in reversed(conversation.assistant_messages) if m.provider is not None), None)
    return Rollout(
        id=ident,
        source=SourceRef(path=run.shown, format=run.format, locator=run.session_id),
        harness=Harness(name="pi", model=run.model if last is None else last.model, provider=provider or run.provider),
        route=ROUTE,
        task=Task(prompt=first_prompt(invocation, kind="text")),
        invocations=(invocation,),
        final_answer=final_answer_of(invocation),
        scored=scored_of(conversation.output.output, session_output=options.session_folder, others=run.others),
        usage=usage_of_run(conversation.assistant_messages),
        gaps=run.gaps,
        diagnostics=run.diagnostics,
        evidence=Evidence(pi=run.pi, call_refs=conversation.call_refs(), session_output=options.session_folder),
        extra=run.extra or {},
    )


def _invocation(run: PiRun, conversation: PiConversation) -> Invocation:
    invocation = with_context(
        Invocation(
            id=conversation.invocation_id,
            status=run.status,
            title=run.title,
            turns=conversation.turns(),
            compactions=conversation.compactions(),
            branches=run.branches,
            trailing_input=conversation.trailing_input(),
            items=tuple(_answered(item, conversation.turn_count) for item in conversation.output.conversation),
            parts=run.parts,
            started_at=run.started_at,
        )
    )
    return changed(invocation, turns=tuple(_doubted(turn) for turn in invocation.turns))


def _answered(item: Item, last_turn: int) -> Item:
    """What came in for a turn that never started belongs to none."""
    late = item.place.turn is not None and item.place.turn > last_turn
    return changed(item, place=changed(item.place, turn=None)) if late else item


def _doubted(turn: Turn) -> Turn:
    """Nothing took a reply out that was killed while it was written; that the context held it is not recorded."""
    return changed(turn, in_context_at_end=None) if turn.partial and turn.in_context_at_end else turn


def usage_of_run(messages: Sequence[PiMessage]) -> Usage:
    """Tokens as Gym sums them (gym-semantics 5.3): cached reads count as input.

    `cached` is given only where every reply has some, since Pi writes 0 for unknown. Reasoning and cost need every
    reply that used tokens to state them.
    """
    counted = [message.usage for message in messages if message.usage]
    if not counted:
        return Usage()
    cached = [usage.get("cached") for usage in counted]
    used = [usage for usage in counted if usage.get("input") or usage.get("output")]
    all_cached = len(counted) == len(messages) and all(cached)
    return Usage(
        input=_sum([usage.get("input") for usage in counted], [usage.get("cached") for usage in counted]),
        output=_sum([usage.get("output") for usage in counted]),
        reasoning=_integer(_total([usage.get("reasoning") for usage in used])),
        cached=int(sum(value or 0 for value in cached)) if all_cached else None,
        cost=_total([usage.get("cost") for usage in used]),
        counted_by="pi",
    )


def _sum(values: Sequence[int | float | None], also: Sequence[int | float | None] = ()) -> int | None:
    """What is stated, added up; None where no reply states it."""
    stated = [value for value in values if value is not None]
    return int(sum(stated) + sum(value or 0 for value in also)) if stated else None


def _total(values: Sequence[int | float | None]) -> float | None:
    stated = [value for value in values if value is not None]
    return sum(stated) if stated and len(stated) == len(values) else None


def _integer(value: float | None) -> int | None:
    return None if value is None else int(value)
