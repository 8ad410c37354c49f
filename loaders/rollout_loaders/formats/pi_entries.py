"""Entries of a Pi session file along one path, folded into a conversation (formats 2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from rollout_loaders.convert.pi_turns import PiConversation
from rollout_loaders.model import Compaction, Gap, InputMessage, JsonObject, JsonValue, StoredPart

from . import fields
from .pi_records import count_of, message_of, stored_parts
from .pi_tree import Entry


class PathFold:
    """Feeds the entries of one path to a conversation and keeps what the session says beside it."""

    def __init__(self, conversation: PiConversation) -> None:
        self.conversation = conversation
        self.parts: list[StoredPart] = []
        self.gaps: list[Gap] = []
        self.title: str | None = None
        self.model: str | None = None
        self.provider: str | None = None
        self._turns_before: dict[str, int] = {}

    def feed(self, entries: Sequence[Entry]) -> None:
        """In path order."""
        for entry in entries:
            self._turns_before[entry.id] = self.conversation.turn_count
            if entry.type == "message":
                self._message(entry)
                continue
            self._say(entry)
            where = f"L{entry.line}"
            turn = self.conversation.turn_count or None
            self.parts.append(StoredPart(entry.id, entry.id, entry.type, entry.data, locator=where, turn=turn))

    def _message(self, entry: Entry) -> None:
        where = f"L{entry.line}"
        message = message_of(
            entry.data.get("message"), message_id=entry.id, locator=f"entry {where}", ended_ms=written_ms(entry.data)
        )
        self.conversation.message(message)
        self.parts.extend(
            stored_parts(entry.data, message_id=entry.id, locator=where, turn=self.conversation.turn_count or None)
        )

    def _say(self, entry: Entry) -> None:
        data = entry.data
        if entry.type == "custom_message":
            where = f"entry L{entry.line}"
            content = message_of({"role": "custom", "content": data.get("content")}, message_id=entry.id, locator=where)
            self.conversation.message(replace(content, synthetic=True))
        elif entry.type == "branch_summary":
            text = fields.text(data, "summary") or ""
            self.conversation.say(InputMessage(entry.id, "branchSummary", text, synthetic=True, kind="branch_summary"))
        elif entry.type == "compaction":
            self._compaction(entry)
        elif entry.type == "context_edit" and data.get("replacement") is None:
            self.conversation.drop(fields.text(data, "targetId") or "")
        elif entry.type == "session_info":
            self.title = fields.text(data, "name") or self.title
        elif entry.type == "model_change":
            self.model, self.provider = fields.text(data, "modelId"), fields.text(data, "provider")

    def _compaction(self, entry: Entry) -> None:
        data = entry.data
        kept = fields.text(data, "firstKeptEntryId")
        item_id, turn = self._kept(kept)
        if item_id is None:
            detail = f"{entry.id}: kept from entry {kept}, which gave no item" if kept else entry.id
            owner = self.conversation.invocation_id
            self.gaps.append(Gap("compaction_first_kept_item_unavailable", owner, detail))
        extra: dict[str, JsonValue] = {"first_kept_entry_id": kept}
        extra.update({key: data[key] for key in ("fromHook", "details", "usage") if key in data})
        self.conversation.compaction(
            Compaction(
                id=entry.id,
                trigger=None,
                outcome="completed",
                summary=fields.text(data, "summary"),
                tokens_before=count_of(data.get("tokensBefore")),
                first_kept_item_id=item_id,
                first_kept_turn=turn,
                after_turn=self.conversation.turn_count,
                started_at=fields.text(data, "timestamp"),
                extra=extra,
            )
        )

    def _kept(self, entry_id: str | None) -> tuple[str | None, int | None]:
        """Item and turn from which the context goes on (CONTRACT 4.5): a kept input leaves the item open."""
        if entry_id is None:
            return None, None
        emitted = self.conversation.first_item(entry_id)
        if emitted is not None:
            return emitted
        before = self._turns_before.get(entry_id)
        return None, None if before is None else before + 1


def written_ms(data: JsonObject) -> float | None:
    """When an entry was appended, from its ISO timestamp."""
    text = fields.text(data, "timestamp")
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).timestamp() * 1000
    except (ValueError, OverflowError, OSError):
        return None


def parent_of(data: JsonObject, previous: str | None) -> str | None:
    """`parentId`; an entry without the key (before version 2 there was no tree) follows the one before."""
    if "parentId" not in data:
        return previous
    return fields.text(data, "parentId")


def header_of(data: JsonObject) -> bool:
    """Whether a line is the session header."""
    return data.get("type") == "session" and "parentId" not in data
