"""Markdown for comments: capped, reasoning folded, foreign text in code only."""

from __future__ import annotations

import pytest
from tests.factories import rollout, think_only, tool_call, turn

from rollout_views.markdown_text import COMMENT_BYTES, block_markdown, code, comment, fence
from rollout_views.transcript import blocks


def test_the_verdict_leads_and_reasoning_is_folded() -> None:
    text = comment(think_only())
    assert text.split("\n")[2].startswith("`reward 0 · graded · completed")
    assert "<details><summary>think · 10 lines" in text
    assert "**answer** `(empty)` **◆ scored**" in text


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert fence("a\n````\nb") == "`````\na\n````\nb\n`````\n"
    assert fence("x", "json") == "```json\nx\n```\n"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`x`", "`` `x` ``"),
        ("", "`(blank)`"),
        (" ", "`(blank)`"),
        ("a\nb", "`a⏎b`"),
    ],
)
def test_code_spans(text: str, span: str) -> None:
    assert code(text) == span


def test_long_bodies_are_clipped_and_say_so() -> None:
    r = rollout(turn(1, tools=(tool_call(output="\n".join(map(str, range(100)))),)))
    result = next(block for block in blocks(r, "observed") if block.label == "result")
    assert "*… 40 more lines; to see the rest: `show it`*" in block_markdown(result, "show it")


def test_a_comment_fits_github_and_keeps_the_end() -> None:
    r = rollout(*(turn(number, answer=f"answer {number} " + "word " * 50) for number in range(1, 2_000)))
    text = comment(r)
    assert len(text.encode()) <= COMMENT_BYTES
    assert "answer 1999 word" in text
    assert "more sections (turns" in text


def test_it_is_the_same_twice() -> None:
    assert comment(think_only()) == comment(think_only())
