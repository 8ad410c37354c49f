"""How an OpenCode session ended, by its last assistant message alone (gym-semantics 4.4, session mode).

Beside `convert` and `evidence`, which both ask it: the one for every invocation, the other for the root's outcome.
"""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LastMessage:
    """The last assistant message of a session by (time_created, id), summaries included."""

    finish: str | None
    completed: bool
    has_error: bool


@dataclass(frozen=True, slots=True)
class TerminalRule:
    """One row: the first that applies decides."""

    id: str
    applies: Callable[[LastMessage], bool]
    status: str
    sentence: str


LIMITS = frozenset({"length", "content-filter", "tool-calls"})

TERMINAL_RULES: tuple[TerminalRule, ...] = (
    TerminalRule("last-message-error", lambda last: last.has_error, "failed", "it ended with an error"),
    TerminalRule(
        "stop-completed",
        lambda last: last.finish == "stop" and last.completed,
        "completed",
        "its finish is stop and it was completed",
    ),
    TerminalRule(
        "stop-not-completed",
        lambda last: last.finish == "stop",
        "incomplete",
        "its finish is stop but it was never completed",
    ),
    TerminalRule("finish-limit", lambda last: last.finish in LIMITS, "incomplete", "its finish is a limit"),
    TerminalRule("no-finish", lambda last: last.finish is None, "incomplete", "it has no finish"),
    TerminalRule("finish-other", lambda _last: True, "failed", "its finish is none that Gym expects"),
)
"""CONTRACT 3, `outcome`, OpenCode."""


def terminal_rule(last: LastMessage) -> TerminalRule:
    """The row that decides for `last`."""
    return next(rule for rule in TERMINAL_RULES if rule.applies(last))
