"""Compaction records of one session (gym-semantics 3.5 and 4.4, CONTRACT 4.5)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Compaction, Gap

from .reply import turn_places
from .stored import StoredCompaction, StoredMessage, StoredPart, StoredSession
from .times import iso

NO_COUNTS = "compaction_token_counts_unavailable"
NO_BOUNDARY = "compaction_model_call_boundary_unavailable"
"""Gym records these two for every OpenCode compaction: the store never holds counts or the neighbouring calls."""


@dataclass(frozen=True, slots=True)
class Compactions:
    """Records, the gaps that Gym records with them, and where the kept context starts."""

    records: tuple[Compaction, ...]
    gaps: tuple[Gap, ...] = ()
    kept_from: int | None = None
    """Index into the session's messages of the first one that the context still held; None without a completed one."""
    open_before: int = 0
    """Messages before this index are in doubt: a compaction that follows them was never closed."""


@dataclass(frozen=True, slots=True)
class _Session:
    session: StoredSession
    first_items: Mapping[str, str]
    turn_places: Sequence[int]
    """Index into the messages of each turn, in order."""
    index: Mapping[str, int]
    reverted_from: int

    def turn_after(self, index: int) -> int | None:
        """Number of the first turn at or after a message index."""
        before = self.turn_before(index)
        return before + 1 if before < len(self.turn_places) else None

    def turn_before(self, index: int) -> int:
        """Number of the last turn before a message index; 0 when there is none."""
        return bisect_left(self.turn_places, index)


def reverted_from(session: StoredSession) -> int:
    """Index of the first reverted message; the number of messages when nothing is reverted (formats trap 14)."""
    target = session.revert_message_id
    if target is None:
        return len(session.messages)
    exact = (index for index, message in enumerate(session.messages) if message.id == target)
    # OpenCode compares ids, so a message that is gone still says from where.
    later = (index for index, message in enumerate(session.messages) if message.id > target)
    return next(exact, next(later, len(session.messages)))


def compactions(session: StoredSession, first_items: Mapping[str, str]) -> Compactions:
    """One record a compaction part, and one for every summary message that no compaction part asks for.

    `first_items` comes from `observed`: it gives `first_kept_item_id` the id that the conversation really holds.
    """
    summaries: dict[str | None, list[StoredMessage]] = {}
    for message in session.messages:
        if message.role == "assistant" and message.summary:
            summaries.setdefault(message.parent_id, []).append(message)
    if not summaries and not any(part.compaction for message in session.messages for part in message.parts):
        return Compactions(())
    index = {message.id: place for place, message in enumerate(session.messages)}
    view = _Session(session, first_items, turn_places(session), index, reverted_from(session))
    return _collect(view, summaries)


def _collect(view: _Session, summaries: dict[str | None, list[StoredMessage]]) -> Compactions:
    found: list[tuple[int, Compaction]] = []
    gaps: list[Gap] = []
    kept_from: int | None = None
    open_before = 0
    for place, message in enumerate(view.session.messages):
        for part in message.parts:
            if part.compaction is None:
                continue
            record, record_gaps, kept = _record(view, place, part, part.compaction, summaries.pop(message.id, []))
            found.append((place, record))
            gaps.extend(record_gaps)
            if record.outcome == "completed" and not record.reverted:
                kept_from = kept
            elif record.outcome == "unknown" and not record.reverted:
                open_before = place
    for orphans in summaries.values():
        found.extend((view.index[orphan.id], _orphan(view, orphan)) for orphan in orphans)
    found.sort(key=lambda entry: entry[0])
    return Compactions(tuple(record for _, record in found), tuple(gaps), kept_from, open_before)


def _record(
    view: _Session, place: int, part: StoredPart, order: StoredCompaction, written: Sequence[StoredMessage]
) -> tuple[Compaction, list[Gap], int]:
    session_id = view.session.id
    outcome, summary, error = _result(written)
    item_id, kept_turn, kept_from = _tail(view, place, order.tail_message_id)
    gaps = [Gap(NO_COUNTS, session_id, part.id), Gap(NO_BOUNDARY, session_id, part.id)]
    if len(written) > 1:
        gaps.append(Gap("compaction_summary_ambiguous", session_id, part.id))
    elif summary is None:
        gaps.append(Gap("compaction_summary_unavailable", session_id, part.id))
    if item_id is None:
        gaps.append(Gap("compaction_first_kept_item_unavailable", session_id, order.tail_message_id))
    record = Compaction(
        id=part.id,
        trigger=order.trigger,
        outcome=outcome,
        summary=summary,
        first_kept_item_id=item_id,
        first_kept_turn=kept_turn,
        after_turn=view.turn_before(place),
        error=error,
        started_at=iso(part.time_created if part.time_created is not None else _message_time(view, place)),
        summary_message_ids=tuple(message.id for message in written),
        reverted=place >= view.reverted_from,
        kept_nothing=order.tail_message_id is None,
        extra={"tail_start_id": order.tail_message_id} if order.tail_message_id is not None else {},
    )
    return record, gaps, kept_from


def _message_time(view: _Session, place: int) -> int | None:
    return view.session.messages[place].time_created


def _result(written: Sequence[StoredMessage]) -> tuple[str, str | None, str | None]:
    """Outcome, summary and error of the summary messages of one compaction.

    An `error` on a summary is a failed compaction (formats 1.6); Gym counts one with text as completed, and one without
    as unknown; a summary that was never completed (a kill) is unknown too.
    """
    texts = [part.text for message in written for part in message.parts if part.type == "text" and part.text]
    summary = "\n".join(texts) if any(text.strip() for text in texts) else None
    for message in written:
        if message.error is not None:
            return "failed", summary, message.error.message or message.error.name
    if summary is not None and all(message.time_completed is not None for message in written):
        return "completed", summary, None
    return "unknown", summary, None


def _tail(view: _Session, place: int, tail_id: str | None) -> tuple[str | None, int | None, int]:
    """First kept item, first kept turn and index of the first kept message (CONTRACT 4.5)."""
    if tail_id is None or tail_id not in view.index:
        return None, view.turn_after(place + 1), place
    start = view.index[tail_id]
    return view.first_items.get(tail_id), view.turn_after(start), start


def _orphan(view: _Session, message: StoredMessage) -> Compaction:
    place = view.index[message.id]
    outcome, summary, error = _result((message,))
    return Compaction(
        id=message.id,
        trigger=None,
        outcome=outcome,
        summary=summary,
        first_kept_turn=view.turn_after(place + 1),
        after_turn=view.turn_before(place),
        error=error,
        started_at=iso(message.time_created),
        summary_message_ids=(message.id,),
        reverted=place >= view.reverted_from,
        extra={"note": "a summary message whose parent holds no compaction part"},
    )
