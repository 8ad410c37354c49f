"""What a view shows and how it moves: rollout, lens, panel, conversation, page, search. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.locator import locate
from rollout_loaders.model import Place
from rollout_views.anchors import Anchors
from rollout_views.block import Lens
from rollout_views.formatting import exact
from rollout_views.scored_mark import find_invocation
from rollout_views.transcript import lens_problem, open_lens
from rollout_views.why import needs_explaining

from .errors import CannotShowError
from .hits import Hits, conversations, hit_html, search
from .pages import FOLDS, Conversation, Folds, Page
from .panels import TRANSCRIPT, head_html, lens_words, notices_html, panel_html
from .shelf import Shelf

NOTHING_FOUND = Hits((), False)


class Reading:
    """A shelf, and the place that is read. A move that raises `RolloutError` or `FilterError` changes nothing."""

    def __init__(self, shelf: Shelf, shown: Sequence[int], lens: Lens) -> None:
        self.shelf = shelf
        self.shown = tuple(shown)
        """Indices of the rollouts that the filter lets through."""
        self.filter = self.query = ""
        self.folds: Folds = FOLDS[0]
        self.hits, self.hit = NOTHING_FOUND, -1
        self.wanted: Lens = lens
        self.said = ""
        """What the last move has to say beside its result."""
        self.at = self.shown[0]
        self.rollout = shelf.load(self.at)
        self.talk = Conversation(self.rollout, open_lens(self.rollout, lens), None)
        self.start = 0
        self.opened: str | None = None
        """Id of the block that is shown unfolded: a search found something in it."""
        self.panel = "Why" if needs_explaining(self.rollout) else TRANSCRIPT
        if shelf.place is not None:
            self.go(shelf.place)

    def pick(self, index: int) -> None:
        """Show another rollout from its beginning, in the same panel and lens where it has them."""
        self._take(index)

    def pick_id(self, rollout_id: str) -> None:
        """Show the rollout with this id."""
        if rollout_id != self.rollout.id:
            self._take(self.shelf.index_of(rollout_id))

    def set_filter(self, query: str) -> None:
        """Narrow the list; the first rollout of it is shown where this one is not in it."""
        found = self.shelf.matching(query)
        if not found:
            raise CannotShowError(f"none of {exact(len(self.shelf.summaries))} rollouts matches {query}")
        if self.at not in found:
            self._take(found[0])
        self.filter, self.shown = query, tuple(found)

    def set_lens(self, lens: Lens) -> None:
        """Show another reading, from the same turn on where it has it."""
        problem = lens_problem(self.rollout, lens)
        if problem is not None:
            raise CannotShowError(f"lens {lens} has nothing to show: {problem}")
        turn = self.turn
        self.wanted = lens
        self._turn_to(lens, self.talk.invocation)
        if turn is not None and any(section.turn == turn for section in self.talk.sections):
            self.start = self._index_of(Place(self.talk.invocation, turn))

    def set_panel(self, panel: str) -> None:
        """Show the transcript or a panel of the evidence."""
        self.panel = panel

    def set_folds(self, folds: Folds) -> None:
        """Unfold or fold everything that can be."""
        self.folds = folds
        start = self.start
        self._turn_to(self.talk.lens, self.talk.invocation)
        self.start = start

    def set_conversation(self, invocation: str | None) -> None:
        """Show the conversation of the root (None or '') or of a subagent, from its beginning."""
        invocation = self._home(invocation)
        if find_invocation(self.rollout, invocation) is None:
            raise CannotShowError(f"{self.rollout.id}: has no conversation {invocation}")
        if self.talk.lens == "scored":
            raise CannotShowError("lens scored is one reading of all conversations; choose another lens first")
        self._turn_to(self.talk.lens, invocation)
        self.panel = TRANSCRIPT

    def set_turn(self, turn: int | None) -> None:
        """Show the transcript from a turn on."""
        if turn is not None:
            self.start = self.talk.index_of_turn(turn)
            self.panel, self.opened = TRANSCRIPT, None

    def step_turn(self, forward: bool) -> None:
        """Show the next turn or the one before; from a panel, the turn that the transcript stands at."""
        here = self.turn
        turns = sorted({section.turn for section in self.talk.sections if section.turn is not None})
        if here is None:
            raise CannotShowError(f"lens {self.talk.lens} has no turns")
        if self.panel == TRANSCRIPT:
            others = (
                [turn for turn in turns if turn > here] if forward else [turn for turn in turns if turn < here][-1:]
            )
            if not others:
                raise CannotShowError(f"turn {here} is the {'last' if forward else 'first'} one")
            here = others[0]
        self.set_turn(here)

    def go(self, place: Place) -> None:
        """Show the transcript from a turn or an item on."""
        found = locate(self.rollout, place)
        talk = Conversation(self.rollout, self.talk.lens, self._home(found.invocation), self.folds)
        start = talk.index_of_turn(found.turn) if found.turn is not None else talk.index_of_item(found.item_id or "")
        self.talk, self.start, self.opened = talk, start, None
        self.panel = TRANSCRIPT

    def turn_page(self, forward: bool) -> None:
        """Show the next page or the one before."""
        page = self.page()
        if forward and page.stop < len(self.talk.sections):
            self.start, self.opened = page.stop, None
        elif not forward and page.start:
            self.start, self.opened = self.talk.start_before(page.start), None
        self.panel = TRANSCRIPT

    def set_query(self, query: str) -> None:
        """Search and go to the first match from here on; no match is said, not raised."""
        self.query, self.hits, self.hit, self.opened = query, NOTHING_FOUND, -1, None
        if not query:
            return
        self.hits = search(self.rollout, self.talk.lens, query)
        if not self.hits.found:
            self.said = f"no match of {query} in lens {self.talk.lens}"
            return
        order = conversations(self.rollout, self.talk.lens)
        self._show_hit(self.hits.after(order, self.talk.invocation, self.start))

    def next_hit(self) -> None:
        """Go to the next match; after the last one, to the first."""
        if not self.hits.found:
            raise CannotShowError(f"no match of {self.query}" if self.query else "nothing is searched for yet")
        self._show_hit((self.hit + 1) % len(self.hits.found))

    @property
    def turn(self) -> int | None:
        """The first turn on the page."""
        return self.talk.turn_at(self.start)

    def page(self, anchors: Anchors | None = None) -> Page:
        """The page that begins where we are."""
        return self.talk.page(self.start, self.opened, anchors)

    def html(self, page: Page | None, anchors: Anchors | None = None) -> str:
        """Return the verdict and the page, or the panel for None, as HTML."""
        head = head_html(self.rollout, self.talk.lens, self.talk.invocation)
        body = panel_html(self.rollout, self.panel, anchors) if page is None else page.html
        found = hit_html(self.hits.found[self.hit], self.hit, self.hits) if page is not None and self.hit >= 0 else ""
        return "".join([head, found, body, notices_html(self.shelf.notices)])

    def words(self, page: Page | None) -> str:
        """Return where we are in one line: which rollout, which turns, what the last move has to say."""
        many = len(self.shelf.summaries)
        place = self.shown.index(self.at) + 1 if self.at in self.shown else 0
        parts = [f"rollout {exact(place)} of {exact(len(self.shown))}" if place and many > 1 else ""]
        parts.append(f"{exact(len(self.shown))} of {exact(many)} match" if len(self.shown) < many else "")
        parts.append(self.talk.words(page) if page is not None else self.panel)
        parts += [lens_words(self.rollout, self.wanted, self.talk.lens), self.said]
        return " · ".join(part for part in parts if part)

    def _home(self, invocation: str | None) -> str | None:
        root = self.rollout.root
        return None if not invocation or (root is not None and invocation == root.id) else invocation

    def _take(self, index: int) -> None:
        rollout = self.shelf.load(index)
        self.at, self.rollout = index, rollout
        self._turn_to(open_lens(rollout, self.wanted), None)

    def _turn_to(self, lens: Lens, invocation: str | None) -> None:
        """Another conversation or reading: what was found in the last one is not of this."""
        self.talk = Conversation(self.rollout, lens, invocation, self.folds)
        self.start, self.opened = 0, None
        self.query, self.hits, self.hit = "", NOTHING_FOUND, -1

    def _index_of(self, place: Place) -> int:
        try:
            return self.talk.index_of_turn(place.turn or 0)
        except CannotShowError:
            return 0

    def _show_hit(self, number: int) -> None:
        hit = self.hits.found[number]
        if hit.invocation != self.talk.invocation:
            self.talk = Conversation(self.rollout, self.talk.lens, hit.invocation, self.folds)
        self.start, self.opened, self.hit = hit.section, hit.match.block.id, number
        self.panel = TRANSCRIPT
