"""`show`: a path or a rollout as a live view, or as static HTML where no kernel will run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from rollout_loaders.cycles import no_cycles
from rollout_loaders.errors import RolloutError
from rollout_views.block import LENSES, Lens

from .errors import CannotShowError
from .shelf import Shelf, Source, picked
from .static_display import StaticView, static_wanted
from .view import RolloutView

if TYPE_CHECKING:
    from .any_view import AnyRolloutView

Live = Literal["ipywidgets", "anywidget"]
LIVE: tuple[Live, ...] = ("ipywidgets", "anywidget")
SWITCH = "ROLLOUT_WIDGETS_LIVE"


@no_cycles()
def show(
    path_or_rollout: Source,
    *,
    lens: Lens = "observed",
    only: str | None = None,
    static: bool = False,
    height: int | str | None = None,
    live: Live | None = None,
) -> RolloutView | AnyRolloutView | StaticView:
    """Show rollouts in a notebook.

    Args:
        path_or_rollout: a PATH as the command line takes it (`rollouts.jsonl#3-1@turn:7`), several, or a `Rollout`.
        lens: the reading that opens: `stored`, `observed` or `scored`.
        only: a filter, as in the list: `reward<1 finding:empty-final-answer`. It can be changed in the view.
        static: whether to give HTML and text alone, for a notebook that is read without a kernel. The environment
            switch `ROLLOUT_WIDGETS_STATIC=1` does the same for every call.
        height: of the page, in pixels or as CSS length; it scrolls then. None lets it grow.
        live: which library draws the live view, with the same traits and pages: `ipywidgets`, or `anywidget` (the
            extra of that name; keys, jumps, marimo). None takes what `ROLLOUT_WIDGETS_LIVE` names, else ipywidgets.

    Returns:
        A `RolloutView`, or an `AnyRolloutView`; a `StaticView` when static.

    Raises:
        CannotShowError: when nothing readable was named; a notebook prints it as one line.
    """
    if lens not in LENSES:
        raise ValueError(f"lens is one of {', '.join(LENSES)}, not {lens!r}")
    make = _live_view(live)
    shelf = Shelf(path_or_rollout)
    shown = picked(shelf, only)
    if static_wanted(static):
        return StaticView(shelf, shown, lens)
    try:
        view = make(shelf, shown, lens=lens, height=f"{height}px" if isinstance(height, int) else height)
    except RolloutError as error:
        raise CannotShowError(str(error)) from error
    if only is not None:
        view.filter = only
    return view


def _live_view(live: str | None) -> type[RolloutView] | type[AnyRolloutView]:
    """The class of a live view. Raises `ValueError` for a name that is none, `CannotShowError` without the extra."""
    wanted = os.environ.get(SWITCH, "") if live is None else live
    if wanted not in ("", *LIVE):
        raise ValueError(f"{'live' if live is not None else SWITCH} is one of {', '.join(LIVE)}, not {wanted!r}")
    if wanted != "anywidget":
        return RolloutView
    try:
        from .any_view import AnyRolloutView
    except ModuleNotFoundError as error:
        raise CannotShowError('live="anywidget" needs anywidget: pip install "rollout-inspect[anywidget]"') from error
    return AnyRolloutView
