"""The hostile corpus through every form of the widget: allowed HTML only, everything visible, nothing claimed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.views.allowed_html import Checked
from tests.views.hostile import TEXTS, hostile_rollout, unsafe_in
from tests.widgets.shown import bundle, live, static

from rollout_loaders.model import Rollout
from rollout_widgets import RolloutView, compare, table
from rollout_widgets.formatters import findings_bundle, rollout_bundle, turn_bundle
from rollout_widgets.panels import PANELS


@pytest.fixture(params=TEXTS, scope="module")
def hostile(request: pytest.FixtureRequest) -> Rollout:
    return hostile_rollout(TEXTS[str(request.param)])


def check(html: str) -> None:
    checked = Checked(html)
    assert checked.problems == []
    assert unsafe_in(html) == set()
    assert set(checked.targets) <= set(checked.ids)
    assert "$" not in checked.text or math_is_cut(html)


def math_is_cut(html: str) -> bool:
    """No dollar sign stands in running text beside anything that it could begin or end a formula with."""
    running = ""
    depth = 0
    for piece in html.replace("<", "\n<").replace(">", ">\n").split("\n"):
        if piece.startswith("<"):
            depth += (piece.startswith(("<pre", "<code"))) - (piece.startswith(("</pre", "</code")))
        elif depth == 0 and "$" in piece:
            running += piece.replace("$", "", 1)
    return running == ""


def check_bundle(made: dict[str, Any]) -> None:
    check(made["text/html"])
    assert unsafe_in(made["text/plain"]) == set()
    assert len(made["text/plain"].split("\n")) <= 60
    assert made["text/plain"].count("◆ scored") <= 3


def check_controls(view: RolloutView) -> None:
    controls = view.controls
    labels = [label for label, _ in (*controls.rollouts.options, *controls.conversation.options)]
    check(controls.status.value)
    for text in (controls.status.said, *labels, *controls.lens.tooltips):
        assert unsafe_in(text) == set()
        assert "\n" not in text


def test_every_panel_lens_and_fold(hostile: Rollout) -> None:
    view = live(hostile)
    for panel in PANELS:
        view.panel = panel
        check(view.controls.page.value)
        check_controls(view)
    view.panel = "Transcript"
    for lens in ("stored", "observed", "scored"):
        view.lens = lens
        for folds in ("all open", "all folded", "as marked"):
            view.folds = folds
            check(view.controls.page.value)


def test_every_conversation_and_search(hostile: Rollout) -> None:
    view = live(hostile)
    for child in hostile.invocations:
        view.conversation = child.id
        check(view.controls.page.value)
    view.query = "e"
    for _ in range(5):
        if not view.controls.next_hit.disabled:
            view.next_match()
        check(view.controls.page.value)
        check_controls(view)


def test_bundles(hostile: Rollout) -> None:
    check_bundle(bundle(live(hostile)))
    check_bundle(bundle(static(hostile)))
    check_bundle(rollout_bundle(hostile))
    assert hostile.root is not None
    check_bundle(turn_bundle(hostile.root.turns[0]))
    found = findings_bundle(hostile.findings)
    assert found is not None
    check_bundle(found)


def test_tables_and_comparisons(hostile: Rollout) -> None:
    check_bundle(bundle(table(hostile)))
    check_bundle(bundle(table(hostile, static=True)))
    check_bundle(bundle(compare(hostile, hostile_rollout("other"))))
    check_bundle(bundle(compare(hostile, hostile, static=True)))
