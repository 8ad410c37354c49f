"""What stood at the end of an OpenCode run, beside the message that decides: one sentence for each (issue 3, outcome).

A failed or unfinished compaction, a denied permission, a reverted tail, a kill: each leaves a last message that reads
like an ordinary one.
"""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.convert.denial import denied_calls
from rollout_loaders.model import Compaction, Invocation, Place, Reason, Rollout, Turn


def end_of_run(rollout: Rollout, *, completed: bool, has_error: bool, message_id: str | None) -> Iterator[Reason]:
    """The sentences, in the order in which a reviewer would ask. The flags are those of the deciding message."""
    root = rollout.root
    if root is None:
        return
    last = root.turns[-1] if root.turns else None
    number = 0 if last is None else last.number
    yield from (_compaction(root, one) for one in root.compactions if _at_the_end(one, number))
    if last is not None:
        yield from _last_turn(root, last)
    if message_id is not None and not completed and not has_error:
        yield Reason(
            f"message {message_id} was never completed: the run was killed, or still going when the store was copied",
            Place(root.id, None, message_id),
            f"message:{message_id}",
        )


def _at_the_end(compaction: Compaction, last_turn: int) -> bool:
    """Failed or unfinished, with no turn after it."""
    ended = compaction.outcome in ("failed", "unknown") and not compaction.reverted and not compaction.lone_end
    return ended and compaction.after_turn is not None and compaction.after_turn >= last_turn


def _compaction(root: Invocation, compaction: Compaction) -> Reason:
    if compaction.outcome == "failed":
        said = "failed, and OpenCode stops there: the text before it is no answer to the task"
    else:
        said = "was never finished: the run stopped in it"
    place = Place(root.id, compaction.after_turn or None, compaction.id)
    return Reason(f"the compaction after turn {compaction.after_turn} {said}", place, f"part:{compaction.id}")


def _last_turn(root: Invocation, turn: Turn) -> Iterator[Reason]:
    denied = denied_calls(turn)
    if denied:
        names = ", ".join(dict.fromkeys(call.name for call in denied))
        yield Reason(
            f"permission to run {names} was denied in turn {turn.number}: OpenCode stops after such a step, so no "
            "answer follows",
            Place(root.id, turn.number, denied[0].id),
            f"part:{denied[0].id}",
        )
    if turn.reverted:
        yield Reason(
            f"turn {turn.number} is reverted: the model no longer sees it, the store keeps it, and it still decides",
            Place(root.id, turn.number),
            f"message:{turn.message_id}",
        )
