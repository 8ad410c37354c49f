"""Which text was graded, how its verifier picks it, and what that leaves out (gym-semantics 9; CONTRACT 3 `scored`)."""

from __future__ import annotations

from rollout_loaders.model import Item, Place, Reason, Rollout

from .quoting import count

PICKS: dict[str, str] = {
    "last-message": "The verifier reads the last assistant message of {reading}",
    "last-message-unthought": "The verifier reads the last assistant message of {reading} without its `<think>` blocks",
    "last-item": "The verifier reads the first text block of the last item of {reading}",
    "all-messages-joined": "The verifier reads the texts of all messages of {reading} joined, not only the last",
    "all-messages-lines": "The verifier reads the texts of all assistant messages of {reading}, joined by newlines",
    "first-call": "The verifier compares the first tool call of {reading}",
    "patch": "The verifier runs tests on what the run left behind and reads no text of {reading}",
    "unverified": "A verifier that reads the last message would read the last assistant message of {reading}",
    "generic": "How this verifier picks its text from {reading} is not recorded",
}
"""How a verifier family picks its text: gym-semantics 9.1, 9.2 and the servers themselves (9.3)."""

READS_NO_TEXT = frozenset({"patch", "first-call"})

NO_MESSAGE = "; there is no assistant message"

READINGS: dict[str, str] = {
    "row": "the row's response",
    "session-output": "the session output",
    "host-response": "the host response",
}


def how_text_was_picked(rollout: Rollout, picks: str = "generic") -> Reason:
    """One sentence: how the verifier's family picks, from which reading, the text's length, and what is left out."""
    rule = PICKS.get(picks, PICKS["generic"]).format(reading=READINGS.get(rollout.scored.reading, "the scored items"))
    text = "" if picks in READS_NO_TEXT else f"{_graded(rollout, picks)}{_left_out(rollout, picks)}"
    return Reason(f"{rule}{text}.", where=place_of(rollout), rests_on=rollout.scored.final_item_id or "response.output")


def reads_text(picks: str) -> bool | None:
    """Whether a verifier that picks its text so reads any; None where it is not known how it picks."""
    return None if picks in ("generic", "unverified") else picks not in READS_NO_TEXT


def against_limit(rollout: Rollout, limit: int | None) -> Reason | None:
    """By how much the scored text is over a stated limit, counted as Gym does: stripped, before any regex (9.1)."""
    messages = _messages(rollout)
    if limit is None or not messages:
        return None
    length = len((messages[-1].text or "").strip())
    relation = f"{length - limit:,} over" if length > limit else "within"
    said = f"The scored text has {count(length, 'character')}, {relation} the stated limit of {limit:,}."
    return Reason(said, where=place_of(rollout), rests_on="--max-answer-chars")


def place_of(rollout: Rollout) -> Place | None:
    """Where the graded text was written; None where nothing of it is known."""
    origin = rollout.scored.origin
    place = Place(origin.invocation, origin.turn, origin.item_id or rollout.scored.final_item_id)
    return None if place == Place() else place


def _messages(rollout: Rollout) -> tuple[Item, ...]:
    return tuple(item for item in rollout.scored.items if item.is_assistant_message)


def _graded(rollout: Rollout, picks: str) -> str:
    messages = _messages(rollout)
    turn = rollout.scored.origin.turn
    at = "" if turn is None else f" (turn {turn})"
    if picks == "generic":
        return f"; the last assistant message{at} has {_size(messages[-1:])}" if messages else NO_MESSAGE
    if not messages:
        return NO_MESSAGE
    if picks.startswith("all-messages"):
        return f": {_size(messages)} in {count(len(messages), 'message')}"
    return f": {_size(messages[-1:])}{at}"


def _size(items: tuple[Item, ...]) -> str:
    length = sum(len(item.text or "") for item in items)
    return count(length, "character")


def _left_out(rollout: Rollout, picks: str) -> str:
    """What lies in the response and is no part of the text; for `generic` what lies beside the last message."""
    groups = [
        ("reasoning item", tuple(item for item in rollout.scored.items if item.type == "reasoning")),
        ("tool result", tuple(item for item in rollout.scored.items if item.type == "function_call_output")),
    ]
    if not picks.startswith("all-messages"):
        groups.append(("earlier assistant message", _messages(rollout)[:-1]))
    parts = [f"{count(len(items), noun)} ({_size(items)})" for noun, items in groups if items]
    if not parts:
        return ""
    return f"; {'beside it' if picks == 'generic' else 'left out'}: {', '.join(parts)}"
