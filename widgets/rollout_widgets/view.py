"""The live view of rollouts in ipywidgets: controls that follow the traits, one page of HTML at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ipywidgets import VBox

from rollout_views.block import Lens

from .controls import Controls, show_state
from .reading import Reading
from .shelf import Shelf
from .steering import Change, SteeredView


class RolloutView(SteeredView, VBox):
    """A view of the rollouts of one path; `show` makes it.

    Set or observe the traits `rollout_id`, `lens`, `panel`, `conversation`, `turn`, `filter`, `query` and `folds`.
    """

    def __init__(
        self, shelf: Shelf, shown: Sequence[int], *, lens: Lens = "observed", height: str | None = None
    ) -> None:
        self._reading = Reading(shelf, shown, lens)
        self.controls = Controls()
        super().__init__(self.controls.rows())
        if height is not None:
            self.controls.page.layout.max_height = height
            self.controls.page.layout.overflow = "auto"
        with self._moving():
            pass
        self._connect()

    @property
    def status(self) -> str:
        """The line above the page."""
        return self.controls.status.said

    def _show(self) -> None:
        show_state(self.controls, self._reading)

    def _say(self, text: str) -> None:
        self.controls.status.say(text)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        made = super()._repr_mimebundle_(**kwargs)
        data = made[0] if isinstance(made, tuple) else made
        return {**(data or {}), **self._static_form()}

    def _connect(self) -> None:
        controls, moves = self.controls, self._moves()
        controls.rollouts.observe(self._obeying(self._reading.pick), "value")
        for name, control in controls.by_trait().items():
            control.observe(self._obeying(moves[name]), "value")
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
