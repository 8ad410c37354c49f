"""Display objects that need no kernel: `text/html` and `text/plain`, and nothing that a trusted notebook would run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout
from rollout_views.block import Lens
from rollout_views.inert_math import UNTYPESET
from rollout_views.notebook_document import plain_head
from rollout_views.static_html import page, rollout_fragment

from .overview_html import rate_words, table_html, table_text
from .panels import notices_html
from .shelf import Shelf

MOST_BYTES = 150_000
"""Of HTML, so that the whole bundle stays under 200 KB however it is encoded."""
MOST_WHOLE = 8
"""Rollouts of a set that are shown with their transcripts."""
SWITCH = "ROLLOUT_WIDGETS_STATIC"


def static_wanted(static: bool) -> bool:
    """Tell whether displays are to be static: asked for here, or by the environment."""
    return static or os.environ.get(SWITCH, "") not in ("", "0")


@dataclass(frozen=True)
class StaticDisplay:
    """HTML and text, made when they are shown."""

    _html: Callable[[], str]
    _text: Callable[[], str]

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        return bundle(self._html(), self._text())


class StaticView:
    """Rollouts as they read where no kernel runs. `rollout` is the first of them."""

    def __init__(self, shelf: Shelf, shown: Sequence[int], lens: Lens) -> None:
        self._shelf, self._shown = shelf, tuple(shown)
        self._lens: Lens = lens

    @property
    def rollout(self) -> Rollout:
        """The first rollout that is shown."""
        return self._shelf.load(self._shown[0])

    def to_html(self) -> str:
        """Return one document that works offline, with every rollout in full."""
        return page([self._shelf.load(index) for index in self._shown], self._lens)

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        return bundle(
            rollouts_html(self._shelf, self._shown, self._lens), rollouts_text(self._shelf, self._shown, self._lens)
        )


def bundle(html: str, text: str) -> dict[str, str]:
    """Return the two forms that every front end without a kernel knows."""
    return {"text/html": f"{UNTYPESET}{html}</div>\n", "text/plain": text}


def rollouts_html(shelf: Shelf, shown: Sequence[int], lens: Lens) -> str:
    """Return the rollouts as one fragment: one in full, several under their list, each with its share."""
    notices = notices_html(shelf.notices)
    if len(shown) == 1:
        return one_html(shelf.load(shown[0]), lens, MOST_BYTES) + notices
    summaries = [shelf.summaries[index] for index in shown]
    rest = f"rollout-inspect list {shelf.name}"
    pieces = [f"<p><strong>{rate_words(summaries)}</strong></p>\n", table_html(summaries, 100, rest), notices]
    share = (MOST_BYTES - sum(len(piece.encode("utf-8", "replace")) for piece in pieces)) // min(len(shown), MOST_WHOLE)
    for index in shown[:MOST_WHOLE]:
        pieces += ["<hr>\n", one_html(shelf.load(index), lens, share)]
    if len(shown) > MOST_WHOLE:
        pieces.append(f"<p><em>… {len(shown) - MOST_WHOLE:,} more rollouts; pick one with only=…</em></p>\n")
    return "".join(pieces)


def one_html(rollout: Rollout, lens: Lens, most: int = MOST_BYTES) -> str:
    """Return one rollout: verdict, Why, beginning and end of the transcript."""
    return rollout_fragment(rollout, lens, prefix=f"{rollout.id}-", max_bytes=most)


def rollouts_text(shelf: Shelf, shown: Sequence[int], lens: Lens) -> str:
    """Return at most sixty lines of text: the head of one transcript, or of the list."""
    if len(shown) == 1:
        return plain_head(shelf.load(shown[0]), lens)
    return table_text([shelf.summaries[index] for index in shown])
