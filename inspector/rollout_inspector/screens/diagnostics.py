"""What could not be read, and what is wrong with files as a whole."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rollout_inspector.panes.blocksource import FixedSource
from rollout_inspector.panes.blockview import BlockView
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_loaders.model import Diagnostic
from rollout_views.block import Block


class DiagnosticsScreen(Screen[None]):
    """One line a diagnostic."""

    CSS_PATH = "help.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,D", "dismiss", "Back", id="diagnostics.close")]

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__()
        self.diagnostics = diagnostics

    def compose(self) -> ComposeResult:
        """One line on top, the rest scrolls."""
        yield LineBar(id="title")
        yield BlockView(id="diagnostics", classes="-airy")

    def on_mount(self) -> None:
        """Show them."""
        number = len(self.diagnostics)
        self.query_one(LineBar).say(
            [Word(f"{number} diagnostic{'' if number == 1 else 's'}", "bar--strong"), Word("esc back")]
        )
        blocks = tuple(
            Block(f"{index}", "note", "problem", title=one.code, body=f"{one.locator or ''}\n{one.message}".strip())
            for index, one in enumerate(self.diagnostics)
        ) or (Block("none", "note", "muted", body="Everything was read; nothing to report."),)
        view = self.query_one(BlockView)
        view.show(FixedSource(blocks))
        view.focus()
