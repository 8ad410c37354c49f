"""A Pi reply whose `message_end` never came: its text is the sum of its deltas (CONTRACT 4.7).

Snapshots (`partial`, `message`) run ahead of the deltas in releases up to 0.80.2 (formats 2.1), so no text is taken
from them; only the name and id of a call, which no delta carries there.
"""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.convert.pi_message import PiBlock, PiCall, PiMessage
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, JsonValue, StoredPart

from . import fields
from .pi_records import count_of, message_of


@dataclass(slots=True)
class _Growing:
    kind: str
    pieces: list[str] = field(default_factory=lambda: [])
    whole: str | None = None
    call_id: str | None = None
    name: str | None = None
    call: JsonObject | None = None

    def text(self) -> str:
        return "".join(self.pieces) or self.whole or ""

    def block(self) -> PiBlock:
        if self.kind != "toolCall":
            return PiBlock(self.kind, self.text())
        call: JsonObject = self.call if self.call is not None else {}
        arguments: JsonValue = call.get("arguments") if self.call is not None else (self.text() or None)
        return PiBlock(
            self.kind,
            call=PiCall(
                fields.text(call, "id") or self.call_id,
                fields.text(call, "name") or self.name or "",
                arguments,
                fields.text(call, "argumentsError"),
            ),
        )


_KINDS = {"text": "text", "thinking": "thinking", "toolcall": "toolCall"}


class PartialMessage:
    """Collects the updates of one reply; block order is that of `contentIndex`."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Growing] = {}

    def update(self, event: JsonObject) -> None:
        """One `message_update`."""
        change = fields.mapping(event, "assistantMessageEvent")
        name, _, step = (fields.text(change, "type") or "").partition("_")
        index = count_of(change.get("contentIndex"))
        if name not in _KINDS or index is None:
            return
        block = self._blocks.setdefault(index, _Growing(_KINDS[name]))
        if step == "delta":
            block.pieces.append(fields.text(change, "delta") or "")
        elif step == "end":
            block.whole = fields.text(change, "content")
            block.call = fields.mapping(change, "toolCall") or None
        if block.kind == "toolCall" and block.call_id is None:
            self._name(block, change, index)

    def message(self, start: JsonValue, *, message_id: str, locator: str) -> PiMessage:
        """The reply as far as it came; its stop reason and usage are placeholders in the start, so unknown."""
        begun = message_of(start, message_id=message_id, locator=locator, ended=False)
        return PiMessage(
            role="assistant",
            blocks=tuple(self._blocks[index].block() for index in sorted(self._blocks)),
            message_id=message_id,
            locator=locator,
            started_ms=begun.started_ms,
            model=begun.model,
            provider=begun.provider,
            ended=False,
        )

    def part(self, *, message_id: str, locator: str, turn: int) -> StoredPart:
        """One stored part for the run of updates: their deltas joined, by content index."""
        content: list[JsonValue] = [
            {"contentIndex": index, "kind": self._blocks[index].kind, "deltas": self._blocks[index].text()}
            for index in sorted(self._blocks)
        ]
        data: JsonObject = {"type": "message_update", "joined": content}
        return StoredPart(message_id, message_id, "message_update", data, locator=locator, role="assistant", turn=turn)

    @staticmethod
    def _name(block: _Growing, change: JsonObject, index: int) -> None:
        block.call_id, block.name = fields.text(change, "id"), fields.text(change, "toolName")
        content = fields.array(fields.mapping(change, "partial"), "content")
        if block.call_id is None and index < len(content):
            snapshot = fields.as_object(content[index])
            block.call_id, block.name = fields.text(snapshot, "id") or None, fields.text(snapshot, "name")
