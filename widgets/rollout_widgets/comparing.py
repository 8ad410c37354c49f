"""`compare`: the live view of a comparison, one pair at a time, and its static form."""

from __future__ import annotations

from typing import Any

from ipywidgets import HTML, Box, Dropdown, Layout, ToggleButtons, VBox
from traitlets import Enum, Int, observe

from rollout_views.block import LENSES, Lens
from rollout_views.foreign import visible_line
from rollout_views.formatting import one_line
from rollout_views.inert_math import UNTYPESET

from .comparison import Comparison, pair_label
from .panels import notices_html
from .picker import LONGEST, MOST_OPTIONS
from .shelf import Shelf, Source
from .static_display import StaticDisplay, bundle, static_wanted
from .status import Status

Change = dict[str, Any]
WHOLE = -1
"""The choice of all pairs together."""


def compare(a: Source, b: Source, *, lens: Lens = "observed", static: bool = False) -> CompareView | StaticDisplay:
    """Compare two rollouts, or two sets of them paired by task, id or prompt.

    Args:
        a: the side before: a PATH, several, or a `Rollout`.
        b: the side after.
        lens: the reading in which differing turns are shown.
        static: as in `show`.

    Raises:
        CannotShowError: when a side holds nothing readable.
    """
    if lens not in LENSES:
        raise ValueError(f"lens is one of {', '.join(LENSES)}, not {lens!r}")
    comparison = Comparison(Shelf(a), Shelf(b))
    if static_wanted(static):
        return StaticDisplay(lambda: _html(comparison, WHOLE, lens), comparison.text)
    return CompareView(comparison, lens)


class CompareView(VBox):
    """A comparison; `pair` picks one of `comparison.deltas`, -1 shows the totals."""

    pair = Int(WHOLE, help="Index of the pair that is shown; -1 is the report on all.")
    lens = Enum(LENSES, default_value="observed", help="The reading in which turns are shown.")

    def __init__(self, comparison: Comparison, lens: Lens = "observed") -> None:
        self.comparison = comparison
        self._status, self._page = Status(), HTML()
        several = not comparison.is_single
        options = [("all pairs: totals and changes", WHOLE)] if several else []
        options += [
            (one_line(visible_line(pair_label(comparison.deltas[index])), LONGEST), index)
            for index in comparison.order[:MOST_OPTIONS]
        ]
        self._pairs = Dropdown(
            options=options,
            description="pair",
            style={"description_width": "initial"},
            layout={"width": "42em", "max_width": "100%"},
        )
        self._lens = ToggleButtons(options=LENSES, value=lens, style={"button_width": "auto"})
        row = Layout(display="flex", flex_flow="row wrap", align_items="center")
        super().__init__([Box([self._pairs, self._lens], layout=row), self._status, self._page])
        self.set_trait("lens", lens)
        self.set_trait("pair", WHOLE if several else 0)
        self._draw()
        self._pairs.observe(self._on_control, "value")
        self._lens.observe(self._on_control, "value")

    @property
    def status(self) -> str:
        """The line above the page."""
        return self._status.said

    def _on_control(self, _change: Change) -> None:
        try:
            self.set_trait("lens", self._lens.value)
            self.set_trait("pair", self._pairs.value)
        except Exception as error:  # a front end would lose it
            self._status.say(str(error) or repr(error))

    @observe("pair", "lens")
    def _on_trait(self, _change: Change) -> None:
        self._draw()

    def _draw(self) -> None:
        self._page.value = f"{UNTYPESET}{_html(self.comparison, self.pair, self._chosen_lens())}</div>"
        self._status.say(self.comparison.report.headline)
        self._pairs.value, self._lens.value = self.pair, self.lens

    def _chosen_lens(self) -> Lens:
        return next(lens for lens in LENSES if lens == self.lens)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        made = super()._repr_mimebundle_(**kwargs)
        data = made[0] if isinstance(made, tuple) else made
        html = _html(self.comparison, self.pair, self._chosen_lens())
        return {**(data or {}), **bundle(html, self.comparison.text())}


def _html(comparison: Comparison, pair: int, lens: Lens) -> str:
    notices = notices_html((*comparison.left.notices, *comparison.right.notices))
    return (comparison.html(lens) if pair == WHOLE else comparison.pair_html(pair, lens)) + notices
