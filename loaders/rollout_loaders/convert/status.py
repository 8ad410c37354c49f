"""How each session ended, in Gym's session mode, and what its last assistant message was (gym-semantics 4.4)."""

from __future__ import annotations

from rollout_loaders.model import JsonObject, JsonValue
from rollout_loaders.terminal_status import LastMessage, terminal_rule

from .stored import StoredMessage, StoredSession


def last_assistant(session: StoredSession) -> StoredMessage | None:
    """The last assistant message in message order, compaction summaries and reverted ones included."""
    for message in reversed(session.messages):
        if message.role == "assistant":
            return message
    return None


def session_status(session: StoredSession) -> str:
    """`completed`, `incomplete`, `failed`, or `unknown` for a session without an assistant message."""
    message = last_assistant(session)
    if message is None:
        return "unknown"
    return terminal_rule(
        LastMessage(message.finish, message.time_completed is not None, message.error is not None)
    ).status


def last_message(session: StoredSession, doubt: str | None = None) -> JsonObject | None:
    """The facts that the outcome rules read, as `Evidence.last_message` holds them; None without assistant message.

    `any_error` and `any_completed` are over all assistant messages of the session: Gym's default mode reads them.
    `doubt` says why it may not have been the last one.
    """
    message = last_assistant(session)
    if message is None:
        return None
    error: JsonValue = None
    if message.error is not None:
        error = {
            "name": message.error.name,
            "message": message.error.message,
            "status_code": message.error.status_code,
        }
    assistants = [other for other in session.messages if other.role == "assistant"]
    return {
        "id": message.id,
        "finish": message.finish,
        "completed": message.time_completed is not None,
        "error": error,
        "summary": message.summary,
        "unreadable": message.unreadable,
        "doubt": doubt,
        "any_error": next((other.id for other in assistants if other.error is not None), None),
        "any_completed": any(other.time_completed is not None for other in assistants),
    }
