"""A text to read and leave again: a report, the list of diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rollout_inspector.panes.blocksource import FixedSource
from rollout_inspector.panes.blockview import BlockView
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_views.block import Block


class ReadingScreen(Screen[None]):
    """Blocks, or a text, under a title."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,backspace", "dismiss", "Back", id="reading.close")]

    def __init__(self, title: str, text: str | Sequence[Block]) -> None:
        super().__init__()
        self._heading = title
        self.blocks = (Block("text", "", "normal", body=text),) if isinstance(text, str) else tuple(text)

    def compose(self) -> ComposeResult:
        """One line on top, the rest scrolls."""
        yield LineBar(id="title")
        yield BlockView(id="reading")

    def on_mount(self) -> None:
        """Show it."""
        right = [Word("j k scroll", "bar--muted"), Word("esc back", "bar--muted")]
        self.query_one(LineBar).say([Word(self._heading, "bar--strong", True)], right)
        view = self.query_one(BlockView)
        view.show(FixedSource(self.blocks))
        view.focus()
