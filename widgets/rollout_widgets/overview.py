"""`table`: the rollouts of one or more paths as a list to filter, sort and group, with their pass rate."""

from __future__ import annotations

from typing import Any

from ipywidgets import HTML, Box, Dropdown, Layout, Text, ToggleButtons, VBox
from traitlets import Enum, Unicode, observe, validate

from rollout_loaders.model import RolloutSummary
from rollout_views.inert_math import UNTYPESET
from rollout_views.table import COLUMNS

from .overview_html import groups_html, rate_words, table_html, table_text
from .panels import notices_html
from .shelf import Shelf, Source, picked
from .static_display import StaticDisplay, bundle, static_wanted
from .status import Status

Change = dict[str, Any]
AS_FOUND = "as found"
SORTS: tuple[str, ...] = (AS_FOUND, *(column.key for column in COLUMNS))
GROUPS = ("rollouts", "tasks")
_COLUMNS = {column.key: column for column in COLUMNS}


def table(paths: Source, *, only: str | None = None, static: bool = False) -> TableView | StaticDisplay:
    """List rollouts with their state, reward, outcome, answer and findings, the pass rate on top.

    Args:
        paths: a PATH as the command line takes it, several, or a `Rollout`.
        only: the filter to begin with, as in `show`.
        static: as in `show`.

    Raises:
        CannotShowError: when nothing readable was named or nothing matches.
    """
    shelf = Shelf(paths)
    shown = picked(shelf, only)
    if static_wanted(static):
        summaries = [shelf.summaries[index] for index in shown]
        return StaticDisplay(lambda: _html(shelf, summaries), lambda: table_text(summaries))
    view = TableView(shelf)
    view.filter = only or ""
    return view


class TableView(VBox):
    """The list. Set or observe `filter`, `sort` (the key of a column) and `group` (`rollouts` or `tasks`)."""

    filter = Unicode(help="The filter, as in the terminal.")
    sort = Enum(SORTS, default_value=AS_FOUND, help="The column to sort by; unknown values come last.")
    group = Enum(GROUPS, default_value=GROUPS[0], help="One row a rollout, or one row a task.")

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.rollouts: tuple[RolloutSummary, ...] = shelf.summaries
        """Summaries of the rows that the filter lets through, in their order on the page."""
        self._filter = Text(
            description="filter",
            placeholder="reward<1 finding:empty-final-answer",
            continuous_update=False,
            layout={"width": "28em", "max_width": "100%"},
        )
        self._sort = Dropdown(options=SORTS, description="sort", layout={"width": "16em"})
        self._group = ToggleButtons(options=GROUPS, style={"button_width": "auto"})
        self._status, self._page = Status(), HTML()
        row = Layout(display="flex", flex_flow="row wrap", align_items="center")
        super().__init__([Box([self._filter, self._sort, self._group], layout=row), self._status, self._page])
        self._draw()
        for control in (self._filter, self._sort, self._group):
            control.observe(self._on_control, "value")

    @property
    def status(self) -> str:
        """The line above the table: how many rollouts, how many pass."""
        return self._status.said

    def _on_control(self, _change: Change) -> None:
        try:
            self.set_trait("sort", self._sort.value)
            self.set_trait("group", self._group.value)
            self.set_trait("filter", self._filter.value)
        except Exception as error:  # a front end would lose it
            self._status.say(str(error) or repr(error))

    @validate("filter")
    def _readable(self, proposal: Change) -> str:
        query: str = proposal["value"]
        self._shelf.matching(query)
        return query

    @observe("filter", "sort", "group")
    def _on_trait(self, _change: Change) -> None:
        self._draw()

    def _draw(self) -> None:
        found = [self._shelf.summaries[index] for index in self._shelf.matching(self.filter)]
        column = _COLUMNS.get(str(self.sort))
        self.rollouts = tuple(found if column is None else sorted(found, key=column.sort_key))
        self._filter.value, self._sort.value, self._group.value = self.filter, self.sort, self.group
        many = len(self._shelf.summaries)
        of = "" if len(found) == many else f" of {many:,}"
        self._status.say(rate_words(found).replace(" · ", f"{of} · ", 1))
        self._page.value = f"{UNTYPESET}{_html(self._shelf, self.rollouts, str(self.group))}</div>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        made = super()._repr_mimebundle_(**kwargs)
        data = made[0] if isinstance(made, tuple) else made
        html = _html(self._shelf, self.rollouts, str(self.group))
        return {**(data or {}), **bundle(html, table_text(self.rollouts))}


def _html(shelf: Shelf, summaries: list[RolloutSummary] | tuple[RolloutSummary, ...], group: str = GROUPS[0]) -> str:
    rows = groups_html(summaries) if group == "tasks" else table_html(summaries)
    return f"<p><strong>{rate_words(summaries)}</strong></p>\n{rows}{notices_html(shelf.notices)}"
