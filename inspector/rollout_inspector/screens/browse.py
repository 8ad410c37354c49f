"""Every rollout of every path, as one table that fills while they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from rollout_inspector.messages import ReadingEnded
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.panes.rowtable import RowTable
from rollout_inspector.savedviews import SavedView
from rollout_inspector.working import cancel, in_background
from rollout_loaders.locator import format_place
from rollout_loaders.model import Place, RolloutSummary
from rollout_views.block import Block
from rollout_views.foreign import visible
from rollout_views.formatting import quantity

from .browse_frame import BrowseFrame
from .listsummary import name_of


class BrowseScreen(BrowseFrame):
    """The list and its keys."""

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
        Binding("C", "check", "Findings of the selected, or of all that are listed", id="list.check"),
        Binding("V", "view", "A saved view, or =name to save one", id="view.open"),
        Binding("R", "reread", "Read again", id="list.reread"),
        Binding("D", "diagnostics", "What could not be read", id="list.diagnostics"),
        Binding("escape", "give_up", "Stop reading; take the filter away", id="list.give_up"),
    ]

    _opened_alone = False
    _searched = ("", "")
    """What was searched for in all rollouts, and the filter that it became."""

    def all_read(self) -> None:
        """Open the only rollout at once, at the place that the command line named."""
        source = self.inspector.source
        if len(self.rows) == 1 and not self._opened_alone and source is not None:
            self._opened_alone = True
            self.open(self.rows[0], source.place)

    @on(RowTable.Opened)
    def _opened(self, event: RowTable.Opened) -> None:
        self.open(self.rows[event.row])

    def open(self, summary: RolloutSummary, place: Place | None = None) -> None:
        """Open a rollout."""
        from .rollout import RolloutScreen

        screen = RolloutScreen(summary, place)
        screen.look_for = self._searched[0] if self.filter_line.value == self._searched[1] else ""
        self.inspector.push_screen(screen, lambda _: self._came_back(screen.summary))

    def _came_back(self, summary: RolloutSummary) -> None:
        at = self.inspector.queue.index(summary)
        if at is not None:
            self.table.move_to_row(self.inspector.queue.line(at))
        self.table.redraw()
        self.say_detail()

    def rows_changed(self, places: Mapping[tuple[str, str], int]) -> None:
        """Read the open rollout again, its place kept."""
        from .rollout import RolloutScreen

        for screen in self.inspector.screen_stack:
            if isinstance(screen, RolloutScreen):
                index = places.get((screen.summary.source.path, screen.summary.id))
                if index is not None:
                    screen.reload(self.rows[index])

    async def action_filter(self) -> None:
        """Write a filter."""
        await self.filter_line.edit()

    def action_sort_column(self, step: int) -> None:
        """Sort by the column beside."""
        keys = self.table.shown_columns
        current = self.arrangement.sorted_by[0] if self.arrangement.sorted_by else None
        at = keys.index(current) if current in keys else (-1 if step > 0 else 0)
        self.sort_by(keys[(at + step) % len(keys)])

    def sort_by(self, key: str) -> None:
        """Sort by a column; a second time reverses."""
        self.arrangement.sort(key)
        self.list_again(keep=True)

    @on(RowTable.HeaderPressed)
    def _header_pressed(self, event: RowTable.HeaderPressed) -> None:
        self.sort_by(event.column)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self.arrangement.reverse()
        self.list_again(keep=True)

    def action_group(self) -> None:
        """Group by task, or not."""
        self.arrangement.grouped = not self.arrangement.grouped
        self.list_again(keep=True)

    def action_groups(self) -> None:
        """Open the screen of groups."""
        from .group import GroupScreen

        self.inspector.push_screen(GroupScreen(list(self.inspector.queue)))

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
        pair = (
            chosen if len(chosen) == 2 else [mark, chosen[0]] if mark and len(chosen) == 1 and mark != chosen[0] else []
        )
        if len(pair) == 2:
            self.inspector.push_screen(CompareScreen(pair[0], pair[1]))
        else:
            self.prompt.say("select two rollouts (space), or mark one (m) and go to another")

    def action_copy_place(self) -> None:
        """Copy the locator of the rollout under the cursor."""
        if self.table.row is not None:
            text = format_place(self.rows[self.table.row])
            self.inspector.copy_to_clipboard(visible(text))
            self.prompt.say(f"copied {text}", keep_end=True)

    def action_next_unreviewed(self) -> None:
        """Go to the next rollout without a note."""
        seen = self.inspector.notebook.seen()
        lines = self.table.lines
        for step in range(1, len(lines) + 1):
            at = (self.table.cursor + step) % len(lines)
            line = lines[at]
            if isinstance(line, int) and name_of(self.rows[line]) not in seen:
                self.table.move_cursor(at)
                return
        self.prompt.say("all have a note")

    async def action_goto(self) -> None:
        """Ask for an id."""
        await self.prompt.ask("goto", ":", "", "id of a rollout, such as 3-1")

    async def action_view(self) -> None:
        """Ask for a view's name."""
        names = ", ".join(self.inspector.views.names)
        await self.prompt.ask("view", "view", "", f"=name saves this one; {names or 'none is saved'}")

    def open_view(self, name: str) -> None:
        """Show a saved view."""
        view = self.inspector.views.get(name)
        if view is None:
            self.prompt.say(f"no view {name!r}; =name saves what is shown", problem=True)
            return
        known = view.column is not None and any(column.key == view.column for column in self.columns)
        self.arrangement.sorted_by = (view.column or "", view.reverse) if known else None
        self.arrangement.grouped = view.grouped
        self.filter_line.set_value(view.query)
        self.list_again(keep=True)
        self.prompt.say(f"view {name}")

    def _save_view(self, name: str) -> None:
        column, reverse = self.arrangement.sorted_by or (None, False)
        view = SavedView(self.filter_line.value, column, reverse, self.arrangement.grouped)
        try:
            self.inspector.views.put(name, view)
        except OSError as error:
            self.prompt.say(f"view not saved: {error}", problem=True)
        else:
            self.prompt.say(f"view {name} saved; V or the palette opens it")

    async def action_search_all(self) -> None:
        """Ask what to search in all rollouts."""
        await self.prompt.ask("search", "/", self.inspector.session.last_search, "text in any of the listed rollouts")

    async def action_export(self) -> None:
        """Ask where to export to."""
        if self.chosen:
            await self.prompt.ask(
                "export", f"export {len(self.chosen)} to", "rollouts.html", "name.html .md .txt .json .ipynb"
            )

    @on(PromptBar.Submitted)
    def _answered(self, event: PromptBar.Submitted) -> None:
        match event.purpose:
            case "goto":
                wanted = event.value.strip()
                found = [index for index, one in enumerate(self.rows) if one.id == wanted]
                here = self.table.row if self.table.row is not None else -1
                following = next((index for index in found if index > here), found[0] if found else -1)
                if not found or not self.table.move_to_row(following):
                    self.prompt.say(f"no rollout {wanted} is listed", problem=True)
                elif len(found) > 1:
                    self.prompt.say(f"{len(found)} rollouts are called {wanted}; : again goes to the next of them")
            case "export":
                self._export(event.value.strip())
            case "view":
                name = event.value.strip()
                if name.startswith("=") and len(name) > 1:
                    self._save_view(name[1:].strip())
                elif name:
                    self.open_view(name)
            case "search":
                self._search(event.value)
            case _:
                pass

    def _search(self, text: str) -> None:
        self.inspector.session.last_search = text
        # The filter language has no escape for its own quotes; a search for one finds the words around it.
        wanted = text.replace('"', " ").strip()
        self._searched = (wanted, f'text:"{wanted}"' if wanted else "")
        self.filter_line.set_value(self._searched[1])

    @in_background("export")
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
        self.inspector.call_from_thread(self.prompt.say, said, problem=problem)

    def action_check(self) -> None:
        """Show what was found in the selected rollouts, or in all that are listed, by finding."""
        from .reading import ReadingScreen

        rows = self.chosen if self.table.selected else list(self.inspector.queue)
        found: dict[str, list[str]] = {}
        for row in rows:
            for code in row.findings or ():
                found.setdefault(code, []).append(format_place(row))
        blocks = [
            Block(code, f"{len(places):,}", "note", title=code, body="\n".join(places), foldable=True)
            for code, places in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
        ] or [Block("none", "none", "muted", body="no finding in any of them")]
        self.inspector.push_screen(ReadingScreen(f"findings of {len(rows):,} rollouts", blocks))

    def action_reread(self) -> None:
        """Read again from the start."""
        self.read()

    def action_diagnostics(self) -> None:
        """Show what could not be read."""
        from .reading import ReadingScreen

        source = self.inspector.source
        diagnostics = source.diagnostics if source is not None else ()
        blocks = [
            Block(f"{index}", "note", "problem", title=one.code, body=f"{one.locator or ''}\n{one.message}".strip())
            for index, one in enumerate(diagnostics)
        ] or [Block("none", "note", "muted", body="Everything was read; nothing to report.")]
        self.inspector.push_screen(ReadingScreen(quantity(len(diagnostics), "diagnostic"), blocks))

    def action_give_up(self) -> None:
        """Stop reading; otherwise take selection or filter away."""
        if self.reading:
            cancel(self, "read")
            self.post_message(ReadingEnded(cancelled=True))
        elif self.table.selected:
            self.table.selected = set()
            self.table.redraw()
        else:
            self.filter_line.set_value("")
