"""Exports: one writer a suffix, a notebook that nbformat accepts, an index for a folder."""

from __future__ import annotations

import json

import nbformat
import pytest
from tests.factories import invocation, rollout, summary, think_only, turn

from rollout_views.exporting import WRITERS, export, index_page, transcript_text
from rollout_views.notebook_document import HEAD_LINES, notebook, plain_head


def test_a_suffix_without_writer_names_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"no export for '\.docx'; there is \.html"):
        export([think_only()], ".docx")


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_writer_takes_none_one_and_several(suffix: str) -> None:
    for rollouts in ([], [think_only()], [think_only(), rollout(turn(1, answer="x"))]):
        assert export(rollouts, suffix.upper()) == export(rollouts, suffix)


def test_json_is_one_document_a_line_with_its_items() -> None:
    one, other = export([think_only(), think_only()], ".json").splitlines()
    assert one == other
    assert json.loads(one)["schema"] == "rollout-inspect/1"


def test_text_holds_every_conversation() -> None:
    child = invocation(turn(1, answer="from below"), ident="ses_child", title="search")
    text = transcript_text(rollout(turn(1, answer="x"), children=(child,)))
    assert text.startswith("rollouts.jsonl#3-1\nreward 1 · graded")
    assert "from below" in text


def test_a_notebook_is_valid_and_static() -> None:
    text = notebook([think_only()])
    nbformat.validate(nbformat.reads(text, as_version=4))  # type: ignore[no-untyped-call]
    cell = json.loads(text)["cells"][2]
    assert cell["source"][-1] == "show('rollouts.jsonl#3-1', lens='observed', static=True)"
    assert set(cell["outputs"][0]["data"]) == {"text/html", "text/plain"}


def test_the_output_of_a_notebook_breaks_long_words_and_is_no_mathematics() -> None:
    """Without its frame, one long word of a label made the pages of VS Code and nbviewer wider than the window."""
    html = "".join(json.loads(notebook([think_only()]))["cells"][2]["outputs"][0]["data"]["text/html"])
    assert html.startswith(
        '<div class="mathjax_ignore tex2jax_ignore" style="line-height:1.5;overflow-wrap:break-word">'
    )
    assert html.endswith("</div>\n")
    assert html.count("<div") == html.count("</div>")


def test_the_plain_head_is_short_and_says_that_there_is_more() -> None:
    long = rollout(*(turn(number, answer="x") for number in range(1, 500)))
    head = plain_head(long).split("\n")
    assert len(head) == HEAD_LINES
    assert head[-1] == "… more: rollout-inspect show rollouts.jsonl#3-1"
    assert "more" not in plain_head(rollout(turn(1, answer="x")))


def test_an_index_leads_to_its_files() -> None:
    html = index_page([(summary(), "r0001.html")])
    assert '<a href="r0001.html">rollouts.jsonl#3-1</a>' in html
    assert "<td>○ graded</td>" in html
