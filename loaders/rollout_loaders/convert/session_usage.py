"""Tokens of a whole rollout as Gym counts a session's (gym-semantics 4.4, `Session usage`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.model import Usage

from .stored import StoredMessage, StoredSession
from .turns import has_counts

Tokens = Mapping[str, int | float | None]


_DETAILS = (("reasoning", "reasoning"), ("cached", "cache_read"))
"""Counts that are no sum of their own for Gym where they are 0 throughout."""


def _whole(value: int | float | None) -> int:
    return int(value) if value is not None else 0


def _reasoning_counted_twice(tokens: Tokens) -> bool:
    """Releases up to 1.3.2 store an `output` that already holds the reasoning; their `total` shows it (formats 1.4)."""
    total, reasoning = tokens.get("total"), _whole(tokens.get("reasoning"))
    without = sum(_whole(tokens.get(name)) for name in ("input", "output", "cache_read", "cache_write"))
    return reasoning > 0 and total is not None and total == without


def session_usage(sessions: Sequence[StoredSession], counting: Sequence[StoredMessage] | None = None) -> Usage:
    """Sums over all assistant messages of all sessions; None where nothing was counted, never 0 for unknown.

    `counting` replaces the sessions' messages where the record lists those that count (Gym's `export.json`).
    """
    asked = counting if counting is not None else [message for session in sessions for message in session.messages]
    messages = [message for message in asked if message.role == "assistant"]
    counted = [message.tokens for message in messages if has_counts(message.tokens)]
    if not counted:
        return Usage()
    every_message_has_tokens = all(message.tokens for message in messages)
    cached = sum(_whole(tokens.get("cache_read")) for tokens in counted)
    reasoning = sum(_whole(tokens.get("reasoning")) for tokens in counted)
    costs = [cost for tokens in counted if (cost := tokens.get("cost")) is not None]
    return Usage(
        input=sum(_whole(t.get("input")) + _whole(t.get("cache_read")) + _whole(t.get("cache_write")) for t in counted),
        output=sum(_whole(t.get("output")) + _whole(t.get("reasoning")) for t in counted),
        reasoning=reasoning if reasoning > 0 and every_message_has_tokens else None,
        cached=cached if cached > 0 and every_message_has_tokens else None,
        cost=float(sum(costs)) if costs else None,
        counted_by=_counted_by(len(messages), counted),
    )


def _stated(counted: Sequence[Tokens], name: str) -> list[int | float]:
    return [value for tokens in counted if (value := tokens.get(name)) is not None]


def _counted_by(messages: int, counted: Sequence[Tokens]) -> str:
    sentence = (
        "OpenCode's counts of every assistant message, summaries and subagents included, summed as Gym sums a session: "
        "cache in input, reasoning in output; title requests are counted nowhere"
    )
    zeros = [word for word, name in _DETAILS if (stated := _stated(counted, name)) and not any(stated)]
    if zeros:
        sentence += f"; {' and '.join(zeros)} unknown: no message counts more than 0, which is no count for Gym"
    if len(counted) < messages:
        sentence += f"; {messages - len(counted)} of {messages} messages hold no counts"
    twice = sum(1 for tokens in counted if _reasoning_counted_twice(tokens))
    if twice:
        sentence += (
            f"; in {twice} messages the stored output already holds the reasoning, "
            "so this sum counts it twice, as Gym's does"
        )
    return sentence
