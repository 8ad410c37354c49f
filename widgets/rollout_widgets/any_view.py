"""The live view of rollouts as one anywidget model: the same traits and pages, drawn by a module of its own.

Python makes all HTML, escaped; `any_view.js` sets the page and gives the controls their words as text. A wish of the
front end comes back as a message and goes through the same moves as a trait, so a refused one becomes the status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anywidget import AnyWidget
from traitlets import Dict, Int

from rollout_loaders.model import Place
from rollout_views.block import Lens
from rollout_views.foreign import visible_line
from rollout_views.inert_math import UNTYPESET

from .errors import CannotShowError
from .jumps import Jumps
from .pages import FOLDS
from .panels import PANELS, TRANSCRIPT, panel_label
from .picker import conversation_options, lens_options, rollout_options
from .reading import Reading
from .shelf import Shelf
from .steering import SteeredView

Choice = tuple[list[Any], Callable[[Any], None]]
"""What a control offers, and the move that takes one of it."""


def _ours(_sent: object, view: AnyRolloutView) -> Mapping[str, Any]:
    """What a front end sends back as the page is not taken: the page is made here alone."""
    return view.shown


class AnyRolloutView(SteeredView, AnyWidget):
    """A view of the rollouts of one path; `show(…, live="anywidget")` makes it.

    Set or observe the same traits as of a `RolloutView`.
    """

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    shown: Dict[str, Any] = Dict(help="What is drawn: page, status and controls; foreign text in it is visible.").tag(
        sync=True, from_json=_ours
    )
    seen = Int(0, help="The number of the drawing that a front end has drawn.").tag(sync=True)

    def __init__(
        self, shelf: Shelf, shown: Sequence[int], *, lens: Lens = "observed", height: str | None = None
    ) -> None:
        self._reading = Reading(shelf, shown, lens)
        self._height = height
        self._said = ""
        self._jumps = Jumps(self._reading.rollout)
        self._choices: dict[str, Choice] = {}
        super().__init__()
        with self._moving():
            pass
        self.on_msg(self._on_message)

    @property
    def status(self) -> str:
        """The line above the page."""
        return self._said

    @property
    def jumps(self) -> dict[str, Place]:
        """Where the links lead that leave the page, by their ids."""
        return self._jumps.places

    def _show(self) -> None:
        reading = self._reading
        self._jumps = Jumps(reading.rollout)
        page = reading.page(self._jumps) if reading.panel == TRANSCRIPT else None
        self._said = visible_line(reading.words(page))
        sections = len(reading.talk.sections)
        self._draw(
            page=f"{UNTYPESET}{reading.html(page, self._jumps)}</div>",
            height=self._height,
            status=self._said,
            choices=self._offered(),
            texts={"filter": visible_line(reading.filter), "query": visible_line(reading.query)},
            turn=reading.turn,
            turns=reading.talk.turns,
            may={
                "earlier": page is not None and page.start > 0,
                "later": page is not None and page.stop < sections,
                "next": bool(reading.hits.found),
            },
        )

    def _say(self, text: str) -> None:
        self._said = visible_line(text)
        self._draw(**{**self.shown, "status": self._said})

    def _draw(self, **shown: Any) -> None:
        """One message a drawing; its number makes it new also where a refused wish left everything as it was."""
        self.shown = {**shown, "number": self.shown.get("number", 0) + 1}

    def _offered(self) -> dict[str, dict[str, Any]]:
        """The controls that choose: a front end knows the labels alone and answers with a number."""
        reading = self._reading
        rollout, talk = reading.rollout, reading.talk
        lenses, why = lens_options(rollout)
        panels = [(panel_label(rollout, name), name) for name in PANELS]
        offered: dict[str, tuple[Sequence[tuple[str, Any]], Any, Callable[[Any], None]]] = {
            "rollout": (
                rollout_options(reading.shelf.summaries, reading.shown, reading.at),
                reading.at,
                reading.pick,
            ),
            "panel": (panels, reading.panel, reading.set_panel),
            "lens": (lenses, talk.lens, reading.set_lens),
            "conversation": (conversation_options(rollout), talk.invocation or "", reading.set_conversation),
            "folds": ([(name, name) for name in FOLDS], reading.folds, reading.set_folds),
        }
        self._choices = {name: ([value for _, value in options], move) for name, (options, _, move) in offered.items()}
        made: dict[str, dict[str, Any]] = {
            name: {"labels": [label for label, _ in options], "at": self._choices[name][0].index(at)}
            for name, (options, at, _) in offered.items()
        }
        made["lens"]["why"] = why
        made["conversation"]["fixed"] = talk.lens == "scored"
        return made

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        with self._saying(), self._moving():
            self._grant(str(content.get("do")), content.get("value"))

    def _grant(self, name: str, value: Any) -> None:
        reading = self._reading
        if name in self._choices:
            values, move = self._choices[name]
            move(values[_number(value, len(values))])
        elif name == "turn":
            reading.set_turn(_number(value))
        elif name == "step":
            reading.step_turn(forward=_number(value, 2) == 1)
        elif name in ("filter", "query"):
            (reading.set_filter if name == "filter" else reading.set_query)(str(value))
        elif name in ("earlier", "later"):
            reading.turn_page(forward=name == "later")
        elif name == "next":
            reading.next_hit()
        elif name == "jump" and value in self.jumps:
            reading.go(self.jumps[value])
        else:
            raise CannotShowError(f"there is no {name} {value}")

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        parent: Any = super()
        data, metadata = parent._repr_mimebundle_(**kwargs)
        return {**data, **self._static_form()}, metadata


def _number(value: object, many: int | None = None) -> int:
    """A number that a front end sent; from 0 on and below `many` where that is given."""
    if isinstance(value, bool) or not isinstance(value, int) or (many is not None and not 0 <= value < many):
        raise CannotShowError(f"there is no choice {value}")
    return value
