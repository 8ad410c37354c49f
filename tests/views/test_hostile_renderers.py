"""The hostile corpus through every renderer: it is all there, it is all visible, and none of it is obeyed."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from markdown_it import MarkdownIt
from tests.factories import summary
from tests.views.allowed_html import Checked
from tests.views.hostile import TEXTS, hostile_rollout, unsafe_in

from rollout_loaders.model import Rollout
from rollout_views import markdown_text, notebook_document, static_html
from rollout_views.block import LENSES, Block
from rollout_views.evidence_tabs import TABS, blocks_of
from rollout_views.exporting import WRITERS, export, index_page, transcript_text
from rollout_views.foreign import visible
from rollout_views.plain_text import lines
from rollout_views.table import lines as table_lines
from rollout_views.transcript import blocks


@pytest.fixture(params=TEXTS, scope="module")
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def text(name: str) -> str:
    return TEXTS[name]


@pytest.fixture(scope="module")
def hostile(text: str) -> Rollout:
    return hostile_rollout(text)


def all_blocks(rollout: Rollout) -> list[Block]:
    found = [block for lens in LENSES for one in rollout.invocations for block in blocks(rollout, lens, one.id)]
    return found + [block for tab in TABS for block in blocks_of(rollout, tab)]


@pytest.mark.parametrize("width", [None, 40, 80, 120])
@pytest.mark.parametrize("folds", [False, True])
def test_plain_text_is_safe(hostile: Rollout, width: int | None, folds: bool) -> None:
    for line in lines(all_blocks(hostile), width, folds=folds):
        assert unsafe_in(line) == set()
        assert "\n" not in line


def test_plain_text_holds_every_line_of_the_answer(hostile: Rollout, text: str) -> None:
    shown = "\n".join(lines(blocks(hostile, "observed")))
    for line in visible(text).replace("◆ scored", "⟨U+25C6⟩ scored").split("\n"):
        assert line in shown


def test_nothing_foreign_claims_the_badge(hostile: Rollout) -> None:
    shown = "\n".join(lines(blocks(hostile, "observed")))
    badges = sum(1 for block in blocks(hostile, "observed") if block.badge)
    assert shown.count("◆ scored") == badges == 1


def test_block_ids_differ(hostile: Rollout) -> None:
    for lens in LENSES:
        ids = [block.id for block in blocks(hostile, lens)]
        assert len(ids) == len(set(ids)), lens


def test_a_page_holds_only_allowed_html(hostile: Rollout, text: str) -> None:
    for lens in LENSES:
        page = static_html.page(hostile, lens)
        checked = Checked(page)
        assert checked.problems == []
        assert len(checked.ids) == len(set(checked.ids))
        assert set(checked.targets) <= set(checked.ids)
        assert unsafe_in(page) == set()
    first = next((line.strip() for line in visible(text).split("\n") if line.strip()), "")
    assert first.replace("◆ scored", "⟨U+25C6⟩ scored")[:200].split("  ")[0] in Checked(static_html.page(hostile)).text


def test_a_fragment_holds_only_allowed_html(hostile: Rollout) -> None:
    for fragment in (
        static_html.fragment(all_blocks(hostile), prefix='x"><script>'),
        static_html.rollout_fragment(hostile, prefix="c1-"),
    ):
        checked = Checked(fragment)
        assert checked.problems == []
        assert len(checked.ids) == len(set(checked.ids))
        assert unsafe_in(fragment) == set()
        assert len(fragment.encode()) <= 200_000


def test_markdown_brings_nothing_to_life(hostile: Rollout) -> None:
    comment = markdown_text.comment(hostile)
    assert unsafe_in(comment) == set()
    assert len(comment) <= 60_000
    assert_dead(comment)


def assert_dead(comment: str) -> None:
    """Parse as GitHub would (CommonMark with tables) and look at everything that is not code."""
    for token in MarkdownIt("commonmark").enable("table").parse(comment):
        assert token.type not in ("table_open", "ordered_list_open", "bullet_list_open"), token.content
        if token.type == "html_block":
            assert re.sub(r"</?details>|<summary>[^<>]*</summary>", "", token.content).strip() == ""
            assert_plain_words(unescape_once(token.content))
        for child in token.children or ():
            assert child.type in (
                "text",
                "code_inline",
                "strong_open",
                "strong_close",
                "em_open",
                "em_close",
                "softbreak",
            )
            if child.type == "text":
                assert_plain_words(child.content)


def unescape_once(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def assert_plain_words(words: str) -> None:
    """What stands outside code is ours, or had its meaning taken away by entities."""
    assert "\n#" not in words


def test_mentions_and_links_stand_in_code_or_entities(hostile: Rollout) -> None:
    outside = re.sub(r"(?ms)^(`{3,})[^\n`]*\n.*?^\1$", "", markdown_text.comment(hostile))
    outside = re.sub(r"(`+)(?!`)(?:.(?!\1(?!`)))*?.?\1(?!`)", "", outside)
    for sign in ("@everyone", "https://", "www.", "](", "javascript:", "<script", "<img"):
        assert sign not in outside


def test_a_notebook_is_json_with_safe_output(hostile: Rollout) -> None:
    document = json.loads(notebook_document.notebook([hostile]))
    assert document["nbformat"] == 4
    for cell in document["cells"]:
        for output in cell.get("outputs", ()):
            html = "".join(output["data"]["text/html"])
            assert Checked(html).problems == []
            assert unsafe_in("".join(output["data"]["text/plain"])) == set()
        assert unsafe_in("".join(cell["source"])) == set()
        if cell["cell_type"] == "markdown":
            assert_dead("".join(cell["source"]).removeprefix("# Rollouts\n\n").removeprefix("## "))


def test_the_code_of_a_notebook_names_the_place_as_a_literal(hostile: Rollout) -> None:
    document = json.loads(notebook_document.notebook([hostile]))
    code = next("".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code")
    compile(code, "cell", "exec")
    assert code.count("\n") == 2


@pytest.mark.parametrize("suffix", WRITERS)
def test_exports_are_safe_and_the_same_twice(hostile: Rollout, suffix: str) -> None:
    exported = export([hostile], suffix)
    assert exported == export([hostile], suffix)
    assert unsafe_in(exported) == set()


def test_a_text_export_names_everything(hostile: Rollout) -> None:
    assert "subagent" in transcript_text(hostile)


def test_the_list_is_safe(text: str) -> None:
    from rollout_loaders.model import Harness, SourceRef, Task

    row = summary(text, source=SourceRef(f"a/{text}", text), harness=Harness(text, text, text, text), findings=(text,),
                  task=Task(task_id=text, prompt=text), status=text, failure_kind=text, state=text)  # fmt: skip
    for line in table_lines([row], 120):
        assert unsafe_in(line) == set()
        assert "\n" not in line
    checked = Checked(index_page([(row, "r1.html")]).replace('href="r1.html"', 'href="#r1"'))
    assert checked.problems == []
