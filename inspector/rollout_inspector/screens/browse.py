"""Every rollout of every path, as one table that fills while they are read."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rollout_loaders.locator import format_place
from rollout_loaders.model import Place, RolloutSummary
from rollout_views.foreign import visible
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Label
from textual.worker import get_current_worker

from ..messages import ReadingEnded, RowsRead, SourceOpened
from ..panes.linebar import LineBar, Word
from ..panes.promptbar import PromptBar, SafeInput
from ..panes.rowtable import GroupLine, RowTable
from .arrangement import Arrangement
from .listsummary import group_words, list_words
from .rollouttable import COLUMNS

if TYPE_CHECKING:
    from ..app import InspectorApp

_FIRST_ROWS = 40
"""The first batch is small: rows should stand on screen before anything else happens."""
_BATCH_SECONDS = 0.1
_BREATH = 0.001

HINTS = [
    ("j k", "rollout"), ("enter", "open"), ("f", "filter"), ("< >", "sort by"), ("s", "reverse"), ("t", "group"),
    ("space", "select"), ("m d", "mark, compare"), ("?", "help"), ("q", "quit"),
]  # fmt: skip


class BrowseScreen(Screen[None]):
    """The list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "Filter", id="list.filter"),
        Binding("slash", "search_all", "Search text in all rollouts", id="list.search"),
        Binding("less_than_sign", "sort_column(-1)", "Sort by the column to the left", id="sort.previous"),
        Binding("greater_than_sign", "sort_column(1)", "Sort by the column to the right", id="sort.next"),
        Binding("s", "reverse", "Reverse the order", id="sort.reverse"),
        Binding("t", "group", "Group by task", id="list.group"),
        Binding("T", "groups", "One row a task", id="groups.open"),
        Binding("space", "select", "Select", id="row.select"),
        Binding("A", "select_all", "Select all that are listed, or none", id="row.select_all"),
        Binding("m", "mark", "Mark", id="mark"),
        Binding("d", "compare", "Compare two selected, or with the mark", id="compare"),
        Binding("E", "export", "Export the selected", id="export"),
        Binding("y", "copy_place", "Copy the locator", id="copy.place"),
        Binding("u", "next_unreviewed", "Next without a note", id="note.next"),
        Binding("colon", "goto", "Go to a rollout by its id", id="place.goto"),
        Binding("R", "reread", "Read again", id="list.reread"),
        Binding("D", "diagnostics", "What could not be read", id="list.diagnostics"),
        Binding("escape", "give_up", "Stop reading; take the filter away", id="list.give_up"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[RolloutSummary] = []
        self.arrangement = Arrangement()
        self.reading = False
        self.problem: str | None = None
        self._opened_alone = False

    @property
    def inspector(self) -> InspectorApp:
        """The app, by its own type."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """Title, filter, summary, table, detail, hints."""
        yield LineBar(id="title")
        with Horizontal(id="filterline"):
            yield Label("filter", markup=False)
            yield SafeInput(
                id="filter", compact=True, placeholder="reward<1 outcome:failed finding:empty-final-answer turns>20"
            )
            yield Label("", id="filter-note", markup=False)
        yield LineBar(id="summary")
        yield RowTable(COLUMNS, id="rows")
        yield LineBar(id="detail")
        yield PromptBar(id="prompt")

    @property
    def table(self) -> RowTable[RolloutSummary]:
        """The table."""
        return self.query_one(RowTable)

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

    # Reading

    def read(self) -> None:
        """Read everything, from the start."""
        self.rows = []
        self.problem = None
        self.reading = True
        self._say_title()
        self._read()

    @work(thread=True, exclusive=True, group="read", exit_on_error=False)
    def _read(self) -> None:
        worker = get_current_worker()
        problem: str | None = None
        batch: list[RolloutSummary] = []
        try:
            source = self.inspector.opener()
            self.post_message(SourceOpened(source))
            sent = 0
            last = time.monotonic()
            for summary in source.summaries():
                if worker.is_cancelled:
                    self.post_message(ReadingEnded(cancelled=True))
                    return
                batch.append(summary)
                if (not sent and len(batch) >= _FIRST_ROWS) or time.monotonic() - last > _BATCH_SECONDS:
                    sent += len(batch)
                    self.post_message(RowsRead(batch))
                    batch = []
                    time.sleep(_BREATH)
                    last = time.monotonic()
        except Exception as error:  # Whatever a reader raises becomes one line, never a traceback.
            problem = str(error).replace("\n", " ") or type(error).__name__
        self.post_message(RowsRead(batch))
        self.post_message(ReadingEnded(problem))

    @on(SourceOpened)
    def _source_opened(self, event: SourceOpened) -> None:
        self.inspector.source = event.source

    @on(RowsRead)
    def _rows_read(self, event: RowsRead) -> None:
        first = not self.rows
        self.rows.extend(event.rows)
        if event.rows:
            self._arrange(keep=not first)
        self._say_title()

    @on(ReadingEnded)
    def _reading_ended(self, event: ReadingEnded) -> None:
        self.reading = False
        self.problem = event.problem
        self.table.empty = "" if self.rows else self._why_empty()
        self.table.fit_again()
        self._arrange(keep=True)
        self._say_title()
        if event.problem:
            self.prompt.say(event.problem, problem=True)
        elif event.cancelled:
            self.prompt.say(f"stopped reading after {len(self.rows):,} rollouts; R reads again")
        source = self.inspector.source
        if len(self.rows) == 1 and not self._opened_alone and source is not None:
            self._opened_alone = True
            self.open(self.rows[0], source.place)

    def _why_empty(self) -> str:
        if self.problem:
            return self.problem
        source = self.inspector.source
        diagnostics = source.diagnostics if source is not None else ()
        first = f": {diagnostics[0].message}" if diagnostics else ""
        return f"no rollout in {self.inspector.shown_paths}{first}"

    # Arranging

    def _arrange(self, *, keep: bool) -> None:
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
        self.inspector.queue = [self.rows[line] for line in lines if isinstance(line, int)]
        self._say_summary()
        self._say_detail()

    def _say_title(self) -> None:
        words = [Word("rollout-inspect", "bar--muted"), Word(self.inspector.shown_paths, "bar--strong", True)]
        tasks = len({one.task.task_index for one in self.rows if one.task.task_index is not None})
        count = f"{len(self.rows):,} rollout{'' if len(self.rows) == 1 else 's'}"
        words.append(Word(count + (f" · {tasks:,} tasks" if tasks > 1 else "")))
        if self.reading:
            words.append(Word("reading… (esc stops)", "bar--warning"))
        source = self.inspector.source
        if not self.reading and source is not None and source.diagnostics:
            words.append(Word(f"{len(source.diagnostics)} diagnostics (D)", "bar--warning"))
        self.query_one("#title", LineBar).say(words, [Word("? help", "bar--muted")])

    def _say_summary(self) -> None:
        shown = self.inspector.queue
        note = self.query_one("#filter-note", Label)
        problem = self.arrangement.problem
        self.query_one("#filterline").set_class(problem is not None, "-problem")
        note.update(visible(problem) if problem else f"{len(shown):,} of {len(self.rows):,}" if self.arrangement.query else "")
        self.query_one("#summary", LineBar).say(list_words(shown, self.arrangement))

    @on(RowTable.Highlighted)
    def _say_detail(self) -> None:
        table = self.table
        row = table.row
        group = table.group
        rows = [self.rows[index] for index in group.rows] if isinstance(group, GroupLine) else []
        summary = self.rows[row] if row is not None and row < len(self.rows) else None
        self.query_one("#detail", LineBar).say(group_words(summary, rows, self.rows, self.inspector.notebook))

    # Keys

    @on(RowTable.Opened)
    def _opened(self, event: RowTable.Opened) -> None:
        self.open(self.rows[event.row])

    def open(self, summary: RolloutSummary, place: Place | None = None) -> None:
        """Open a rollout."""
        from .rollout import RolloutScreen

        screen = RolloutScreen(summary, place)
        self.app.push_screen(screen, lambda _: self._came_back(screen.summary))

    def _came_back(self, summary: RolloutSummary) -> None:
        if summary in self.rows:
            self.table.move_to_row(self.rows.index(summary))
        self.table.redraw()
        self._say_detail()

    def action_filter(self) -> None:
        """Write a filter."""
        self.query_one("#filter", SafeInput).focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.arrangement.set_filter(event.value)
        self._arrange(keep=True)

    @on(Input.Submitted, "#filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        self.table.focus()

    @on(SafeInput.GivenUp)
    def _filter_left(self, event: SafeInput.GivenUp) -> None:
        event.stop()
        self.query_one("#filter", SafeInput).value = ""
        self.table.focus()

    def action_sort_column(self, step: int) -> None:
        """Sort by the column beside."""
        keys = self.table.shown_columns
        current = self.arrangement.sorted_by[0] if self.arrangement.sorted_by else None
        at = keys.index(current) if current in keys else (-1 if step > 0 else 0)
        self.sort_by(keys[(at + step) % len(keys)])

    def sort_by(self, key: str) -> None:
        """Sort by a column; a second time reverses."""
        self.arrangement.sort(key)
        self._arrange(keep=True)

    @on(RowTable.HeaderPressed)
    def _header_pressed(self, event: RowTable.HeaderPressed) -> None:
        self.sort_by(event.column)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self.arrangement.reverse()
        self._arrange(keep=True)

    def action_group(self) -> None:
        """Group by task, or not."""
        self.arrangement.grouped = not self.arrangement.grouped
        self._arrange(keep=True)

    def action_groups(self) -> None:
        """Open the screen of groups."""
        from .group import GroupScreen

        self.app.push_screen(GroupScreen(self.inspector.queue))

    def action_select(self) -> None:
        """Select or leave the rollout under the cursor, and go on."""
        table = self.table
        if table.row is not None:
            table.selected ^= {table.row}
        table.redraw()
        table.action_move(1)
        self.prompt.say(f"{len(table.selected)} selected")

    def action_select_all(self) -> None:
        """Select everything that is listed, or nothing."""
        table = self.table
        listed = {line for line in table.lines if isinstance(line, int)}
        table.selected = set() if table.selected >= listed else listed
        table.redraw()
        self.prompt.say(f"{len(table.selected)} selected")

    @property
    def chosen(self) -> list[RolloutSummary]:
        """The selected rollouts, or the one under the cursor."""
        table = self.table
        if table.selected:
            return [self.rows[line] for line in table.lines if isinstance(line, int) and line in table.selected]
        return [self.rows[table.row]] if table.row is not None else []

    def action_mark(self) -> None:
        """Mark the rollout under the cursor."""
        if self.table.row is not None:
            self.inspector.session.mark = self.rows[self.table.row]
            self.prompt.say(f"marked {self.inspector.session.mark.id}; d on another one compares")

    def action_compare(self) -> None:
        """Compare."""
        from .compare import CompareScreen

        chosen = self.chosen
        mark = self.inspector.session.mark
        pair = chosen if len(chosen) == 2 else [mark, chosen[0]] if mark and len(chosen) == 1 and mark != chosen[0] else []
        if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
            self.app.push_screen(CompareScreen(pair[0], pair[1]))
        else:
            self.prompt.say("select two rollouts (space), or mark one (m) and go to another")

    def action_copy_place(self) -> None:
        """Copy the locator of the rollout under the cursor."""
        if self.table.row is not None:
            text = format_place(self.rows[self.table.row])
            self.app.copy_to_clipboard(visible(text))
            self.prompt.say(f"copied {text}")

    def action_next_unreviewed(self) -> None:
        """Go to the next rollout without a note."""
        seen = self.inspector.notebook.seen()
        lines = self.table.lines
        for step in range(1, len(lines) + 1):
            at = (self.table.cursor + step) % len(lines)
            line = lines[at]
            if isinstance(line, int) and self._name(self.rows[line]) not in seen:
                self.table.move_cursor(at)
                return
        self.prompt.say("all have a note")

    @staticmethod
    def _name(summary: RolloutSummary) -> tuple[str, str]:
        return str(Path(summary.source.path).absolute()), summary.id

    def action_goto(self) -> None:
        """Ask for an id."""
        self.prompt.ask("goto", ":", "", "id of a rollout, such as 3-1")

    def action_search_all(self) -> None:
        """Ask what to search in all rollouts."""
        self.prompt.ask("search", "/", self.inspector.session.last_search, "text in any of the listed rollouts")

    def action_export(self) -> None:
        """Ask where to export to."""
        if self.chosen:
            self.prompt.ask("export", f"export {len(self.chosen)} to", "rollouts.html", "name.html .md .txt .json .ipynb")

    @on(PromptBar.Submitted)
    def _answered(self, event: PromptBar.Submitted) -> None:
        match event.purpose:
            case "goto":
                wanted = event.value.strip()
                found = next((index for index, one in enumerate(self.rows) if one.id == wanted), None)
                if found is None or not self.table.move_to_row(found):
                    self.prompt.say(f"no rollout {wanted} is listed", problem=True)
            case "export":
                self._export(event.value.strip())
            case "search":
                self._search(event.value)
            case _:
                pass

    def _search(self, text: str) -> None:
        self.inspector.session.last_search = text
        entry = self.query_one("#filter", SafeInput)
        entry.value = f'text:"{text}"' if text else ""

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def _export(self, name: str) -> None:
        from .export import export_rollouts

        source = self.inspector.source
        if source is None or not name:
            return
        try:
            rollouts = [source.load(one) for one in self.chosen]
            said, problem = export_rollouts(rollouts, name, "observed")
        except Exception as error:  # One line, never a traceback.
            said, problem = f"not exported: {error}".replace("\n", " "), True
        self.app.call_from_thread(self.prompt.say, said, problem=problem)

    def action_reread(self) -> None:
        """Read again from the start."""
        self.read()

    def action_diagnostics(self) -> None:
        """Show what could not be read."""
        from .diagnostics import DiagnosticsScreen

        source = self.inspector.source
        self.app.push_screen(DiagnosticsScreen(source.diagnostics if source is not None else ()))

    def action_give_up(self) -> None:
        """Stop reading; otherwise take selection or filter away."""
        if self.reading:
            self.workers.cancel_group(self, "read")
        elif self.table.selected:
            self.table.selected = set()
            self.table.redraw()
        else:
            self.query_one("#filter", SafeInput).value = ""
