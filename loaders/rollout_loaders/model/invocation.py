"""One agent or subagent conversation: turns, compactions, abandoned branches, and both raw readings of it."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .item import Item
from .jsontypes import JsonObject
from .turn import InputMessage, Turn


@dataclass(frozen=True, slots=True)
class StoredPart:
    """One part as the harness wrote it: the `stored` lens. `data` is verbatim, nothing taken out."""

    id: str
    message_id: str
    type: str
    data: JsonObject
    locator: str | None = None
    """Where it lies in the file: `part:prt_…`, `L17`, `message_end L12 block 0`."""
    role: str | None = None
    """Role of its message, where the record has one."""
    turn: int | None = None
    """`Turn.number` of its message; None for what is in no turn."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """A place where the context was summarised (gym-semantics 3.5, 4.4; formats 2.2)."""

    id: str
    trigger: str | None
    """`overflow`, `automatic`, `manual`, `threshold`, or as recorded."""
    outcome: str
    """`completed`, `failed`, `aborted` or `unknown` (started, never closed)."""
    summary: str | None = None
    """The text that replaced what was taken out; None where none is recorded."""
    tokens_before: int | None = None
    """Tokens of the context before it, as `tokens_after`."""
    tokens_after: int | None = None
    first_kept_item_id: str | None = None
    """The first item that stayed as it was (CONTRACT 4.5); None where the record leaves it open."""
    first_kept_turn: int | None = None
    """Number of the first turn that stayed or came after it; None where there is none, or the record leaves it open."""
    after_turn: int | None = None
    """Number of the last turn before it; 0 when it stands before the first turn."""
    error: str | None = None
    started_at: str | None = None
    """ISO 8601 UTC."""
    summary_message_ids: tuple[str, ...] = ()
    lone_end: bool = False
    """A Pi `compaction_end` without its `compaction_start` (gym-semantics 5.4 F)."""
    reverted: bool = False
    kept_nothing: bool = False
    """The record says that the summary stands for everything before it, also where no turn follows."""
    extra: JsonObject = field(default_factory=lambda: {})

    @property
    def leaves_open(self) -> bool:
        """Whether it took turns out of the context and the record does not say which of those before it stayed."""
        return self.outcome == "completed" and self.first_kept_turn is None and not self.kept_nothing


@dataclass(frozen=True, slots=True)
class Branch:
    """An abandoned branch of a Pi session tree: reachable, in no total."""

    id: str
    forked_at: str | None
    """Entry id that both branches share last."""
    leaf: str
    """Entry id of its last entry."""
    summary: str | None
    """What Pi wrote about it when it was left."""
    turns: tuple[Turn, ...]
    parts: tuple[StoredPart, ...] = ()
    trailing_input: tuple[InputMessage, ...] = ()
    """What came in on it after its last turn and was never answered there."""


@dataclass(frozen=True, slots=True)
class SessionPath:
    """Where a Pi session file beside it puts the turns of a log, which has them in line and no tree (formats 2.5)."""

    on_path: frozenset[int]
    """Numbers of the log's turns on the path to the session's last entry."""
    abandoned: frozenset[int]
    """Those on branches that were left. A turn in neither could not be found in the file."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One conversation. Root first, then by (time_created, id) (CONTRACT 3)."""

    id: str
    parent_id: str | None = None
    spawned_by: str | None = None
    """`call_id` of the tool call in the parent that started it."""
    status: str = "unknown"
    """`completed`, `incomplete`, `failed` or `unknown`, by its own last message (gym-semantics 4.4, 5.2)."""
    title: str | None = None
    turns: tuple[Turn, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    branches: tuple[Branch, ...] = ()
    session_path: SessionPath | None = None
    """Set where this was read from a log, and the session file beside it has the same turns or abandoned branches."""
    trailing_input: tuple[InputMessage, ...] = ()
    """What came in after the last turn and was never answered."""
    items: tuple[Item, ...] = ()
    """The observed conversation, Responses-shaped (`--items`)."""
    parts: tuple[StoredPart, ...] = ()
    """Every part in store order (`--parts`)."""
    agent: str | None = None
    started_at: str | None = None
    """ISO 8601 UTC."""
    extra: JsonObject = field(default_factory=lambda: {})
