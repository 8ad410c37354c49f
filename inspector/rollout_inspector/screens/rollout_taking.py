"""What a reviewer takes away: a place, a part as Markdown, an export, a note; the mark and the pager."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from rollout_inspector.notes import content_key, parse_note, seen_at
from rollout_inspector.panes.promptbar import PromptBar
from rollout_loaders.locator import format_place
from rollout_loaders.model import Place
from rollout_views.foreign import visible

from .export import export_rollouts, part_as_markdown
from .rollout_search import SearchKeys


class TakingKeys(SearchKeys):
    """`y Y E o w m d`, and `:`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy_place", "Copy the place (or the selection)", id="copy.place"),
        Binding("Y", "copy_part", "Copy the part as Markdown", id="copy.part"),
        Binding("E", "export", "Export to a file", id="export"),
        Binding("o", "pager", "Raw text in $PAGER", id="pager"),
        Binding("w", "note", "Write a note", id="note"),
        Binding("u", "next_unreviewed", "Next rollout without a note", id="note.next"),
        Binding("m", "mark", "Mark this rollout", id="mark"),
        Binding("d", "compare", "Compare with the mark", id="compare"),
        Binding("colon", "goto", "Go to a turn or item", id="place.goto"),
    ]

    def action_copy_place(self) -> None:
        """Copy the place as the command line takes it, or the text that is selected."""
        selected = self.get_selected_text()
        if selected:
            self.inspector.copy_to_clipboard(visible(selected))
            self.clear_selection()
            self.prompt.say(f"copied {len(selected):,} characters")
            return
        if self.rollout is None:
            return
        place = self.active_view.place
        text = format_place(self.rollout, place if place != Place() else self.transcript.place)
        self.inspector.copy_to_clipboard(visible(text))
        self.prompt.say(f"copied {text}", keep_end=True)

    def action_copy_part(self) -> None:
        """Copy the part under the cursor as Markdown, ready for a pull request."""
        block = self.active_view.block
        if block is None or self.rollout is None:
            return
        place = block.place if block.place != Place() else self.active_view.place
        text = part_as_markdown(self.rollout, block, format_place(self.rollout, place))
        self.inspector.copy_to_clipboard(text)
        self.prompt.say(f"copied as Markdown, {len(text):,} characters")

    async def action_export(self) -> None:
        """Ask where to export to."""
        if self.rollout is not None:
            await self.prompt.ask("export", "export to", f"{self.rollout.id}.html", "name.html .md .txt .json .ipynb")

    async def action_goto(self) -> None:
        """Ask for a place."""
        await self.prompt.ask("goto", ":", "", "turn number, turn:7, item:prt_…, ses_…/turn:7")

    async def action_note(self) -> None:
        """Ask for a label and a remark."""
        if self.rollout is None:
            return
        note = self.inspector.notebook.get(content_key(self.rollout))
        value = "" if note is None else f"{note.label}: {note.remark}".strip(": ") if note.label else note.remark
        if note is not None and note.label:
            value = f"{note.label}: {note.remark}"
        await self.prompt.ask("note", "note", value, "LABEL: remark, such as hack: ran no tests; empty takes it away")

    def action_next_unreviewed(self) -> None:
        """Open the next rollout of the list that has no note."""
        seen = self.inspector.notebook.seen()
        queue = self.inspector.queue
        at = queue.index(self.summary)
        at = -1 if at is None else at
        for step in range(1, len(queue) + 1):
            summary = queue[(at + step) % len(queue)]
            if (seen_at(summary.source.path), summary.id) not in seen:
                self.open(summary)
                return
        self.prompt.say(f"all {len(queue)} rollouts have a note")

    def action_mark(self) -> None:
        """Mark this rollout, to compare others with it."""
        self.inspector.session.mark = self.summary
        self.prompt.say(f"marked {self.summary.id}; d in another rollout compares with it")

    def action_compare(self) -> None:
        """Compare with the marked rollout."""
        mark = self.inspector.session.mark
        if mark is None or mark == self.summary:
            self.prompt.say("mark another rollout first (m)")
            return
        from .compare import CompareScreen

        self.inspector.push_screen(CompareScreen(mark, self.summary))

    def action_pager(self) -> None:
        """Show the part under the cursor in the pager, through the foreign-text function."""
        block = self.active_view.block
        if block is None:
            return
        text = visible("\n".join(filter(None, (block.title, block.body))))
        pager = shlex.split(os.environ.get("PAGER") or "less") or ["less"]
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            try:
                with self.inspector.suspend():
                    subprocess.run([*pager, file.name], check=False)
            except Exception as error:  # No such pager, or a terminal that cannot be suspended.
                self.prompt.say(f"{pager[0]}: {error}", problem=True)

    @on(PromptBar.Submitted)
    def _submitted_taking(self, event: PromptBar.Submitted) -> None:
        match event.purpose:
            case "export":
                self._export(event.value)
            case "note":
                self._write_note(event.value)
            case "goto":
                self._goto(event.value)
            case _:
                pass

    def _export(self, name: str) -> None:
        if self.rollout is None or not name.strip():
            return
        said, problem = export_rollouts([self.rollout], name.strip(), self.state.lens)
        self.prompt.say(said, problem=problem)

    def _write_note(self, text: str) -> None:
        if self.rollout is None:
            return
        label, remark = parse_note(text)
        notebook = self.inspector.notebook
        try:
            notebook.put(content_key(self.rollout), self.rollout, label, remark)
        except OSError as error:
            self.prompt.say(f"note not written: {error}", problem=True)
            return
        seen = notebook.seen()
        done = sum((seen_at(one.source.path), one.id) in seen for one in self.inspector.queue)
        self.prompt.say(
            f"note {'written' if label or remark else 'taken away'}; {done} of {len(self.inspector.queue)} reviewed"
        )
        self.say_place()

    def _goto(self, text: str) -> None:
        from rollout_loaders.locator import parse_place

        text = text.strip()
        if not text:
            return
        place = Place(turn=int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None
        place = place or parse_place(text.rpartition("@")[2]) or Place(item_id=text)
        if self.go(place):
            self.show_pane("transcript")
