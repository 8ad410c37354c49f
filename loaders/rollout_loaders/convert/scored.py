"""What the verifier read, by one reading, and the other readings that end in another text (CONTRACT 3, `scored`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollout_loaders.model import Item, OtherReading, Place, Scored

HOST_RESPONSE = "host-response"
SESSION_OUTPUT = "session-output"
ROW = "row"

REASONS = {
    HOST_RESPONSE: "read as the response of a local run: root and subagents interleaved, blank text left out",
    SESSION_OUTPUT: "read as session output: the root's messages only, a blank text part as an empty message",
}


def final_index(items: Sequence[Item]) -> int | None:
    """Index of the last assistant message item, which a last-message verifier reads; None when there is none."""
    for index in range(len(items) - 1, -1, -1):
        if items[index].is_assistant_message:
            return index
    return None


def final_text(items: Sequence[Item]) -> str | None:
    """Text of that item (text blocks joined by newline, not stripped); None when there is no assistant message item."""
    index = final_index(items)
    return None if index is None else items[index].text or ""


def scored_of(reading: str, items: Sequence[Item], others: Sequence[OtherReading] = ()) -> Scored:
    """The scored items with the graded one pointed out."""
    index = final_index(items)
    graded = None if index is None else items[index]
    place = graded.place if graded is not None else Place()
    return Scored(
        reading=reading,
        items=tuple(items),
        final_text=None if graded is None else graded.text or "",
        final_item_id=None if graded is None else graded.id,
        final_index=index,
        origin=Place(invocation=place.invocation, turn=place.turn, item_id=place.item_id),
        others=tuple(others),
    )


def scored_by(
    reading: str, readings: dict[str, Callable[[], Sequence[Item]]], always: Sequence[OtherReading] = ()
) -> Scored:
    """Scored by `reading`, each other of `readings` named where it ends in different text; `always` is named anyhow.

    No assistant message and an empty one are no different texts: a verifier reads '' in both.
    """
    items = readings[reading]()
    text = final_text(items)
    others: list[OtherReading] = []
    for name, compute in readings.items():
        if name == reading:
            continue
        found = compute()
        other_text = final_text(found)
        if (other_text or "") != (text or ""):
            index = final_index(found)
            place = Place() if index is None else found[index].place
            others.append(OtherReading(name, other_text, REASONS.get(name, name), place))
    return scored_of(reading, items, (*others, *always))
