"""What every live view of rollouts has in common: traits to set and to observe, moves, and errors that are said."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from traitlets import Enum, HasTraits, Int, TraitError, Unicode, observe, validate

from rollout_loaders.cycles import no_cycles
from rollout_loaders.model import Place, Rollout, RolloutSummary
from rollout_views.block import LENSES, Lens
from rollout_views.static_html import page as document
from rollout_views.transcript import lens_problem

from .pages import FOLDS
from .panels import PANELS
from .reading import Reading
from .static_display import bundle, one_html, rollouts_text

Change = dict[str, Any]
TRAITS = ("rollout_id", "lens", "panel", "conversation", "turn", "filter", "query", "folds")


class SteeredView(HasTraits):
    """The Python side of a view. A subclass shows the reading (`_show`) and a line of text (`_say`)."""

    rollout_id = Unicode(help="Id of the rollout that is shown.")
    lens = Enum(LENSES, default_value="observed", help="Which reading is shown.")
    panel = Enum(PANELS, default_value="Why", help="The transcript, or a panel of the evidence.")
    conversation = Unicode(None, allow_none=True, help="Id of the invocation that is shown; None is the root.")
    turn = Int(None, allow_none=True, help="The first turn on the page.")
    filter = Unicode(help="The filter of the list, as in the terminal.")
    query = Unicode(help="The text that is searched for.")
    folds = Enum(FOLDS, default_value=FOLDS[0], help="Whether reasoning and long outputs are unfolded.")

    _reading: Reading
    _quiet = True
    """Whether traits and controls are following, so that their changes are no wishes."""

    @property
    def rollout(self) -> Rollout:
        """The rollout that is shown."""
        return self._reading.rollout

    @property
    def rollouts(self) -> tuple[RolloutSummary, ...]:
        """Summaries of the rollouts that the filter lets through."""
        return tuple(self._reading.shelf.summaries[index] for index in self._reading.shown)

    @property
    def notices(self) -> tuple[str, ...]:
        """What could not be read, a line each."""
        return self._reading.shelf.notices

    @property
    def status(self) -> str:
        """The line above the page."""
        raise NotImplementedError

    def to_html(self) -> str:
        """Return the rollout as one document that works offline, in full."""
        return document(self.rollout, self._reading.talk.lens)

    def goto(self, *, turn: int | None = None, conversation: str | None = None, item: str | None = None) -> None:
        """Show the transcript from a turn or an item on. Raises `RolloutError` for a place that is not there."""
        with self._moving():
            home = conversation or (self.conversation if item is None else None)
            self._reading.go(Place(home, turn, item))

    def earlier(self) -> None:
        """Show the page before."""
        with self._moving():
            self._reading.turn_page(forward=False)

    def later(self) -> None:
        """Show the next page."""
        with self._moving():
            self._reading.turn_page(forward=True)

    def next_match(self) -> None:
        """Go to the next match of `query`; after the last one, to the first."""
        with self._moving():
            self._reading.next_hit()

    def _show(self) -> None:
        """Let controls and page follow the reading."""
        raise NotImplementedError

    def _say(self, text: str) -> None:
        """Show a line that may be foreign."""
        raise NotImplementedError

    def _moves(self) -> dict[str, Callable[[Any], None]]:
        """What setting a trait does."""
        reading = self._reading
        return {
            "rollout_id": reading.pick_id,
            "lens": reading.set_lens,
            "panel": reading.set_panel,
            "conversation": reading.set_conversation,
            "turn": reading.set_turn,
            "filter": reading.set_filter,
            "query": reading.set_query,
            "folds": reading.set_folds,
        }

    @no_cycles()
    def _static_form(self) -> dict[str, str]:
        """The rollout that is shown, for where no kernel runs."""
        reading = self._reading
        return bundle(
            one_html(self.rollout, reading.talk.lens), rollouts_text(reading.shelf, [reading.at], reading.talk.lens)
        )

    @validate("lens")
    def _has_lens(self, proposal: Change) -> Lens:
        lens: Lens = proposal["value"]
        problem = None if self._quiet else lens_problem(self.rollout, lens)
        if problem is not None:
            raise TraitError(f"lens {lens} has nothing to show: {problem}")
        return lens

    @observe(*TRAITS)
    def _on_trait(self, change: Change) -> None:
        if not self._quiet:
            with self._moving():
                self._moves()[change["name"]](change["new"])

    @contextlib.contextmanager
    def _saying(self) -> Generator[None, None, None]:
        """What goes wrong in a callback becomes the status: a front end would lose it."""
        try:
            yield
        except Exception as error:
            self._say(str(error) or repr(error))

    @contextlib.contextmanager
    def _moving(self) -> Generator[None, None, None]:
        """Moves the reading; traits and controls follow, also when the move was refused."""
        self._quiet = True
        self._reading.said = ""
        try:
            yield
        finally:
            try:
                self._follow()
            finally:
                self._quiet = False

    def _follow(self) -> None:
        reading = self._reading
        self._show()
        self.set_trait("rollout_id", reading.rollout.id)
        self.set_trait("lens", reading.talk.lens)
        self.set_trait("panel", reading.panel)
        self.set_trait("conversation", reading.talk.invocation)
        self.set_trait("turn", reading.turn)
        self.set_trait("filter", reading.filter)
        self.set_trait("query", reading.query)
        self.set_trait("folds", reading.folds)
