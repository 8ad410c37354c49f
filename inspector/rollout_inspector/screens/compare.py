"""Two rollouts side by side."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rollout_inspector.panes.linebar import LineBar, Word
from rollout_loaders.model import RolloutSummary


class CompareScreen(Screen[None]):
    """Two rollouts."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,backspace", "dismiss", "Back", id="compare.close")]

    def __init__(self, left: RolloutSummary, right: RolloutSummary) -> None:
        super().__init__()
        self.left, self.right = left, right

    def compose(self) -> ComposeResult:
        """For now a title."""
        yield LineBar(id="title")

    def on_mount(self) -> None:
        """Name the two."""
        self.query_one(LineBar).say([Word(self.left.id), Word("and"), Word(self.right.id)])
