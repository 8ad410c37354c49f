"""Reading the list: in batches while nothing is there, as a whole when a file that is followed grew."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from textual import on
from textual.message import Message
from textual.screen import Screen

from rollout_inspector.following import FileWatch, merged
from rollout_inspector.loading import EarlySource, FollowedSource, MeasuredSource, RolloutSource
from rollout_inspector.messages import ReadingEnded, RowsRead, SourceOpened
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.panes.rowtable import RowTable
from rollout_inspector.working import cancellation, in_background
from rollout_loaders.cycles import keep
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import RolloutSummary
from rollout_views.foreign import visible_line

from .arrangement import Arrangement
from .rollouttable import columns
from .rowstore import RowStore

if TYPE_CHECKING:
    from rollout_inspector.app import InspectorApp

_FIRST_ROWS = 40
"""The first batch is small: rows should stand on screen before anything else happens."""
_BATCH_SECONDS = 0.1
_BREATH = 0.001
"""The reading thread sleeps this long between batches: Python runs one thread at a time, and keys must answer."""
_REARRANGE_SECONDS = 1.0
_FOLLOW_SECONDS = 1.0
_FIRST_DRAWN_SECONDS = 0.25
"""The reading thread waits at most this long until the first rows stand on screen."""
_OPENING = ("rollout_loaders.evidence.completion", "rollout_inspector.screens.rollout")
_SWITCH_SECONDS = 0.001
"""Python gives a waiting thread its turn after this long (5 ms by itself): a key must not wait for the reader."""


class BrowseReading(Screen[None]):
    """Rows, and how they come to be there."""

    @dataclass
    class Followed(Message):
        """The files changed and were read again, or rows are called otherwise than at first."""

        source: RolloutSource | None
        rows: list[RolloutSummary]
        problem: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.store = RowStore()
        self.columns = columns(self.store.names)
        self.arrangement = Arrangement({column.key: column.sort_key for column in self.columns})
        self.reading = False
        self.progress: tuple[str, float] | None = None
        """The file that is being read, and how much of it has been, where that is known."""
        self.problem: str | None = None
        self.arranged_at = 0.0
        self._first_drawn = threading.Event()

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    @property
    def rows(self) -> list[RolloutSummary]:
        """Every rollout that was read."""
        return self.store.rows

    @property
    def table(self) -> RowTable[RolloutSummary]:
        """The table."""
        return cast("RowTable[RolloutSummary]", self.query_one("#rows"))

    @property
    def prompt(self) -> PromptBar:
        """The bottom line."""
        return self.query_one(PromptBar)

    # What the list does with rows

    def list_again(self, *, keep: bool) -> None:
        """Filter, sort and group again; the cursor stays on its rollout."""
        raise NotImplementedError

    def say_title(self) -> None:
        """Say what is open and how much of it was read."""
        raise NotImplementedError

    def after_reading(self) -> None:
        """Everything is there: fit, arrange, and say what is missing."""
        raise NotImplementedError

    # Following

    @in_background("follow")
    def follow(self) -> None:
        """Look for changes once a second, and read again when there are some; what is on screen stays meanwhile."""
        is_cancelled = cancellation()
        watch = FileWatch(self.inspector.paths)
        while not is_cancelled():
            time.sleep(_FOLLOW_SECONDS)
            source = self.inspector.source
            if is_cancelled() or self.reading:
                continue
            try:
                if isinstance(source, FollowedSource):
                    change = source.poll()
                    if change is None:
                        continue
                    rows = merged(list(self.rows), change)
                elif watch.changed():
                    source = self.inspector.opener()
                    rows = list(source.summaries())
                else:
                    continue
            except Exception as error:  # It may be half written: one line, and the next look tries again.
                self.post_message(self.Followed(None, [], visible_line(str(error))))
                continue
            self.post_message(self.Followed(source, rows))

    @on(Followed)
    def _followed(self, event: Followed) -> None:
        if event.source is None:
            self.prompt.say(event.problem, problem=True)
            return
        table = self.table
        at_end = len(self.rows) > 1 and table.cursor >= len(table.lines) - 1
        here = _identity(self.rows[table.row]) if table.row is not None else None
        chosen = {_identity(self.rows[row]) for row in table.selected}
        self.inspector.source = event.source
        self.store.clear()
        self.store.add(event.rows)
        table.selected = {index for index, row in enumerate(self.rows) if _identity(row) in chosen}
        self.list_again(keep=False)
        places = {_identity(row): index for index, row in enumerate(self.rows)}
        if at_end:
            table.move_cursor(len(table.lines) - 1)
        elif here in places:
            table.move_to_row(places[here])
        self.say_title()
        self.rows_changed(places)

    def rows_changed(self, places: Mapping[tuple[str, str], int]) -> None:
        """The files changed and were read again; `places` are the rows by path and id."""

    # Reading

    def read(self) -> None:
        """Read everything, from the start."""
        self.store.clear()
        self.problem = None
        self.reading = True
        self.say_title()
        self._read()

    @in_background("read")
    def _read(self) -> None:
        is_cancelled = cancellation()
        sys.setswitchinterval(_SWITCH_SECONDS)
        problem: str | None = None
        batch: list[RolloutSummary] = []
        try:
            source = self.inspector.opener()
            self.post_message(SourceOpened(source))
            measured = source if isinstance(source, MeasuredSource) else None
            sent = 0
            last = time.monotonic()
            for summary in source.early() if isinstance(source, EarlySource) else source.summaries():
                if is_cancelled():
                    return
                batch.append(summary)
                if (not sent and len(batch) >= _FIRST_ROWS) or time.monotonic() - last > _BATCH_SECONDS:
                    self.post_message(RowsRead(batch, None if measured is None else measured.progress))
                    if not sent:
                        self._first_drawn.wait(_FIRST_DRAWN_SECONDS)
                        get_ready()
                    sent += len(batch)
                    batch = []
                    time.sleep(_BREATH)
                    last = time.monotonic()
            if isinstance(source, EarlySource) and source.renamed:
                self.post_message(self.Followed(source, list(source.summaries())))
                batch = []
        except Exception as error:  # Whatever a reader raises becomes one line, never a traceback.
            problem = visible_line(str(error)) or type(error).__name__
        if not is_cancelled():
            self.post_message(RowsRead(batch))
            self.post_message(ReadingEnded(problem))
            get_ready()
            keep()  # what was read stays: looking through it for cycles would hold up a key

    @on(SourceOpened)
    def _source_opened(self, event: SourceOpened) -> None:
        self.inspector.source = event.source

    @on(RowsRead)
    def _rows_read(self, event: RowsRead) -> None:
        first = not self.rows
        if first:
            self._show_table()
            self.call_after_refresh(self._first_drawn.set)
        self.store.add(event.rows)
        self.progress = event.progress
        if event.rows and (first or self.arrangement.plain):
            self.table.show(self.rows, self.arrangement.lines(self.rows))
        # Order, filter and sums over all rows cost time for each row: not with every batch.
        if event.rows and (first or time.monotonic() - self.arranged_at > _REARRANGE_SECONDS):
            self.list_again(keep=not first)
        self.say_title()

    def _show_table(self) -> None:
        if self.has_class("-waiting"):
            self.remove_class("-waiting")
            if self.focused is None:
                self.table.focus()

    @on(ReadingEnded)
    def _reading_ended(self, event: ReadingEnded) -> None:
        self._show_table()
        self.reading, self.progress = False, None
        self.problem = event.problem
        self.after_reading()
        if event.problem:
            self.prompt.say(event.problem, problem=True)
        elif event.cancelled:
            self.prompt.say(f"stopped reading after {len(self.rows):,} rollouts; R reads again")
        self.all_read()

    def all_read(self) -> None:
        """Everything was read; what follows is for the screen to say."""


def get_ready() -> None:
    """Import what opening a rollout needs, while nobody waits for it."""
    for module in _OPENING:
        importlib.import_module(module)


def _identity(row: RolloutSummary) -> tuple[str, str]:
    return row.source.path, row.id
