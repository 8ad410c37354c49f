"""Where the scored text stands in the conversation, so that it carries its badge in every lens."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Compaction, Invocation, Rollout, Turn

BADGE = "◆ scored"


@dataclass(frozen=True, slots=True)
class ScoredMark:
    """The place of the graded item. All fields None: the record does not say who wrote it."""

    invocation: str | None = None
    turn: int | None = None
    pieces: frozenset[str] = frozenset()
    """Ids of the answer pieces that make up the graded text."""
    compaction: str | None = None
    """Id of the compaction whose summary is the graded text."""

    def at_turn(self, invocation: str, number: int) -> bool:
        """Tell whether the graded text was written in this turn."""
        return self.turn == number and self.invocation == invocation and self.compaction is None

    @property
    def placed(self) -> bool:
        """Tell whether the graded text was found in the conversation."""
        return bool(self.pieces) or self.compaction is not None


def unclaimed(shown: str) -> str:
    """Return visible foreign text so that it cannot claim the badge: `◆ scored` in it gets the form of `foreign`."""
    return shown.replace(BADGE, f"⟨U+25C6⟩{BADGE[1:]}") if BADGE in shown else shown


def find_turn(invocation: Invocation | None, number: int | None) -> Turn | None:
    """Return the turn with this number; numbers usually are positions."""
    if invocation is None or number is None:
        return None
    turns = invocation.turns
    if 0 < number <= len(turns) and turns[number - 1].number == number:
        return turns[number - 1]
    return next((turn for turn in turns if turn.number == number), None)


def find_invocation(rollout: Rollout, ident: str | None) -> Invocation | None:
    """Return the invocation with this id; the root for None."""
    if ident is None:
        return rollout.root
    known = _Latest.invocations
    if known is None or known[0] is not rollout:
        known = _Latest.invocations = (rollout, {one.id: one for one in reversed(rollout.invocations)})
    return known[1].get(ident)


class _Latest:
    """Of the rollout that was asked for last: every section asks, and looking takes all conversations."""

    marked: tuple[Rollout, ScoredMark | None] | None = None
    invocations: tuple[Rollout, dict[str, Invocation]] | None = None


def scored_mark(rollout: Rollout) -> ScoredMark | None:
    """Return where the graded text stands, or None when nothing was there to grade.

    It is found by the ids and the place that the scored reading gives, and else only by the very same text in the
    root's last turn: a guess would be worse than none.
    """
    latest = _Latest.marked
    if latest is None or latest[0] is not rollout:
        latest = _Latest.marked = (rollout, _find_mark(rollout))
    return latest[1]


def _find_mark(rollout: Rollout) -> ScoredMark | None:
    scored = rollout.scored
    if scored.final_text is None and scored.final_index is None:
        return None
    ids = {scored.origin.item_id, scored.final_item_id} - {None}
    home = find_invocation(rollout, scored.origin.invocation)
    summary = _summary_of(home, ids, scored.final_text, scored.origin.turn)
    if home is not None and summary is not None:
        return ScoredMark(home.id, scored.origin.turn, compaction=summary.id)
    turn = find_turn(home, scored.origin.turn)
    if home is not None and turn is not None:
        return ScoredMark(home.id, turn.number, _pieces_of(turn, ids, scored.final_text))
    root = rollout.root
    if root is not None and root.turns and scored.origin.turn is None and scored.final_text:
        last = root.turns[-1]
        if last.answer_text == scored.final_text:
            return ScoredMark(root.id, last.number, _pieces_of(last, ids, scored.final_text))
    return ScoredMark()


def _pieces_of(turn: Turn, ids: set[str | None], text: str | None) -> frozenset[str]:
    said = [piece for piece in turn.answer if piece.text.strip()]
    if text is not None and len(said) > 1 and turn.answer_text == text:
        return frozenset(piece.id for piece in said)
    by_id = [piece.id for piece in turn.answer if piece.id in ids]
    by_text = [piece.id for piece in turn.answer if piece.text == text]
    return frozenset((by_id or by_text)[-1:])


def _summary_of(home: Invocation | None, ids: set[str | None], text: str | None, turn: int | None) -> Compaction | None:
    if home is None:
        return None
    for compaction in home.compactions:
        if ids & set(compaction.summary_message_ids) or (turn is None and text and compaction.summary == text):
            return compaction
    return None
