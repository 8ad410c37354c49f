"""The evidence pane: tabs of blocks. What stands in them is decided by `rollout_views.evidence_tabs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from rollout_loaders.model import Rollout
from rollout_views.block import Block

from .blocksource import FixedSource
from .blockview import BlockView
from .folds import Folds
from .linebar import LineBar, Word
from .tabs import Tab, tab_blocks, tabs_of


class EvidencePane(Vertical):
    """One line of tabs, and the blocks of one of them."""

    DEFAULT_CSS = """
    EvidencePane { background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,greater_than_sign", "tab(1)", "Next tab", id="evidence.next_tab", show=False),
        Binding("left,less_than_sign", "tab(-1)", "Previous tab", id="evidence.previous_tab", show=False),
    ]

    @dataclass
    class TabShown(Message):
        """Another tab is shown."""

        name: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.tabs: Sequence[Tab] = ()
        self.current = ""
        self._rollout: Rollout | None = None
        self._folds: dict[str, Folds] = {}

    def compose(self) -> ComposeResult:
        """Tabs above, blocks below."""
        yield LineBar(id="tabs")
        yield BlockView(id="evidence-blocks", classes="-airy")

    @property
    def view(self) -> BlockView:
        """The blocks."""
        return self.query_one(BlockView)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks of the tab that is shown."""
        source = self.view.source
        return source.given if isinstance(source, FixedSource) else ()

    def show(self, rollout: Rollout, tab: str | None = None) -> None:
        """Show a rollout's evidence, on the tab asked for or the first."""
        self._rollout = rollout
        self._folds = {}
        self.tabs = tabs_of(rollout)
        names = [one.name for one in self.tabs]
        self.show_tab(tab if tab in names else names[0])

    def show_tab(self, name: str) -> None:
        """Show one tab."""
        if self._rollout is None:
            return
        self.current = name
        blocks = tab_blocks(self._rollout, name)
        self.view.show(FixedSource(blocks), self._folds.setdefault(name, Folds()))
        self._say_tabs()
        self.post_message(self.TabShown(name))

    def _say_tabs(self) -> None:
        self.query_one("#tabs", LineBar).say(
            [
                Word(
                    f" {tab.title} " if tab.name == self.current else tab.title,
                    "bar--on" if tab.name == self.current else "bar--muted" if tab.empty else "bar--normal",
                    name=tab.name,
                )
                for tab in self._ordered()
            ]
        )

    def _ordered(self) -> list[Tab]:
        """Keep the current tab in sight on a narrow pane: tabs before it that do not fit are left out."""
        tabs = list(self.tabs)
        index = next((at for at, tab in enumerate(tabs) if tab.name == self.current), 0)
        room = max(self.size.width - 2, 10)
        while index > 0 and sum(len(tab.title) + 2 for tab in tabs[: index + 1]) + 2 > room:
            tabs.pop(0)
            index -= 1
        return tabs

    def on_resize(self) -> None:
        """Choose again which tabs fit."""
        self._say_tabs()

    def action_tab(self, step: int) -> None:
        """Show the next or previous tab."""
        names = [tab.name for tab in self.tabs]
        if self.current in names:
            self.show_tab(names[(names.index(self.current) + step) % len(names)])

    @on(LineBar.Pressed, "#tabs")
    def _pressed(self, event: LineBar.Pressed) -> None:
        event.stop()
        self.show_tab(event.name)
        self.view.focus()
