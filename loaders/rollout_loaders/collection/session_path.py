"""What the session file beside a Pi log says of the log's turns: a log has abandoned branches in line (formats 2.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Invocation, Rollout, SessionPath, Turn

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Tree:
    """The turns of one Pi artifact as keys that a log and a session file of one run share; no text is kept."""

    path: tuple[int, ...] = ()
    abandoned: tuple[int, ...] = ()
    branches: int = 0
    """Abandoned branches that hold a turn or something that came in."""
    unanswered: bool = False
    """Something came in on a branch that was left before a reply: in a log it stands before a turn of another one."""


def tree_of(root: Invocation | None) -> Tree:
    """The tree of a conversation."""
    if root is None:
        return Tree()
    branches = [branch for branch in root.branches if branch.turns or branch.trailing_input]
    return Tree(
        tuple(_key(turn) for turn in root.turns),
        tuple(_key(turn) for branch in branches for turn in branch.turns),
        len(branches),
        any(branch.trailing_input for branch in branches),
    )


def placed(log: Rollout, file: Tree) -> Rollout:
    """A rollout read from a log, with where the session file puts its turns; as it was where it has other turns.

    Turns that the file has on abandoned branches are out of the context at the end where it accounts for all of the
    log; else what the context held is open. So it is with a compaction: it may stand on a branch that was left.
    """
    root = log.root
    if root is None:
        return log
    if not file.branches:
        same = file.path and file.path == tuple(_key(turn) for turn in root.turns if not turn.partial)
        path = SessionPath(frozenset(turn.number for turn in root.turns), frozenset())
        return replace(log, invocations=(replace(root, session_path=path), *log.invocations[1:])) if same else log
    path = _path(root.turns, file)
    finished = frozenset(turn.number for turn in root.turns if not turn.partial)
    found = path.on_path | path.abandoned
    whole = found == finished and len(found) == len(file.path) + len(file.abandoned) and not root.compactions
    turns = tuple(_held(turn, path, whole) for turn in root.turns)
    return replace(log, invocations=(replace(root, turns=turns, session_path=path), *log.invocations[1:]))


def sentence(log: Rollout, shown: str, file: Tree, file_shown: str) -> str:
    """What the two artifacts say of the same session; `log` is one that `placed` gave."""
    turns = () if log.root is None else log.root.turns
    path = None if log.root is None else log.root.session_path
    numbers = sorted(path.abandoned) if path is not None else []
    named = ", ".join(map(str, numbers[:_NAMED])) + (", …" if len(numbers) > _NAMED else "")
    of_log = f" (in the log: {'turn' if len(numbers) == 1 else 'turns'} {named})" if numbers else ""
    branches = "an abandoned branch" if file.branches == 1 else f"{file.branches:,} abandoned branches"
    held = f"with {_turns(len(file.abandoned))}{of_log}" if file.abandoned else "with input that was never answered"
    return (
        f"{shown} has {_turns(len(turns))} in a row, {file_shown} has {_turns(len(file.path))} on its path and records "
        f"{branches} {held}."
    )


def _path(turns: Sequence[Turn], file: Tree) -> SessionPath:
    if file.unanswered:
        return SessionPath(frozenset(), frozenset())
    keys = {turn.number: _key(turn) for turn in turns if not turn.partial}
    in_log, in_file = Counter(keys.values()), Counter((*file.path, *file.abandoned))
    alone = {number: key for number, key in keys.items() if in_log[key] == 1 and in_file[key] == 1}
    on_path, abandoned = set(file.path), set(file.abandoned)
    return SessionPath(
        frozenset(number for number, key in alone.items() if key in on_path),
        frozenset(number for number, key in alone.items() if key in abandoned),
    )


def _held(turn: Turn, path: SessionPath, whole: bool) -> Turn:
    if whole and turn.number not in path.abandoned:
        return turn
    value = False if whole else None
    inputs = tuple(replace(message, in_context_at_end=value) for message in turn.input)
    # A refused reply is in no context, on whatever path (formats 2.5).
    return replace(turn, input=inputs, in_context_at_end=False if turn.finish == "error" else value)


def _key(turn: Turn) -> int:
    """The same for one reply in a log and in a session file: its time and wire id, and what it says."""
    calls = tuple(call.call_id for call in turn.tool_calls)
    response = str(turn.extra.get("response_id"))
    return hash((turn.started_at, response, turn.finish, turn.reasoning_text, turn.answer_text, calls))


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count:,} turns"
