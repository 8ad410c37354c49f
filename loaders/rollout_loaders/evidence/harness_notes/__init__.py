"""Messages that a harness sends in the model's name, and drops again (gym-semantics 8.6; seed 002).

To support another harness, add a module with its `NOTES` and put them into `HARNESS_NOTES`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.model import CapturedMessage, HarnessNote, ModelCall, Rollout

from . import opencode
from .call_turns import turns_of_calls
from .effects import effect_of
from .note_text import HarnessNoteText

__all__ = ["HARNESS_NOTES", "HarnessNoteText", "notes_of", "trailing_note"]

HARNESS_NOTES: tuple[HarnessNoteText, ...] = (*opencode.NOTES,)

_BY_TEXT = {note.text: note for note in HARNESS_NOTES}


def trailing_note(messages: Sequence[CapturedMessage]) -> HarnessNoteText | None:
    """The note that the final message is, when it is an assistant message with exactly that text and nothing else."""
    if not messages:
        return None
    last = messages[-1]
    if last.role != "assistant" or not last.only_text or last.tool_calls or last.text is None:
        return None
    return _BY_TEXT.get(last.text.removesuffix("\n"))


def notes_of(rollout: Rollout) -> tuple[HarnessNote, ...]:
    """The notes of every captured request, with the call and the turn on which each was sent."""
    sent = [
        (call, note)
        for call in rollout.evidence.model_calls
        if call.request_messages is not None
        and (note := trailing_note(call.request_messages)) is not None
        and not _of_another(call, rollout)
    ]
    if not sent:
        return ()
    places = turns_of_calls(rollout)
    effect = effect_of(rollout)
    notes: list[HarnessNote] = []
    for call, note in sent:
        place = places.get(call.index)
        notes.append(
            HarnessNote(
                harness=note.harness,
                name=note.name,
                text=note.text,
                call_index=call.index,
                turn=None if place is None else place.turn,
                role_on_wire="assistant",
                forwarded_as="user",
                effect=f"{_facts(note)} {effect}",
                invocation=None if place is None else place.invocation,
            )
        )
    return tuple(notes)


def _of_another(call: ModelCall, rollout: Rollout) -> bool:
    """A request beside a store that holds several rollouts, and names a session that is none of this one's."""
    if call.source != "requests.jsonl" or call.session_id is None:
        return False
    return all(call.session_id != invocation.id for invocation in rollout.invocations)


def _facts(note: HarnessNoteText) -> str:
    return (
        f"{note.harness} sends it {note.when}; the model never wrote it and no session store keeps it. Under token "
        "capture the gateway forwards it as a user message and leaves it out of the items that link calls."
    )
