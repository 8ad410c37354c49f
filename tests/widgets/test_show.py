"""`show`: what opens, how it moves, what it says when something is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.factories import branch, invocation, rollout, think_only, tool_call, turn
from tests.paths import SAMPLES
from tests.widgets.shown import VIEW, bundle, changes, live, page_words, static, words
from traitlets import TraitError

from rollout_loaders.errors import LocatorError
from rollout_widgets import CannotShowError, RolloutView, StaticView, show

SPLIT = SAMPLES / "split"
AFTER = SPLIT / "after" / "rollouts.jsonl"


def test_a_rollout_opens_on_why_with_the_verdict_first() -> None:
    view = live(think_only())
    assert view.panel == "Why"
    assert page_words(view).strip().startswith("reward 0 · graded · completed · scored text: empty (turn 3)")
    assert "the judge was not called" in page_words(view)


def test_a_path_opens_its_first_rollout_and_offers_all() -> None:
    view = live(AFTER)
    assert [one.id for one in view.rollouts] == ["0-0", "1-0", "2-0", "3-0", "4-0"]
    assert view.rollout_id == view.rollout.id == "0-0"
    assert [value for _, value in view.controls.rollouts.options] == [0, 1, 2, 3, 4]


def test_a_place_opens_there() -> None:
    view = live(f"{AFTER}#4-0@turn:1")
    assert (view.rollout_id, view.panel, view.turn) == ("4-0", "Transcript", 1)


def test_rollouts_of_several_paths_are_told_apart_in_the_picker() -> None:
    labels = [str(label) for label, _ in live(SPLIT).controls.rollouts.options]
    assert len(set(labels)) == len(labels) == 10
    assert any(label.startswith("after/rollouts.jsonl#4-0") for label in labels)


def test_a_rollout_is_picked_by_id_and_by_control() -> None:
    view = live(AFTER)
    seen = changes(view, "rollout_id")
    view.rollout_id = "4-0"
    assert view.rollout.final_answer.text == ""
    view.controls.rollouts.value = 2
    assert view.rollout_id == "2-0"
    assert seen == ["4-0", "2-0"]


def test_only_filters_and_can_be_changed() -> None:
    view = live(AFTER, only="reward<1")
    assert [one.id for one in view.rollouts] == ["4-0"]
    assert view.filter == "reward<1"
    assert view.rollout_id == "4-0"
    view.filter = ""
    assert len(view.rollouts) == 5
    assert view.rollout_id == "4-0"


def test_findings_are_known_to_the_filter_of_a_small_file() -> None:
    assert [one.id for one in live(AFTER, only="finding:empty-final-answer").rollouts] == ["4-0"]


def test_a_filter_that_cannot_be_read_is_said_in_the_status_and_changes_nothing() -> None:
    view = live(AFTER)
    view.controls.filter.value = "rewad<1"
    assert "did you mean reward" in view.status
    assert view.controls.filter.value == view.filter == ""
    view.controls.filter.value = "reward>5"
    assert view.status == "none of 5 rollouts matches reward>5"
    assert len(view.rollouts) == 5


def test_lenses_show_their_reading() -> None:
    view = live(think_only())
    view.panel = "Transcript"
    view.lens = "scored"
    assert "lens scored" in page_words(view)
    assert "items" in page_words(view)
    lens: str = "observed"
    view.controls.lens.value = lens
    assert str(view.lens) == lens


def test_a_lens_with_nothing_to_show_is_refused_with_its_reason() -> None:
    view = live(rollout(turn(1, answer="4")))
    assert [label for label, _ in view.controls.lens.options] == ["stored –", "observed", "scored"]
    with pytest.raises(TraitError, match="lens stored has nothing to show"):
        view.lens = "stored"
    assert view.lens == "observed"
    view.controls.lens.value = "stored"
    assert "lens stored has nothing to show" in view.status
    assert view.controls.lens.value == "observed"


def test_the_next_lens_opens_and_says_why() -> None:
    view = live(rollout(turn(1, answer="4")), lens="stored")
    assert view.lens == "observed"
    assert "lens stored has nothing to show" in view.status


def test_goto_turn_and_the_turn_control() -> None:
    view = live(think_only())
    turns = changes(view, "turn")
    view.goto(turn=3)
    assert (view.panel, view.turn) == ("Transcript", 3)
    assert "turn 3/3" in page_words(view)
    assert "turn 1/3" not in page_words(view)
    view.controls.turn.value = 2
    assert view.turn == 2
    assert turns == [3, 2]
    assert view.controls.turn.max == 3


def test_goto_what_is_not_there_raises_and_changes_nothing() -> None:
    view = live(think_only())
    with pytest.raises(LocatorError, match="has no turn 9"):
        view.goto(turn=9)
    assert (view.panel, view.turn) == ("Why", 1)
    with pytest.raises(CannotShowError, match="has no rollout 7-7; it has 3-1"):
        view.rollout_id = "7-7"
    assert view.rollout_id == "3-1"


def test_goto_an_item() -> None:
    view = live(think_only())
    view.goto(item="prt_t3")
    assert view.turn == 3


def test_pages_turn_and_end() -> None:
    view = live(rollout(*(turn(number, answer=f"answer {number} " + "word " * 400) for number in range(1, 200))))
    view.panel = "Transcript"
    assert view.controls.earlier.disabled
    first = view.status
    view.controls.later.click()
    assert view.status != first
    second = view.turn
    view.controls.later.click()
    view.controls.earlier.click()
    assert view.turn == second
    view.goto(turn=199)
    assert view.controls.later.disabled


def test_search_goes_to_each_match_also_in_folded_text_and_subagents() -> None:
    child = invocation(turn(1, answer="the needle again"), ident="ses_child", parent_id="ses_root", title="helper")
    parent = rollout(
        turn(1, reasoning="hay\n" * 90 + "a Needle in it", tools=(tool_call(child="ses_child"),)),
        turn(2, answer="done"),
        children=(child,),
    )
    view = live(parent)
    view.controls.search.value = "needle"
    assert view.panel == "Transcript"
    assert "match 1 of 2: think a Needle in it" in page_words(view)
    view.controls.next_hit.click()
    assert view.conversation == "ses_child"
    assert "match 2 of 2: answer the needle again" in page_words(view)
    view.next_match()
    assert view.conversation is None
    view.query = "Needle a"
    assert view.status.endswith("no match of Needle a in lens observed")
    view.query = "no such text"
    assert "no match of no such text" in view.status
    with pytest.raises(CannotShowError, match="no match"):
        view.next_match()


def test_subagents_are_conversations_to_choose() -> None:
    view = live(SAMPLES / "subagent" / "opencode.db")
    assert len(view.controls.conversation.options) == 1 + len(view.rollout.invocations[1:])
    assert view.controls.conversation.layout.display is None
    child = view.rollout.invocations[1].id
    view.controls.conversation.value = child
    assert (view.conversation, view.panel) == (child, "Transcript")
    view.conversation = None
    assert view.controls.conversation.label == "root"
    assert live(think_only()).controls.conversation.layout.display == "none"


def test_branches_and_boundaries_are_in_the_transcript() -> None:
    made = rollout(invocations=(invocation(turn(1, answer="kept"), branches=(branch(turn(1, answer="left behind")),)),))
    view = live(made)
    view.panel = "Transcript"
    assert "left behind" in page_words(view)
    view = live(think_only())
    view.panel = "Transcript"
    assert "context compacted: overflow" in page_words(view)


def test_folds_open_and_close_everything() -> None:
    view = live(think_only())
    view.panel = "Transcript"
    marked = view.controls.page.value.count("<details")
    assert marked
    view.controls.folds.value = "all open"
    assert "<details" not in view.controls.page.value
    view.folds = "all folded"
    assert view.controls.page.value.count("<details") >= marked


def test_every_panel_can_be_shown() -> None:
    view = live(think_only())
    for _, panel in view.controls.panel.options:
        view.controls.panel.value = panel
        assert view.panel == panel
        assert page_words(view)
    labels = {panel: label for label, panel in view.controls.panel.options}
    assert labels["Findings"] == "Findings 1"
    assert labels["Gaps"] == "Gaps –"


def test_the_models_are_as_many_for_a_long_rollout_as_for_a_short_one() -> None:
    def models(view: RolloutView) -> int:
        found: list[Any] = [view]
        for widget in found:
            found += getattr(widget, "children", ())
        return len(found)

    long = rollout(*(turn(number, answer=str(number)) for number in range(1, 3000)))
    assert models(live(long)) == models(live(rollout(turn(1, answer="4")))) <= 20


def test_a_live_view_carries_its_static_form() -> None:
    made = bundle(live(AFTER))
    assert set(made) == {VIEW, "text/html", "text/plain"}
    assert "reward 1 · graded" in words(made["text/html"])
    assert made["text/plain"].splitlines()[1].startswith("reward 1 · graded · completed")
    assert 3 < len(made["text/plain"].splitlines()) <= 60


def test_static_is_html_and_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bundle(static(AFTER))
    assert set(made) == {"text/html", "text/plain"}
    assert made == bundle(static(AFTER))
    monkeypatch.setenv("ROLLOUT_WIDGETS_STATIC", "1")
    assert isinstance(show(AFTER), StaticView)
    monkeypatch.setenv("ROLLOUT_WIDGETS_STATIC", "0")
    assert isinstance(show(AFTER), RolloutView)


def test_static_of_several_lists_them_and_shows_each() -> None:
    text = words(bundle(static(AFTER))["text/html"])
    assert text.strip().startswith("5 rollouts · 4 of 5 pass")
    for ident in ("0-0", "1-0", "2-0", "3-0", "4-0"):
        assert f"rollouts.jsonl#{ident}" in text
    assert "the judge was not called" in text


def test_static_html_of_a_view_is_a_document() -> None:
    assert live(AFTER).to_html().startswith("<!DOCTYPE html>")
    assert static(AFTER).to_html().count("<h1>") == 5
    assert static(AFTER).rollout.id == "0-0"


def test_height_scrolls_the_page() -> None:
    assert live(AFTER, height=300).controls.page.layout.max_height == "300px"
    assert live(AFTER, height="50vh").controls.page.layout.overflow == "auto"


@pytest.mark.parametrize(
    ("source", "said"),
    [("no/such/file.jsonl", "does not exist"), (str(AFTER) + "#9-9", "has no rollout 9-9"), ([], "no path was given")],
)
def test_what_cannot_be_shown_is_one_line(source: Any, said: str) -> None:
    with pytest.raises(CannotShowError) as caught:
        show(source)
    (line,) = caught.value._render_traceback_()  # pyright: ignore[reportPrivateUsage]
    assert said in line
    assert "\n" not in line


def test_a_file_of_another_kind_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("no json at all\x1b[2J\n")
    with pytest.raises(CannotShowError) as caught:
        show(tmp_path / "x.jsonl")
    assert "\x1b" not in str(caught.value)
    assert "x.jsonl" in str(caught.value)


def test_what_does_not_match_is_one_line() -> None:
    with pytest.raises(CannotShowError, match=r"none of 5 rollouts matches reward>3"):
        show(AFTER, only="reward>3")
    with pytest.raises(CannotShowError, match="did you mean reward"):
        show(AFTER, only="rewad>3")


def test_wrong_arguments_are_type_errors() -> None:
    anything: Any = show
    with pytest.raises(TypeError, match="lense"):
        anything(AFTER, lense="stored")
    with pytest.raises(TypeError, match="a path, a list of paths or a Rollout was expected"):
        anything(17)
    with pytest.raises(ValueError, match="lens is one of stored, observed, scored"):
        anything(AFTER, lens="raw")


def test_what_could_not_be_read_stands_beside_what_could(tmp_path: Path) -> None:
    (tmp_path / "rollouts.jsonl").write_bytes(AFTER.read_bytes() + b'{"torn": \n')
    view = live(tmp_path / "rollouts.jsonl")
    assert len(view.rollouts) == 5
    assert any("rollouts.jsonl" in notice for notice in view.notices)
    assert "notices" in page_words(view)


def test_an_error_in_a_callback_becomes_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    view = live(AFTER)

    def broken(*_: object) -> None:
        raise RuntimeError("the disk \x1b[2J is gone")

    monkeypatch.setattr(view._reading.shelf, "load", broken)  # pyright: ignore[reportPrivateUsage]
    view.controls.rollouts.value = 3
    assert view.status == "the disk ⟨ESC⟩[2J is gone"
    assert view.rollout_id == "0-0"
    assert view.controls.rollouts.value == 0
