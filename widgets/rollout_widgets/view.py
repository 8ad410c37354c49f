"""The live view of rollouts: traits to set and to observe, controls that follow them, one page of HTML at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

from ipywidgets import VBox
from traitlets import Enum, Int, TraitError, Unicode, observe, validate

from rollout_loaders.model import Place, Rollout, RolloutSummary
from rollout_views.block import LENSES, Lens
from rollout_views.static_html import page as document
from rollout_views.transcript import lens_problem

from .controls import Controls, show_state
from .pages import FOLDS
from .panels import PANELS
from .reading import Reading
from .shelf import Shelf
from .static_display import bundle, one_html, rollouts_text

Change = dict[str, Any]
TRAITS = ("rollout_id", "lens", "panel", "conversation", "turn", "filter", "query", "folds")


class RolloutView(VBox):
    """A view of the rollouts of one path; `show` makes it.

    Set or observe the traits `rollout_id`, `lens`, `panel`, `conversation`, `turn`, `filter`, `query` and `folds`.
    """

    rollout_id = Unicode(help="Id of the rollout that is shown.")
    lens = Enum(LENSES, default_value="observed", help="Which reading is shown.")
    panel = Enum(PANELS, default_value="Why", help="The transcript, or a panel of the evidence.")
    conversation = Unicode(None, allow_none=True, help="Id of the invocation that is shown; None is the root.")
    turn = Int(None, allow_none=True, help="The first turn on the page.")
    filter = Unicode(help="The filter of the list, as in the terminal.")
    query = Unicode(help="The text that is searched for.")
    folds = Enum(FOLDS, default_value=FOLDS[0], help="Whether reasoning and long outputs are unfolded.")

    def __init__(
        self, shelf: Shelf, shown: Sequence[int], *, lens: Lens = "observed", height: str | None = None
    ) -> None:
        reading = Reading(shelf, shown, lens)
        self._reading = reading
        self._moves: dict[str, Callable[[Any], None]] = {
            "rollout_id": reading.pick_id,
            "lens": reading.set_lens,
            "panel": reading.set_panel,
            "conversation": reading.set_conversation,
            "turn": reading.set_turn,
            "filter": reading.set_filter,
            "query": reading.set_query,
            "folds": reading.set_folds,
        }
        self._quiet = True
        self.controls = Controls()
        super().__init__(self.controls.rows())
        if height is not None:
            self.controls.page.layout.max_height = height
            self.controls.page.layout.overflow = "auto"
        with self._moving():
            pass
        self._connect()

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
        return self.controls.status.said

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

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        made = super()._repr_mimebundle_(**kwargs)
        data = made[0] if isinstance(made, tuple) else made
        reading = self._reading
        lens = reading.talk.lens
        static = bundle(one_html(self.rollout, lens), rollouts_text(reading.shelf, [reading.at], lens))
        return {**(data or {}), **static}

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
                self._moves[change["name"]](change["new"])

    def _connect(self) -> None:
        controls = self.controls
        controls.rollouts.observe(self._obeying(self._reading.pick), "value")
        for name, control in controls.by_trait().items():
            control.observe(self._obeying(self._moves[name]), "value")
        controls.earlier.on_click(self._reporting(self.earlier))
        controls.later.on_click(self._reporting(self.later))
        controls.next_hit.on_click(self._reporting(self.next_match))

    def _obeying(self, move: Callable[[Any], None]) -> Callable[[Change], None]:
        """A callback that makes a move with a control's new value."""

        def moved(change: Change) -> None:
            if self._quiet:
                return
            with self._saying(), self._moving():
                move(change["new"])

        return moved

    def _reporting(self, action: Callable[[], None]) -> Callable[[object], None]:
        def pressed(_button: object) -> None:
            with self._saying():
                action()

        return pressed

    @contextlib.contextmanager
    def _saying(self) -> Generator[None, None, None]:
        """What goes wrong in a callback becomes the status: a front end would lose it."""
        try:
            yield
        except Exception as error:
            self.controls.status.say(str(error) or repr(error))

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
        show_state(self.controls, reading)
        self.set_trait("rollout_id", reading.rollout.id)
        self.set_trait("lens", reading.talk.lens)
        self.set_trait("panel", reading.panel)
        self.set_trait("conversation", reading.talk.invocation)
        self.set_trait("turn", reading.turn)
        self.set_trait("filter", reading.filter)
        self.set_trait("query", reading.query)
        self.set_trait("folds", reading.folds)
