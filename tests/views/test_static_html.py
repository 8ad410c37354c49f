"""Static HTML: it reads right without style, links lead to what is there, sizes hold, bytes repeat."""

from __future__ import annotations

import re
import time

import pytest
from tests.factories import invocation, rollout, think_only, tool_call, turn
from tests.views.allowed_html import Checked

from rollout_loaders.model import Rollout, Scored
from rollout_views.static_html import FRAGMENT_BYTES, fragment, page, rollout_fragment
from rollout_views.transcript import blocks
from rollout_views.why import why_blocks


def test_the_verdict_is_the_first_paragraph() -> None:
    first = re.search(r"<p>(.*?)</p>", page(think_only()))
    assert first is not None
    assert first[1].startswith("reward 0 · graded · completed · scored text: empty (turn 3)")


def test_turns_are_sections_with_a_heading_and_folds_are_details() -> None:
    checked = Checked(page(think_only()))
    assert checked.problems == []
    assert checked.tags.count("section") == checked.tags.count("h4") == 3
    assert "details" in checked.tags
    assert "hr" in checked.tags


def test_without_style_it_reads_like_the_text() -> None:
    words = " ".join(Checked(rollout_fragment(think_only())).text.split())
    assert "answer (empty) ◆ scored (the reply was only its reasoning;" in words
    assert "compact context compacted: overflow · 48.9k → 6.1k tokens · completed" in words
    assert "result (exit 0 · 40ms) 4" in words


def test_nothing_is_said_twice_when_details_are_unwrapped() -> None:
    r = rollout(turn(1, reasoning="a singular thought", answer="x"))
    assert Checked(fragment(blocks(r, "observed"))).text.count("a singular thought") == 1


def test_links_lead_to_ids_that_exist_forward_too() -> None:
    child = invocation(turn(1, answer="x"), ident="ses_child", title="search")
    r = rollout(turn(1, tools=(tool_call("task", {}, "x", child="ses_child"),)), turn(2, answer="y"), children=(child,))
    checked = Checked(page(r))
    assert set(checked.targets) <= set(checked.ids)
    assert re.search(r'<a href="#turn-1-2">→ enter</a>', page(r))


def test_links_to_turns_that_were_left_out_are_words() -> None:
    r = rollout(*(turn(number, answer="word " * 50) for number in range(1, 400)))
    checked = Checked(page(r, max_bytes=20_000))
    assert set(checked.targets) <= set(checked.ids)


def test_white_space_of_prose_survives() -> None:
    html = fragment(blocks(rollout(turn(1, answer="def f():\n    return  1")), "observed"))
    assert "def f():<br>\n&nbsp;&nbsp;&nbsp;&nbsp;return&nbsp; 1" in html


def test_a_first_newline_of_pre_survives() -> None:
    html = fragment(blocks(rollout(turn(1, tools=(tool_call(output="\nx\ny"),))), "observed"))
    assert re.search(r"<pre[^>]*>\n\nx\ny</pre>", html)


@pytest.mark.parametrize(
    "big",
    [
        rollout(turn(1, reasoning="thought " * 30_000, answer="x")),
        rollout(turn(1, tools=(tool_call(output="line of output\n" * 140_000),)), turn(2, answer="the end")),
        rollout(*(turn(number, reasoning="hm", answer=f"answer {number}") for number in range(1, 10_001))),
        rollout(turn(1, answer="日本語" * 100_000)),
    ],
    ids=["reasoning", "tool-output", "turns", "wide"],
)
def test_a_cell_stays_small_and_quick_and_says_how_to_see_the_rest(big: Rollout) -> None:
    start = time.process_time()
    html = rollout_fragment(big)
    took = time.process_time() - start
    assert len(html.encode()) <= FRAGMENT_BYTES
    assert "to see the" in html
    assert "rollout-inspect show rollouts.jsonl#3-1" in html
    assert took < 3
    assert Checked(html).problems == []


def test_the_end_of_a_long_rollout_is_shown() -> None:
    r = rollout(*(turn(number, answer=f"answer number {number}") for number in range(1, 10_001)))
    text = Checked(rollout_fragment(r)).text
    assert "answer number 1\n" in text
    assert "answer number 10000 " in text or "answer number 10000\n" in text
    assert re.search(r"… [\d,]+ more sections \(turns \d+ to \d+\)", text)


def test_a_fragment_says_how_many_blocks_it_left_out() -> None:
    r = rollout(*(turn(number, answer="word " * 100) for number in range(1, 1000)))
    html = fragment(blocks(r, "observed"), max_bytes=10_000, rest="the command")
    assert len(html.encode()) <= 10_000
    assert re.search(r"… [\d,]+ more blocks; to see them: <code>the command</code>", html)
    assert Checked(html).problems == []


def test_two_fragments_on_one_page_share_no_id() -> None:
    r = think_only()
    one, other = Checked(rollout_fragment(r, prefix="a-")), Checked(rollout_fragment(r, prefix="b-"))
    assert not set(one.ids) & set(other.ids)


def test_it_is_the_same_twice_and_holds_no_script() -> None:
    assert page(think_only()) == page(think_only())
    assert "<script" not in page(think_only())


def test_several_rollouts_follow_each_other_with_their_own_ids() -> None:
    checked = Checked(page([think_only(), think_only()]))
    assert checked.tags.count("h1") == 2
    assert len(checked.ids) == len(set(checked.ids))


def test_a_rollout_without_conversation_is_a_page_that_says_so() -> None:
    checked = Checked(page(rollout(invocations=(), scored=Scored())))
    assert checked.problems == []
    assert "this record holds no conversation" in checked.text


def test_a_page_says_which_lens_had_nothing() -> None:
    assert (
        "lens stored has nothing: this record (gym-rollouts) holds no parts"
        in Checked(page(think_only(), "stored")).text
    )


def test_blocks_of_any_kind_can_be_drawn() -> None:
    assert "verdict" in Checked(fragment(why_blocks(think_only()))).text
