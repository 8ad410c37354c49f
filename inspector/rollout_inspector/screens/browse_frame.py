"""The frame of the list: what stands on it, and which rows the filter lets through."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer

from rollout_inspector.loading import SievedSource
from rollout_inspector.panes.filterline import FilterLine
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.panes.rowtable import RowTable
from rollout_inspector.working import cancel, cancellation, in_background
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout, RolloutSummary
from rollout_views.task_groups import TaskGroup

from .browse_reading import BrowseReading
from .filtersuggester import FilterSuggester
from .listsummary import detail_words, list_words, name_of, reading_words
from .rowstore import Queue

if TYPE_CHECKING:
    from rollout_views.filtering import Filter

_BATCH_SECONDS = 0.1
_BREATH = 0.001
"""As in reading: keys must answer while a worker looks at whole rollouts."""
_DEBOUNCE = 0.15
_FILTER_EXAMPLE = "reward<1 outcome:failed finding:empty-final-answer turns>20 tool:bash"

HINTS = [
    ("enter", "open"), ("f", "filter"), ("< >", "sort by"), ("s", "reverse"), ("t", "group"), ("/", "search"),
    ("space", "select"), ("m d", "compare"), ("?", "help"), ("q", "quit"),
]  # fmt: skip


class BrowseFrame(BrowseReading):
    """A table of rollouts with a filter above it."""

    CSS_PATH = "browse.tcss"

    @dataclass
    class RowsFiltered(Message):
        """The worker asked a filter on whole rollouts about more rows."""

        asked: Filter
        passed: set[int]
        looked: int
        problems: int

    def __init__(self) -> None:
        super().__init__()
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        """Title, filter, summary, table, detail, hints."""
        yield LineBar(id="title")
        yield FilterLine(_FILTER_EXAMPLE, FilterSuggester(self), id="filterline")
        yield LineBar(id="summary")
        yield RowTable(self.columns, id="rows")
        yield LineBar(id="detail")
        yield PromptBar(id="prompt")

    @property
    def filter_line(self) -> FilterLine:
        """The filter."""
        return self.query_one(FilterLine)

    def on_mount(self) -> None:
        """Start reading. Until rows come the table is not drawn: an empty one would cost as much as a full one."""
        self.add_class("-waiting")
        self.prompt.hint(HINTS)
        if self.inspector.keymap_problem:
            self.prompt.say(self.inspector.keymap_problem, problem=True)
        self.read()
        if self.inspector.follow:
            self.follow()

    # Arranging

    def after_reading(self) -> None:
        """Fit the columns to all rows, and ask a filter on whole rollouts about those it has not seen."""
        self.table.empty = "" if self.rows else self._why_empty()
        self.table.fit_again()
        self.list_again(keep=True)
        if self.arrangement.slow:
            self._filter_again()
        self.say_title()

    def _why_empty(self) -> str:
        if self.problem:
            return self.problem
        source = self.inspector.source
        diagnostics = source.diagnostics if source is not None else ()
        first = f": {diagnostics[0].message}" if diagnostics else ""
        return f"no rollout in {self.inspector.shown_paths}{first}"

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
        self.arranged_at = time.monotonic()
        self._say_summary()
        self.say_detail()

    def say_title(self) -> None:
        """Say what is open and how much of it was read."""
        words = [
            Word("rollout-inspect", "bar--muted"),
            Word(self.inspector.shown_paths, "bar--strong", True, keep_end=True),
        ]
        count = f"{len(self.rows):,} rollout{'' if len(self.rows) == 1 else 's'}"
        tasks = self.store.task_count
        words.append(Word(count + (f" · {tasks:,} tasks" if 1 < tasks < len(self.rows) else "")))
        if self.reading:
            words.append(Word(reading_words(self.progress, self.inspector.shown_paths), "bar--warning"))
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
            group = self.store.group_of(self.rows[group_line.rows[0]])
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
        source = self.inspector.source
        may_hold = source.may_hold if isinstance(source, SievedSource) else None
        self.arrangement.set_filter(self.filter_line.value, self.load, may_hold)
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

    @on(FilterLine.Refused)
    def _filter_refused(self, event: FilterLine.Refused) -> None:
        self.prompt.say(event.problem, problem=True)

    @on(FilterLine.Left)
    def _filter_left(self) -> None:
        self.table.focus()
