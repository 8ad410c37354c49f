"""Reader of Pi session files, version 3: a tree of entries, its leaf the last line (formats 2.5, CONTRACT 4.8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rollout_loaders.bounds import PARTS
from rollout_loaders.convert.pi_turns import PiConversation
from rollout_loaders.model import Branch, Diagnostic, JsonObject, Rollout, StoredPart
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .line_records import BOM, records
from .logged_file import LoggedFile, refuse_forced_split
from .pi_compactions import PiCompactions
from .pi_entries import PathFold, header_of, parent_of
from .pi_evidence import pi_log_of
from .pi_rollout import STATUSES, PiRun, compose, rollout_id
from .pi_tree import EntryTree, Fork

ENTRY_TYPES = frozenset(
    {
        "message",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "session_info",
        "model_change",
        "thinking_level_change",
        "context_edit",
    }
)
_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"(\w+)"')
_FILE_NAME = re.compile(r"_[0-9a-f]{8}-[0-9a-f-]{27}\.jsonl$")


class PiSessionReader:
    """The format `pi-session`."""

    name = "pi-session"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the first lines: the session header and entries with a `parentId`."""
        header = False
        for raw in head.split(b"\n")[:20]:
            found = _TYPE.match(raw.removeprefix(BOM))
            if found is None:
                continue
            kind = found[1].decode()
            if kind == "session" and b'"cwd"' in raw:
                header = True
            elif b'"parentId"' in raw and (header or kind in ENTRY_TYPES):
                return Confidence.CERTAIN if header else Confidence.LIKELY
            else:
                return Confidence.NO
        if not header:
            return Confidence.NO
        return Confidence.CERTAIN if _FILE_NAME.search(path.name) else Confidence.MAYBE

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Raises `ReadError` where the think split is forced on (CONTRACT 4.2)."""
        refuse_forced_split(shown, options, "Pi's")
        return LoggedFile(path, shown, self.name, options, rollouts)


def rollouts(path: Path, shown: str, options: ReadOptions, left_over: list[Diagnostic]) -> Iterator[Rollout]:
    """The one rollout of a session file; none, and `left_over`, for a file without any readable line."""
    session = _Session(path)
    session.read()
    if session.header is None and not session.tree.entries:
        left_over.extend(session.diagnostics)
        return
    yield _rollout(session, shown, options)


class _Session:
    """The lines of a session file as a tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: JsonObject | None = None
        self.tree = EntryTree()
        self.diagnostics: list[Diagnostic] = []
        self.damaged: list[StoredPart] = []

    def read(self) -> None:
        most = PARTS.value
        for record in records(self.path, self.diagnostics, kind="session entry"):
            if record.number > most:
                raise PARTS.beyond(str(self.path), "the number of entries")
            if record.data is not None:
                self._entry(record.data, record.number)
            elif record.part is not None:
                self.damaged.append(record.part)

    def _entry(self, data: JsonObject, line: int) -> None:
        if header_of(data) and self.header is None:
            self.header = data
            return
        entries = self.tree.entries
        previous = entries[-1].id if entries else None
        entry_id = fields.text(data, "id") or f"L{line}"
        kind = fields.text(data, "type") or "unknown"
        problem = self.tree.add(entry_id, kind, line, parent_of(data, previous), data)
        if problem is not None:
            self.diagnostics.append(Diagnostic("parent-missing", problem, f"L{line}"))


def _rollout(session: _Session, shown: str, options: ReadOptions) -> Rollout:
    header = session.header or {}
    session_id = fields.text(header, "id")
    tree = session.tree
    path = tree.leaf_path()
    owner = rollout_id(session.path, session_id)
    fold = PathFold(PiConversation(owner))
    after: dict[int, tuple[int, int]] = {-1: (0, 0)}
    _walk(fold, tree, path, after)
    branches = _branches(tree, tree.forks(path), owner, after)
    conversation = fold.conversation
    pi = pi_log_of(conversation, PiCompactions(), (), ended=True, is_session_file=True)
    head = [] if session.header is None else [StoredPart("L1", "L1", "session", session.header, locator="L1")]
    run = PiRun(
        path=session.path,
        shown=shown,
        format="pi-session",
        session_id=session_id,
        pi=pi,
        parts=(*head, *fold.parts, *session.damaged),
        diagnostics=tuple(session.diagnostics),
        gaps=tuple(fold.gaps),
        branches=branches,
        title=fold.title,
        started_at=fields.text(header, "timestamp"),
        status=STATUSES.get(pi.stop_reason or "", "unknown"),
        model=fold.model,
        provider=fold.provider,
        extra={} if session.header is None else {"session": session.header},
    )
    return compose(run, conversation, options)


def _walk(fold: PathFold, tree: EntryTree, path: tuple[int, ...], after: dict[int, tuple[int, int]]) -> None:
    """Feed a path, noting after each entry how many turns and items there were: a branch goes on from there."""
    for index in path:
        fold.feed((tree.entries[index],))
        after[index] = (fold.conversation.turn_count, fold.conversation.output.count)


def _branches(
    tree: EntryTree, forks: tuple[Fork, ...], owner: str, after: dict[int, tuple[int, int]]
) -> tuple[Branch, ...]:
    summaries = _summaries(tree, forks)
    branches: list[Branch] = []
    for fork in forks:
        turns_before, items_before = after.get(fork.at, (0, 0))
        fold = PathFold(PiConversation(owner, turns_before=turns_before, items_before=items_before))
        _walk(fold, tree, fork.entries, after)
        leaf = tree.entries[fork.leaf]
        branches.append(
            Branch(
                id=leaf.id,
                forked_at=tree.entries[fork.at].id if fork.at >= 0 else None,
                leaf=leaf.id,
                summary=summaries.get(fork.leaf),
                turns=fold.conversation.turns(),
                parts=tuple(fold.parts),
                trailing_input=fold.conversation.trailing_input(),
            )
        )
    return tuple(branches)


def _summaries(tree: EntryTree, forks: tuple[Fork, ...]) -> dict[int, str]:
    """Which branch a `branch_summary` tells of: `fromId` since 0.86.1.

    Older releases wrote the target there again, so the branch that was left is the one that the line before belongs to
    (formats 2.5, `14d`).
    """
    owner = {index: fork.leaf for fork in forks for index in fork.entries}
    found: dict[int, str] = {}
    for index, entry in enumerate(tree.entries):
        summary = fields.text(entry.data, "summary")
        if entry.type != "branch_summary" or summary is None:
            continue
        origin = fields.text(entry.data, "fromId")
        left = index - 1 if origin == fields.text(entry.data, "parentId") else tree.index_of(origin)
        leaf = None if left is None else owner.get(left)
        if leaf is not None:
            found.setdefault(leaf, summary)
    return found


READER = PiSessionReader()
