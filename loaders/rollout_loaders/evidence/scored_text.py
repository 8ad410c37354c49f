"""Which text was graded, how its verifier picks it, and what that leaves out (gym-semantics 9; CONTRACT 3 `scored`)."""

from __future__ import annotations

from rollout_loaders.model import Item, Place, Reason, Rollout

from .quoting import count

PICKS: dict[str, str] = {
    "last-message": "the verifier reads the last assistant message only",
    "last-message-unthought": "the verifier reads the last assistant message without its `<think>` blocks",
    "last-item": "the verifier reads the first text block of the last item",
    "all-messages-joined": "the verifier reads the texts of all messages joined, not only the last",
    "all-messages-lines": "the verifier reads the texts of all assistant messages, joined by newlines",
    "first-call": "the verifier reads the first tool call",
    "patch": "the verifier runs tests on what the run left behind and reads no text",
    "generic": "which text this verifier reads is not recorded; shown is the last assistant message",
}
"""How a verifier family picks its text: gym-semantics 9.1, 9.2 and the servers themselves (9.3)."""

READINGS: dict[str, str] = {
    "row": "the row's own response",
    "session-output": "the session output",
    "host-response": "the host response",
}


def how_text_was_picked(rollout: Rollout, picks: str = "generic") -> Reason:
    """One sentence: the reading, how the verifier's family picks, the graded item with its length, what is left out."""
    scored = rollout.scored
    reading = READINGS.get(scored.reading, scored.reading)
    rule = PICKS.get(picks, PICKS["generic"])
    if picks in ("patch", "first-call"):
        return Reason(f"From {reading}, {rule}.", where=_place(rollout), rests_on="response")
    return Reason(
        f"From {reading}, {rule}: {_graded(rollout, picks)}{_left_out(rollout, picks)}.",
        where=_place(rollout),
        rests_on=scored.final_item_id or "response.output",
    )


def _place(rollout: Rollout) -> Place | None:
    """Where the graded text was written; None where nothing of it is known."""
    origin = rollout.scored.origin
    place = Place(origin.invocation, origin.turn, origin.item_id or rollout.scored.final_item_id)
    return None if place == Place() else place


def _messages(rollout: Rollout) -> tuple[Item, ...]:
    return tuple(item for item in rollout.scored.items if item.is_assistant_message)


def _graded(rollout: Rollout, picks: str) -> str:
    messages = _messages(rollout)
    if not messages:
        return "there is no assistant message"
    if picks.startswith("all-messages"):
        length = sum(len(item.text or "") for item in messages)
        return f"{count(length, 'character')} in {count(len(messages), 'message')}"
    length = len(messages[-1].text or "")
    turn = rollout.scored.origin.turn
    return f"{count(length, 'character')}{'' if turn is None else f', turn {turn}'}"


def _left_out(rollout: Rollout, picks: str) -> str:
    parts: list[str] = []
    reasoning = [item for item in rollout.scored.items if item.type == "reasoning"]
    if reasoning:
        length = sum(len(item.text or "") for item in reasoning)
        parts.append(f"{count(len(reasoning), 'reasoning item')} ({count(length, 'character')})")
    outputs = [item for item in rollout.scored.items if item.type == "function_call_output"]
    if outputs:
        length = sum(len(item.text or "") for item in outputs)
        parts.append(f"{count(len(outputs), 'tool result')} ({count(length, 'character')})")
    earlier = _messages(rollout)[:-1]
    if earlier and not picks.startswith("all-messages"):
        length = sum(len(item.text or "") for item in earlier)
        parts.append(f"{count(len(earlier), 'earlier assistant message')} ({count(length, 'character')})")
    return f"; left out: {', '.join(parts)}" if parts else ""
