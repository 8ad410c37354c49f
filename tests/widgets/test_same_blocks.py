"""The widget shows what the terminal shows: the same blocks, in order, with the same words, over all fixtures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.paths import SAMPLES
from tests.widgets.shown import live, page_words, whole_transcript, words

from rollout_loaders.collection import open_paths
from rollout_loaders.fixtures import find_fixtures
from rollout_loaders.model import Rollout
from rollout_views.block import LENSES, Block
from rollout_views.block_html import html_text
from rollout_views.evidence_tabs import TABS, blocks_of
from rollout_views.transcript import blocks, lens_problem
from rollout_views.verdict import verdict_line
from rollout_widgets import RolloutView

FIXTURES = find_fixtures(SAMPLES)


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_every_block_of_every_lens_and_conversation_is_on_a_page(folder: Path) -> None:
    for rollout in open_paths([str(folder)]).rollouts():
        view = live(rollout)
        for lens in LENSES:
            if lens_problem(rollout, lens) is not None:
                continue
            view.lens = lens
            for invocation in [None] if lens == "scored" else [None, *(one.id for one in rollout.invocations[1:])]:
                if lens != "scored":
                    view.conversation = invocation
                in_order(list(blocks(rollout, lens, invocation)), whole_transcript(view))
        panels_in_order(rollout, view)


def panels_in_order(rollout: Rollout, view: RolloutView) -> None:
    for tab in TABS:
        view.panel = tab
        shown = page_words(view)
        assert plain(verdict_line(rollout)) in shown
        made = list(blocks_of(rollout, tab))
        in_order(made[1:] if tab == "Why" else made, shown)


def in_order(made: list[Block], shown: str) -> None:
    position = shown.find(" lens ")
    for block in made:
        ends: list[int] = []
        for text in (plain(block.label), plain(block.title), block.badge):
            position = end(text, shown, position)
        for text in (plain(block.mark), plain(head(block))):
            ends.append(end(text, shown, position))
        position = max(ends)


def end(text: str, shown: str, position: int) -> int:
    """Where `text` ends, at or after a position."""
    found = shown.find(text, position)
    assert found >= 0, (text[:200], shown[position : position + 300])
    return found + len(text)


def head(block: Block) -> str:
    """The first lines of a body, as many as any page shows."""
    return "\n".join(block.display_body.split("\n")[:10])[:1_000]


def plain(text: str) -> str:
    """Foreign text as a page's words have it."""
    return re.sub(r"\s+", " ", words(html_text(text))).strip()
