"""The evidence pane: tabs of blocks. What stands in them is decided by `rollout_views.evidence_tabs`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout
from rollout_views.block import Block

from .blocksource import FixedSource
from .blockview import BlockView
from .folds import Folds
from .linebar import LineBar, Word
from .tabs import Tab, tab_blocks, tabs_of

_GAP = 2
_MORE = 4
"""Cells for `‹3` or `3›`: how many tabs there are beyond those that fit."""


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
        before, shown, after = self._in_sight()
        words = [self._word(tab) for tab in shown]
        if before:
            words.insert(0, Word(f"‹{len(before)}", "bar--muted", name=before[-1].name))
        right = [Word(f"{len(after)}›", "bar--muted", name=after[0].name)] if after else []
        self.query_one("#tabs", LineBar).say(words, right)

    def _word(self, tab: Tab) -> Word:
        if tab.name == self.current:
            return Word(f" {tab.title} ", "bar--on", name=tab.name)
        return Word(tab.title, "bar--muted" if tab.empty else "bar--normal", name=tab.name)

    def _in_sight(self) -> tuple[list[Tab], list[Tab], list[Tab]]:
        """(tabs left out before, tabs that fit, tabs left out after): the current one is always in sight."""
        tabs = list(self.tabs)
        first = at = next((at for at, tab in enumerate(tabs) if tab.name == self.current), 0)
        last = at + 1
        room = self.size.width - 2 - 2 * _MORE

        def width(start: int, end: int) -> int:
            return sum(cell_len(tab.title) + _GAP for tab in tabs[start:end])

        while first > 0 and width(first - 1, last) <= room:
            first -= 1
        while last < len(tabs) and width(first, last + 1) <= room:
            last += 1
        return tabs[:first], tabs[first:last], tabs[last:]

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
