"""The frame of the list: how rows get into it, which of them are shown."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from rollout_inspector.following import FileWatch
from rollout_inspector.loading import RolloutSource
from rollout_inspector.messages import ReadingEnded, RowsRead, SourceOpened
from rollout_inspector.panes.filterline import FilterLine
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.panes.rowtable import RowTable
from rollout_inspector.working import cancel, cancellation, in_background
from rollout_loaders.model import Rollout, RolloutSummary
from rollout_views.filtering import Filter
from rollout_views.foreign import visible_line
from rollout_views.task_groups import TaskGroup

from .arrangement import Arrangement
from .filtersuggester import FilterSuggester
from .listsummary import detail_words, list_words, name_of
from .rollouttable import columns
from .rowstore import Queue, RowStore

if TYPE_CHECKING:
    from rollout_inspector.app import InspectorApp

_FIRST_ROWS = 40
"""The first batch is small: rows should stand on screen before anything else happens."""
_BATCH_SECONDS = 0.1
_BREATH = 0.001
"""The reading thread sleeps this long between batches: Python runs one thread at a time, and keys must answer."""
_REARRANGE_SECONDS = 1.0
_FOLLOW_SECONDS = 1.0
_DEBOUNCE = 0.15
_FIRST_DRAWN_SECONDS = 0.25
"""The reading thread waits at most this long until the first rows stand on screen."""
_SWITCH_SECONDS = 0.001
"""Python gives a waiting thread its turn after this long (5 ms by itself): a key must not wait for the reader."""
_FILTER_EXAMPLE = "reward<1 outcome:failed finding:empty-final-answer turns>20 tool:bash"

HINTS = [
    ("enter", "open"), ("f", "filter"), ("< >", "sort by"), ("s", "reverse"), ("t", "group"), ("/", "search"),
    ("space", "select"), ("m d", "compare"), ("?", "help"), ("q", "quit"),
]  # fmt: skip


class BrowseFrame(Screen[None]):
    """A table of rollouts with a filter above it."""

    CSS_PATH = "browse.tcss"

    @dataclass
    class RowsFiltered(Message):
        """The worker asked a filter on whole rollouts about more rows."""

        asked: Filter
        passed: set[int]
        looked: int
        problems: int

    @dataclass
    class Followed(Message):
        """The files changed and were read again."""

        source: RolloutSource | None
        rows: list[RolloutSummary]
        problem: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.store = RowStore()
        self.columns = columns(self.store.names)
        self.arrangement = Arrangement({column.key: column.sort_key for column in self.columns})
        self.reading = False
        self.problem: str | None = None
        self._first_drawn = threading.Event()
        self._arranged_at = 0.0
        self._pause: Timer | None = None

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Title, filter, summary, table, detail, hints."""
        yield LineBar(id="title")
        yield FilterLine(_FILTER_EXAMPLE, FilterSuggester(self), id="filterline")
        yield LineBar(id="summary")
        yield RowTable(self.columns, id="rows")
        yield LineBar(id="detail")
        yield PromptBar(id="prompt")

    @property
    def rows(self) -> list[RolloutSummary]:
        """Every rollout that was read."""
        return self.store.rows

    @property
    def table(self) -> RowTable[RolloutSummary]:
        """The table."""
        return cast("RowTable[RolloutSummary]", self.query_one("#rows"))

    @property
    def filter_line(self) -> FilterLine:
        """The filter."""
        return self.query_one(FilterLine)

    @property
    def prompt(self) -> PromptBar:
        """The bottom line."""
        return self.query_one(PromptBar)

    def on_mount(self) -> None:
        """Start reading."""
        self.prompt.hint(HINTS)
        self.table.focus()
        if self.inspector.keymap_problem:
            self.prompt.say(self.inspector.keymap_problem, problem=True)
        self.read()
        if self.inspector.follow:
            self._follow()

    # Following

    @in_background("follow")
    def _follow(self) -> None:
        """Look for changes once a second, and read again when there are some; what is on screen stays meanwhile."""
        is_cancelled = cancellation()
        watch = FileWatch(self.inspector.paths)
        while not is_cancelled():
            time.sleep(_FOLLOW_SECONDS)
            if is_cancelled() or self.reading or not watch.changed():
                continue
            try:
                source = self.inspector.opener()
                rows = list(source.summaries())
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
        self._say_title()
        self.rows_changed(places)

    def rows_changed(self, places: Mapping[tuple[str, str], int]) -> None:
        """The files changed and were read again; `places` are the rows by path and id."""

    # Reading

    def read(self) -> None:
        """Read everything, from the start."""
        self.store.clear()
        self.problem = None
        self.reading = True
        self._say_title()
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
            sent = 0
            last = time.monotonic()
            for summary in source.summaries():
                if is_cancelled():
                    return
                batch.append(summary)
                if (not sent and len(batch) >= _FIRST_ROWS) or time.monotonic() - last > _BATCH_SECONDS:
                    self.post_message(RowsRead(batch))
                    if not sent:
                        self._first_drawn.wait(_FIRST_DRAWN_SECONDS)
                    sent += len(batch)
                    batch = []
                    time.sleep(_BREATH)
                    last = time.monotonic()
        except Exception as error:  # Whatever a reader raises becomes one line, never a traceback.
            problem = visible_line(str(error)) or type(error).__name__
        if not is_cancelled():
            self.post_message(RowsRead(batch))
            self.post_message(ReadingEnded(problem))

    @on(SourceOpened)
    def _source_opened(self, event: SourceOpened) -> None:
        self.inspector.source = event.source

    @on(RowsRead)
    def _rows_read(self, event: RowsRead) -> None:
        first = not self.rows
        if first:
            self.call_after_refresh(self._first_drawn.set)
        self.store.add(event.rows)
        if event.rows and (first or self.arrangement.plain):
            self.table.show(self.rows, self.arrangement.lines(self.rows))
        # Order, filter and sums over all rows cost time for each row: not with every batch.
        if event.rows and (first or time.monotonic() - self._arranged_at > _REARRANGE_SECONDS):
            self.list_again(keep=not first)
        self._say_title()

    @on(ReadingEnded)
    def _reading_ended(self, event: ReadingEnded) -> None:
        self.reading = False
        self.problem = event.problem
        self.table.empty = "" if self.rows else self._why_empty()
        self.table.fit_again()
        self.list_again(keep=True)
        if self.arrangement.slow:
            self._filter_again()
        self._say_title()
        if event.problem:
            self.prompt.say(event.problem, problem=True)
        elif event.cancelled:
            self.prompt.say(f"stopped reading after {len(self.rows):,} rollouts; R reads again")
        self.all_read()

    def all_read(self) -> None:
        """Everything was read; what follows is for the screen to say."""

    def _why_empty(self) -> str:
        if self.problem:
            return self.problem
        source = self.inspector.source
        diagnostics = source.diagnostics if source is not None else ()
        first = f": {diagnostics[0].message}" if diagnostics else ""
        return f"no rollout in {self.inspector.shown_paths}{first}"

    # Arranging

    def list_again(self, *, keep: bool) -> None:
        """Filter, sort and group again; the cursor stays on its rollout."""
        table = self.table
        row = table.row if keep else None
        lines = self.arrangement.lines(self.rows)
        table.sorted_by = self.arrangement.sorted_by
        if not lines and self.rows:
            table.empty = "no rollout passes the filter; esc takes it away"
        table.show(self.rows, lines)
        if row is not None:
            table.move_to_row(row)
        shown = lines if isinstance(lines, range) else [line for line in lines if isinstance(line, int)]
        self.inspector.queue = Queue(self.rows, shown)
        self._arranged_at = time.monotonic()
        self._say_summary()
        self.say_detail()

    def _say_title(self) -> None:
        words = [
            Word("rollout-inspect", "bar--muted"),
            Word(self.inspector.shown_paths, "bar--strong", True, keep_end=True),
        ]
        count = f"{len(self.rows):,} rollout{'' if len(self.rows) == 1 else 's'}"
        tasks = self.store.task_count
        words.append(Word(count + (f" · {tasks:,} tasks" if 1 < tasks < len(self.rows) else "")))
        if self.reading:
            words.append(Word("reading… (esc stops)", "bar--warning"))
        elif self.inspector.follow:
            words.append(Word("following", "bar--good"))
        source = self.inspector.source
        if not self.reading and source is not None and source.diagnostics:
            number = len(source.diagnostics)
            words.append(Word(f"{number} diagnostic{'' if number == 1 else 's'} (D)", "bar--warning"))
        self.query_one("#title", LineBar).say(words, [Word("? help", "bar--muted")])

    def _say_summary(self) -> None:
        arrangement = self.arrangement
        shown = len(self.inspector.queue)
        note = ""
        if arrangement.problem:
            note = arrangement.problem
        elif arrangement.slow and arrangement.looked < len(self.rows):
            note = f"{shown:,} so far; read {arrangement.looked:,} of {len(self.rows):,}"
        elif arrangement.query:
            note = f"{shown:,} of {len(self.rows):,}"
        self.filter_line.note(note, problem=arrangement.problem is not None)
        queue = self.inspector.queue
        rows = self.rows if len(queue) == len(self.rows) else [queue[index] for index in range(len(queue))]
        words = list_words(rows, arrangement.sorted_by, arrangement.grouped)
        self.query_one("#summary", LineBar).say(words)

    @on(RowTable.Highlighted)
    def say_detail(self) -> None:
        """Say more about the rollout under the cursor, and its group."""
        row = self.table.row
        group_line = self.table.group
        summary = self.rows[row] if row is not None and row < len(self.rows) else None
        group: TaskGroup | None = None
        if group_line is not None:
            group = TaskGroup("", tuple(self.rows[index] for index in group_line.rows))
        elif summary is not None:
            group = self.store.group_of(summary)
        note = self.inspector.notebook.seen().get(name_of(summary)) if summary is not None else None
        self.query_one("#detail", LineBar).say(detail_words(summary, group, note))

    # Filter

    def load(self, summary: RolloutSummary) -> Rollout:
        """Read a whole rollout."""
        source = self.inspector.source
        if source is None:
            raise LookupError("nothing is open")
        return source.load(summary)

    @on(FilterLine.Changed)
    def _filter_changed(self) -> None:
        if self._pause is not None:
            self._pause.stop()
        if len(self.rows) < 5_000:
            self._filter_again()
        else:
            self._pause = self.set_timer(_DEBOUNCE, self._filter_again)

    def _filter_again(self) -> None:
        cancel(self, "filter")
        self.arrangement.set_filter(self.filter_line.value, self.load)
        self.list_again(keep=True)
        if self.arrangement.slow and self.arrangement.filter is not None:
            self._ask_all(self.arrangement.filter, list(self.rows))

    @in_background("filter")
    def _ask_all(self, asked: Filter, rows: list[RolloutSummary]) -> None:
        is_cancelled = cancellation()
        passed: set[int] = set()
        problems = 0
        last = time.monotonic()
        for index, row in enumerate(rows):
            if is_cancelled():
                return
            try:
                if asked(row):
                    passed.add(index)
            except Exception:  # One rollout that cannot be read must not end the search through the others.
                problems += 1
            if time.monotonic() - last > _BATCH_SECONDS:
                self.post_message(self.RowsFiltered(asked, set(passed), index + 1, problems))
                time.sleep(_BREATH)
                last = time.monotonic()
        self.post_message(self.RowsFiltered(asked, passed, len(rows), problems))

    @on(RowsFiltered)
    def _rows_filtered(self, event: RowsFiltered) -> None:
        if event.asked is not self.arrangement.filter:
            return
        self.arrangement.passed, self.arrangement.looked = event.passed, event.looked
        self.list_again(keep=True)
        if event.looked >= len(self.rows) and event.problems:
            self.prompt.say(f"{event.problems} of {event.looked} rollouts could not be read", problem=True)

    @on(FilterLine.Left)
    def _filter_left(self) -> None:
        self.table.focus()


def _identity(row: RolloutSummary) -> tuple[str, str]:
    return row.source.path, row.id
