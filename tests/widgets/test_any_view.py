"""The anywidget view: one model, the traits and pages of the ipywidgets view, wishes that come as messages."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories import invocation, rollout, think_only, tool_call, turn
from tests.paths import SAMPLES
from tests.views.allowed_html import Checked
from tests.views.hostile import TEXTS, hostile_rollout, unsafe_in
from tests.widgets.shown import VIEW, bundle, changes, live, page, words

from rollout_loaders.errors import LocatorError
from rollout_loaders.model import Rollout
from rollout_widgets import CannotShowError, RolloutView, StaticView, show
from rollout_widgets.freezing import frozen_text
from rollout_widgets.pages import FOLDS
from rollout_widgets.panels import PANELS

pytest.importorskip("anywidget")
from rollout_widgets import any_view
from rollout_widgets.any_view import AnyRolloutView

AFTER = SAMPLES / "split" / "after" / "rollouts.jsonl"
LIMIT = 200_000


def opened(source: Any, **options: Any) -> AnyRolloutView:
    view = show(source, live="anywidget", **options)
    assert isinstance(view, AnyRolloutView)
    return view


def wish(view: AnyRolloutView, name: str, value: Any = None) -> None:
    """What the front end does when a person acts."""
    model: Any = view
    model._handle_custom_msg({"do": name, "value": value}, [])


def both(view: AnyRolloutView) -> tuple[dict[str, Any], dict[str, Any]]:
    """Data and metadata, as a front end is sent them."""
    made: tuple[dict[str, Any], dict[str, Any]] = bundle(view)  # type: ignore[assignment]  # pyright: ignore
    return made


def html(view: AnyRolloutView) -> str:
    return str(view.shown["page"])


def without_jumps(text: str) -> str:
    """A page with its links as words: links are what an anywidget page has more of."""
    return re.sub(r"<a [^>]*>|</a>", "", text)


def sent(view: AnyRolloutView) -> dict[str, Any]:
    """The state of the model, as it crosses to a front end."""
    model: Any = view
    state: dict[str, Any] = model.get_state()
    json.dumps(state, ensure_ascii=False, default=str).encode("utf-8")
    return state


def test_the_argument_and_the_environment_choose_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(show(AFTER), RolloutView)
    assert isinstance(show(AFTER, live="ipywidgets"), RolloutView)
    monkeypatch.setenv("ROLLOUT_WIDGETS_LIVE", "anywidget")
    assert isinstance(show(AFTER), AnyRolloutView)
    assert isinstance(show(AFTER, live="ipywidgets"), RolloutView)
    assert isinstance(show(AFTER, static=True), StaticView)
    monkeypatch.setenv("ROLLOUT_WIDGETS_LIVE", "widgets")
    with pytest.raises(ValueError, match="ROLLOUT_WIDGETS_LIVE is one of ipywidgets, anywidget, not 'widgets'"):
        show(AFTER)


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "rollout_widgets.any_view")
    with pytest.raises(CannotShowError, match=r'pip install "rollout-inspect\[anywidget\]"'):
        show(AFTER, live="anywidget")


@pytest.mark.parametrize("source", [AFTER, SAMPLES / "subagent" / "opencode.db"], ids=["rows", "subagent"])
def test_every_page_is_that_of_the_other_view(source: Any) -> None:
    one, other = opened(source), live(source)
    for panel in PANELS:
        one.panel = other.panel = panel
        assert without_jumps(html(one)) == without_jumps(page(other))
        assert one.status == other.status
    for ident in [each.id for each in one.rollouts]:
        one.rollout_id = other.rollout_id = ident
        one.panel = other.panel = "Transcript"
        assert without_jumps(html(one)) == without_jumps(page(other))


def test_it_is_one_model() -> None:
    view = opened(AFTER)
    assert "children" not in sent(view)
    assert set(sent(view)) & {"shown", "seen", "_esm"} == {"shown", "seen", "_esm"}


def test_traits_and_moves_are_those_of_the_other_view() -> None:
    view = opened(think_only())
    turns = changes(view, "turn")
    view.goto(turn=3)
    assert (view.panel, view.turn, turns) == ("Transcript", 3, [3])
    assert "turn 3/3" in words(html(view))
    with pytest.raises(LocatorError, match="has no turn 9"):
        view.goto(turn=9)
    assert view.turn == 3
    view.folds = "all open"
    assert "<details" not in html(view)


def test_choices_are_made_by_number() -> None:
    view = opened(AFTER)
    wish(view, "rollout", 4)
    assert view.rollout_id == "4-0"
    wish(view, "lens", 2)
    assert str(view.lens) == "scored"
    wish(view, "panel", 1)
    assert view.panel == "Transcript"
    wish(view, "folds", 2)
    assert view.folds == "all folded"
    assert {name: one["at"] for name, one in view.shown["choices"].items()} == {
        "rollout": 4,
        "panel": 1,
        "lens": 2,
        "conversation": 0,
        "folds": 2,
    }


def test_turn_steps_open_the_transcript_first_and_stop_at_its_ends() -> None:
    view = opened(think_only())
    assert view.panel == "Why"
    wish(view, "step", 1)
    assert (view.panel, view.turn) == ("Transcript", 1)
    wish(view, "step", 1)
    wish(view, "step", 1)
    assert view.turn == 3
    wish(view, "step", 1)
    assert (view.turn, view.status) == (3, "turn 3 is the last one")
    wish(view, "step", 0)
    assert view.turn == 2
    wish(view, "turn", 1)
    wish(view, "step", 0)
    assert (view.turn, view.status) == (1, "turn 1 is the first one")


def test_search_filter_and_pages() -> None:
    view = opened(rollout(*(turn(number, answer=f"answer {number} " + "word " * 400) for number in range(1, 200))))
    wish(view, "query", "answer 150 ")
    assert (view.turn, view.query) == (150, "answer 150 ")
    assert "<mark>answer 150 </mark>" in html(view)
    wish(view, "query", "answer 15")
    wish(view, "next")
    assert view.turn == 151
    wish(view, "later")
    assert view.turn is not None
    assert view.turn > 151
    wish(view, "earlier")
    assert view.shown["may"]["next"] is True
    view = opened(AFTER)
    wish(view, "filter", "reward<1")
    assert [one.id for one in view.rollouts] == ["4-0"]
    wish(view, "filter", "nonsense:1")
    assert "there is no field 'nonsense'" in view.status
    assert view.filter == view.shown["texts"]["filter"] == "reward<1"


def test_a_link_of_a_panel_leads_into_the_transcript() -> None:
    view = opened(think_only())
    links = dict(re.findall(r'<a href="#([^"]+)">→ ([^<]+)</a>', html(view)))
    ident = next(ident for ident, text in links.items() if text == "turn 3")
    assert ident not in Checked(html(view)).ids
    wish(view, "jump", ident)
    assert (view.panel, view.turn) == ("Transcript", 3)


def test_a_link_leads_to_a_subagent() -> None:
    child = invocation(turn(1, answer="found"), ident="ses_child", parent_id="ses_root", title="helper")
    view = opened(rollout(turn(1, tools=(tool_call(child="ses_child"),)), turn(2, answer="4"), children=(child,)))
    view.panel = "Transcript"
    (ident,) = {one for one in Checked(html(view)).targets if one not in Checked(html(view)).ids}
    wish(view, "jump", ident)
    assert view.conversation == "ses_child"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rollout", 5),
        ("rollout", -1),
        ("rollout", True),
        ("rollout", "0"),
        ("lens", None),
        ("turn", 7),
        ("turn", 1.5),
        ("step", 2),
        ("jump", "nowhere"),
        ("jump", []),
        ("_reading", 1),
        ("", None),
    ],
)
def test_a_wish_that_is_none_is_said_and_changes_nothing(name: str, value: Any) -> None:
    view = opened(AFTER)
    before = html(view)
    number = view.shown["number"]
    wish(view, name, value)
    assert html(view) == before
    assert view.status == view.shown["status"] != ""
    assert "Why" not in view.status
    assert view.shown["number"] > number


def test_what_a_front_end_sends_back_as_the_page_is_not_taken() -> None:
    view = opened(AFTER)
    before = html(view)
    model: Any = view
    model.set_state({"shown": {"page": "<script>1</script>"}, "seen": 1})
    assert html(view) == before
    assert view.seen == 1


def test_the_static_form_goes_with_it() -> None:
    data, metadata = both(opened(AFTER))
    assert set(data) == {VIEW, "text/html", "text/plain"}
    assert data["text/plain"].splitlines()[1].startswith("reward 1 · graded · completed")
    assert metadata == {}
    assert data["text/html"] == bundle(live(AFTER))["text/html"]


def test_freeze_leaves_the_static_form_alone() -> None:
    view = opened(AFTER)
    data, metadata = both(view)
    # In Colab an anywidget adds where its widget manager lies.
    output: Any = {"data": data, "metadata": {**metadata, VIEW: {"colab": {}}}, "output_type": "display_data"}
    cell: Any = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [output], "source": []}
    saved: Any = {"application/vnd.jupyter.widget-state+json": {"state": {"a": sent(view)}}}
    text = json.dumps(
        {"cells": [cell], "metadata": {"widgets": saved}, "nbformat": 4, "nbformat_minor": 4}, indent=1, default=str
    )
    frozen = frozen_text(text)
    made = json.loads(frozen)
    assert set(made["cells"][0]["outputs"][0]["data"]) == {"text/html", "text/plain"}
    assert made["cells"][0]["outputs"][0]["metadata"] == made["metadata"] == {}
    assert "widget" not in frozen
    assert "_esm" not in frozen


def test_the_module_sets_no_html_but_the_page() -> None:
    """And it asks nobody: no import, no request, no address."""
    code = Path(any_view.__file__).with_suffix(".js").read_text(encoding="utf-8")
    assert re.findall(r"\S*(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc)[^;\n]*", code) == [
        "page.innerHTML = drawn = shown.page"
    ]
    assert (
        re.search(r"\bimport\b|\bfetch\b|https?:|\beval\b|\bFunction\b|XMLHttpRequest|setAttribute\(\"on", code) is None
    )


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_crosses_visible_and_escaped(name: str) -> None:
    hostile = hostile_rollout(TEXTS[name])
    view = opened(hostile)
    for panel in PANELS:
        view.panel = panel
        check(view)
    for lens in range(3):
        for folds in range(len(FOLDS)):
            wish(view, "panel", 1)
            wish(view, "lens", lens)
            wish(view, "folds", folds)
            check(view)
    wish(view, "query", TEXTS[name])
    check(view)
    wish(view, "filter", TEXTS[name])
    check(view)
    view.lens = "observed"
    for number in range(len(hostile.invocations)):
        wish(view, "conversation", number)
        check(view)


def check(view: AnyRolloutView) -> None:
    checked = Checked(html(view))
    assert checked.problems == []
    assert unsafe_in(html(view)) == set()
    assert set(checked.targets) <= set(checked.ids) | set(view.jumps)
    assert not set(checked.ids) & set(view.jumps)
    rest = {key: value for key, value in sent(view)["shown"].items() if key != "page"}
    for text in strings(rest):
        assert unsafe_in(text) == set()
        assert "\n" not in text


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return strings(list(value.values()))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    if isinstance(value, list):
        return [text for one in value for text in strings(one)]  # pyright: ignore[reportUnknownVariableType]
    return [value] if isinstance(value, str) else []


def long_reasoning() -> Rollout:
    return rollout(turn(1, reasoning="I think & <wonder>.\n" * 10_000, answer="4"))


def many_turns() -> Rollout:
    return rollout(*(turn(number, reasoning="Hm.", answer=f"step {number}") for number in range(1, 10_001)))


@pytest.mark.parametrize("make", [long_reasoning, many_turns])
def test_what_crosses_is_small_however_large_the_rollout(make: Callable[[], Rollout]) -> None:
    view = opened(make())
    assert len(json.dumps(both(view)[0])) < LIMIT
    for panel in ("Why", "Transcript"):
        view.panel = panel
        assert len(json.dumps(sent(view), default=str)) < LIMIT
