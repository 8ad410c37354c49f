"""Search in one rollout: `/ n N`, through folded text too, in a worker."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from rollout_inspector.panes.blocksource import BlockSource
from rollout_inspector.panes.blockview import Spot
from rollout_inspector.panes.finding import Finding, Match, find
from rollout_inspector.panes.promptbar import PromptBar
from rollout_inspector.working import cancel, cancellation, in_background
from rollout_loaders.fast_dataclass import dataclass
from rollout_views.pattern import compile_pattern

from .rollout_findings import FindingKeys


class SearchKeys(FindingKeys):
    """Keys and worker of the search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="search.start"),
        Binding("n", "match(1)", "Next match", id="search.next"),
        Binding("N", "match(-1)", "Previous match", id="search.previous"),
    ]
    search: Finding | None = None
    """The search that is on."""
    look_for = ""
    """What the list was searched for: looked for in every rollout that is opened here, until the search is ended."""

    @dataclass
    class MatchesFound(Message):
        """The worker found more."""

        search: Finding
        matches: list[Match]
        done: bool

    async def action_search(self) -> None:
        """Ask what to search."""
        await self.prompt.ask("search", "/", self.inspector.session.last_search, "text, also in what is folded")

    def start_search(self, query: str) -> None:
        """Search from here on."""
        if not query or self.source is None:
            self.forget_search()
            return
        self.inspector.session.last_search = query
        self.search = Finding(query, compile_pattern(query))
        self.transcript.set_query(self.search.pattern)
        self._say_search()
        self._find(self.search, self.source)

    @in_background("search")
    def _find(self, search: Finding, source: BlockSource) -> None:
        is_cancelled = cancellation()
        for batch in find(source, search.pattern, is_cancelled, self.transcript.pretty):
            if is_cancelled():
                return
            self.post_message(SearchKeys.MatchesFound(search, batch, False))
        self.post_message(SearchKeys.MatchesFound(search, [], True))

    @on(MatchesFound)
    def _matches_found(self, event: SearchKeys.MatchesFound) -> None:
        search = self.search
        if search is None or event.search is not search:
            return
        search.matches += event.matches
        search.done = search.done or event.done
        if search.at < 0 and search.matches:
            here = (self.transcript.cursor.section, self.transcript.cursor.block)
            after = next((index for index, one in enumerate(search.matches) if (one.section, one.block) >= here), None)
            if after is not None or search.done:
                self._go_match(after or 0)
        self._say_search()

    def _say_search(self) -> None:
        if self.search is not None:
            self.prompt.hint(
                [("/", self.search.query), ("n N", "next, previous"), ("esc", "end search")], self.search.words
            )

    def action_match(self, step: int) -> None:
        """Go to the next or previous match; without a search, repeat the last one."""
        search = self.search
        if search is None:
            if self.inspector.session.last_search:
                self.start_search(self.inspector.session.last_search)
            return
        if search.matches:
            self._go_match((search.at + step) % len(search.matches))
            self._say_search()

    def _go_match(self, index: int) -> None:
        search = self.search
        if search is None:
            return
        search.at = index
        match = search.matches[index]
        spot = Spot(match.section, match.block)
        self.transcript.show_match(spot, match.in_body, match.offset)
        self.show_pane("transcript")

    def forget_search(self) -> None:
        """End the search and take its highlights away."""
        if self.search is not None:
            self.search = None
            cancel(self, "search")
            self.transcript.set_query(None)
            self.hint()

    def arrived(self) -> None:
        """Look for what the list was searched for."""
        super().arrived()
        if self.look_for and self.wanted is None:
            self.start_search(self.look_for)

    def rollout_changed(self) -> None:
        """A search is of one conversation."""
        super().rollout_changed()
        self.forget_search()

    @on(PromptBar.Submitted)
    def _submitted_search(self, event: PromptBar.Submitted) -> None:
        if event.purpose == "search":
            self.start_search(event.value)
