"""The controls of a view: a fixed set of models, however long the rollout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from ipywidgets import HTML, BoundedIntText, Box, Button, Dropdown, Layout, Text, ToggleButtons, VBox

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.block import LENSES
from rollout_views.inert_math import UNTYPESET

from .pages import FOLDS, Page
from .panels import PANELS, TRANSCRIPT, panel_label
from .picker import ROOT, conversation_options, lens_options, rollout_options
from .reading import Reading
from .status import Status

_NARROW = {"description_width": "initial"}
_BUTTONS = {"button_width": "auto", "description_width": "initial"}

_WHOLE_LINE = {"width": "auto", "max_width": "100%"}


def _dropdown(description: str, width: str, tooltip: str) -> Callable[[], Dropdown]:
    return lambda: Dropdown(
        description=description, tooltip=tooltip, style=_NARROW, layout={"width": width, "max_width": "100%"}
    )


def _text(description: str, placeholder: str, width: str) -> Callable[[], Text]:
    return lambda: Text(
        description=description,
        placeholder=placeholder,
        continuous_update=False,
        tooltip=f"{description}, then Enter",
        style=_NARROW,
        layout={"width": width, "max_width": "100%"},
    )


def _button(description: str, tooltip: str) -> Callable[[], Button]:
    return lambda: Button(description=description, tooltip=tooltip, layout={"width": "auto"})


def _page_number() -> BoundedIntText:
    return BoundedIntText(description="turn", min=1, max=1, value=1, style=_NARROW, layout={"width": "13em"})


@dataclass(frozen=True)
class Controls:
    """Thirteen widgets and their boxes. What they hold is set by the view."""

    rollouts: Dropdown = field(default_factory=_dropdown("rollout", "38em", "which rollout is shown"))
    filter: Text = field(default_factory=_text("filter", "reward<1 finding:empty-final-answer", "24em"))
    lens: ToggleButtons = field(
        default_factory=lambda: ToggleButtons(options=LENSES, value="observed", style=_BUTTONS, layout=_WHOLE_LINE)
    )
    panel: ToggleButtons = field(
        default_factory=lambda: ToggleButtons(options=PANELS, value="Why", style=_BUTTONS, layout=_WHOLE_LINE)
    )
    conversation: Dropdown = field(
        default_factory=_dropdown("conversation", "26em", "the root or one of its subagents")
    )
    earlier: Button = field(default_factory=_button("◀ earlier", "the page before"))
    turn: BoundedIntText = field(default_factory=_page_number)
    later: Button = field(default_factory=_button("later ▶", "the next page"))
    search: Text = field(default_factory=_text("search", "text anywhere in this rollout", "22em"))
    next_hit: Button = field(default_factory=_button("next match", "go to the next match"))
    folds: Dropdown = field(default_factory=_dropdown("folds", "13em", "reasoning and long outputs"))
    status: Status = field(default_factory=Status)
    page: HTML = field(default_factory=HTML)

    def __post_init__(self) -> None:
        self.folds.options = FOLDS
        self.page.add_class("rollout-page")

    def rows(self) -> tuple[Box, ...]:
        """The controls as rows that wrap, the page below them."""
        return (
            _row(self.rollouts, self.filter),
            _row(self.panel),
            _row(self.lens, self.conversation, self.folds),
            _row(self.earlier, self.turn, self.later, self.search, self.next_hit),
            VBox([self.status, self.page]),
        )

    def by_trait(self) -> dict[str, Dropdown | Text | ToggleButtons | BoundedIntText]:
        """The controls whose value is a trait of the view."""
        return {
            "filter": self.filter,
            "lens": self.lens,
            "panel": self.panel,
            "conversation": self.conversation,
            "turn": self.turn,
            "query": self.search,
            "folds": self.folds,
        }


def show_state(controls: Controls, reading: Reading) -> None:
    """Set every control to what the reading shows, and draw its page."""
    rollout, talk = reading.rollout, reading.talk
    controls.rollouts.options = rollout_options(reading.shelf.summaries, reading.shown, reading.at)
    controls.rollouts.value = reading.at
    controls.filter.value, controls.search.value = reading.filter, reading.query
    options, why = lens_options(rollout)
    controls.lens.options, controls.lens.tooltips = options, why
    controls.lens.value = talk.lens
    controls.panel.options = [(panel_label(rollout, name), name) for name in PANELS]
    controls.panel.value = reading.panel
    controls.conversation.options = conversation_options(rollout)
    controls.conversation.value = talk.invocation or ROOT
    controls.conversation.disabled = talk.lens == "scored"
    controls.conversation.layout.display = None if len(rollout.invocations) > 1 else "none"
    controls.folds.value = reading.folds
    page = reading.page() if reading.panel == TRANSCRIPT else None
    _show_pager(controls, reading, page)
    controls.status.say(reading.words(page))
    controls.page.value = f"{UNTYPESET}{reading.html(page)}</div>"


def _show_pager(controls: Controls, reading: Reading, page: Page | None) -> None:
    turns = reading.talk.turns
    controls.turn.max = max(turns, 1)
    controls.turn.value = reading.turn or 1
    controls.turn.disabled = not turns
    controls.turn.description = f"turn (of {turns})"
    controls.earlier.disabled = page is None or page.start == 0
    controls.later.disabled = page is None or page.stop >= len(reading.talk.sections)
    controls.next_hit.disabled = not reading.hits.found


def _row(*children: Dropdown | Text | ToggleButtons | Button | BoundedIntText) -> Box:
    return Box(children, layout=Layout(display="flex", flex_flow="row wrap", align_items="center"))
