"""What a display shows, as tests look at it."""

from __future__ import annotations

import re
from typing import Any

from tests.views.allowed_html import Checked
from traitlets import HasTraits

from rollout_widgets import RolloutView, StaticView, show

VIEW = "application/vnd.jupyter.widget-view+json"


def live(source: Any, **options: Any) -> RolloutView:
    """A live view."""
    view = show(source, **options)
    assert isinstance(view, RolloutView)
    return view


def static(source: Any, **options: Any) -> StaticView:
    """A static view."""
    view = show(source, static=True, **options)
    assert isinstance(view, StaticView)
    return view


def bundle(display: Any) -> dict[str, Any]:
    """What a front end is sent."""
    made: dict[str, Any] = display._repr_mimebundle_()
    return made


def words(html: str) -> str:
    """The text of HTML, white space made one space."""
    apart = re.sub(r"<(p|h\d|t[dhr]|li|pre|div|section)\b", r" <\1", html)
    return re.sub(r"\s+", " ", Checked(apart).text.replace("\xa0", " "))


def page(view: RolloutView) -> str:
    """The HTML on the page of a live view."""
    return view.controls.page.value


def page_words(view: RolloutView) -> str:
    return words(page(view))


def whole_transcript(view: RolloutView) -> str:
    """The words of all pages of the transcript from the beginning on."""
    view.panel = "Transcript"
    while not view.controls.earlier.disabled:
        view.earlier()
    pages = [page_words(view)]
    while not view.controls.later.disabled:
        view.later()
        pages.append(page_words(view))
    return "\n".join(pages)


def changes(view: HasTraits, trait: str) -> list[Any]:
    """The values that a trait takes from now on."""
    seen: list[Any] = []

    def note(change: dict[str, Any]) -> None:
        seen.append(change["new"])

    view.observe(note, trait)
    return seen
