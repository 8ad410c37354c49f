"""What the verifier did not see: everything of a turn that no scored item holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from rollout_loaders.model import Invocation, Item, Place, Turn

from .block import Block
from .formatting import quantity


class Seen:
    """What the scored items hold, looked up by text and call id. Built when the first turn asks."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items

    @cached_property
    def reasoning(self) -> frozenset[str]:
        """Texts of reasoning items."""
        return self._texts("reasoning")

    @cached_property
    def messages(self) -> frozenset[str]:
        """Texts of message items."""
        return self._texts("message")

    @cached_property
    def results(self) -> frozenset[str]:
        """Texts of tool results."""
        return self._texts("function_call_output")

    @cached_property
    def calls(self) -> frozenset[str]:
        """Call ids of function calls."""
        return frozenset(item.call_id for item in self._items if item.type == "function_call" and item.call_id)

    def _texts(self, kind: str) -> frozenset[str]:
        return frozenset(item.text for item in self._items if item.type == kind and item.text is not None)


def unseen_of_turn(home: Invocation, turn: Turn, seen: Seen, *, whole: bool, root: bool) -> list[Block]:
    """Return one dim line a kind of thing that was not seen; one line for a turn of which nothing was (`whole`)."""
    missing = list(_missing(turn, seen))
    if not missing:
        return []
    where = "" if root else f"subagent {home.title or home.id}, "
    if whole:
        missing = [(f"{where}turn {turn.number}: {'; '.join(words for words, _ in missing)}", missing[0][1])]
    elif where:
        missing = [(where + words, item_id) for words, item_id in missing]
    return [
        Block(
            id=f"{turn.message_id}:unseen:{index}",
            label="unseen",
            tone="muted",
            title=f"not seen: {words}",
            place=Place(home.id, turn.number, item_id),
        )
        for index, (words, item_id) in enumerate(missing)
    ]


def _missing(turn: Turn, seen: Seen) -> Sequence[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    thoughts = [piece for piece in turn.reasoning if piece.text and piece.text not in seen.reasoning]
    if thoughts:
        total = sum(len(piece.text) for piece in thoughts)
        found.append((f"reasoning, {quantity(total, 'character')}", thoughts[0].id))
    if turn.answer_text not in seen.messages:
        answers = [piece for piece in turn.answer if piece.text.strip() and piece.text not in seen.messages]
        if answers:
            total = sum(len(piece.text) for piece in answers)
            found.append((f"answer, {quantity(total, 'character')}", answers[0].id))
    for call in turn.tool_calls:
        if (call.call_id or call.id) not in seen.calls:
            found.append((f"tool call {call.name}", call.id))
        result = call.output if call.output is not None else call.error
        if result and result not in seen.results:
            found.append((f"result of {call.name}, {quantity(len(result), 'character')}", call.id))
    return found
