"""The anywidget view in headless Chromium in front of a real JupyterLab: keys, links, hostile text, frozen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect
from tests.samples.review_notebook import executed
from tests.widgets.jupyterlab import CHROMIUM
from tests.widgets.test_browser import HOSTILE, WAIT, Desk, desk

from rollout_widgets.freezing import frozen_text

pytest.importorskip("anywidget")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium"),
]
__all__ = ["desk"]
CODE = "from rollout_widgets import show\n\nview = show('{}', live='anywidget')\nview"
ANY_HOSTILE = f"{HOSTILE}\nshow(rollout, live='anywidget')"


def test_a_view_is_read_and_moved_with_keys_and_links(desk: Desk) -> None:
    desk.lab.write("any.ipynb", CODE.format("split"), "view.goto(turn=1); view.lens = 'stored'")
    desk.open("any.ipynb")
    page = desk.page
    expect(page.get_by_role("button", name="| Idle")).to_be_visible(timeout=WAIT)
    page.locator(".jp-Cell").first.click()
    page.keyboard.press("Control+Enter")
    shown = page.locator(".rollout-page")
    expect(shown).to_contain_text("reward 1 · graded · completed", timeout=WAIT)
    desk.look("any-why")
    cells = page.locator(".jp-Notebook .jp-Cell").count()

    root = page.get_by_role("region", name="rollouts; keys")
    root.focus()
    page.keyboard.press("l")
    expect(shown).to_contain_text("turn 1/1")
    page.keyboard.press("3")
    expect(shown).to_contain_text("lens scored")
    page.keyboard.press("2")
    expect(shown).to_contain_text("lens observed")
    page.keyboard.press("/")
    page.keyboard.type("</think>")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("no match of </think>")
    # Keys that mean something to the notebook do nothing to it in here.
    page.keyboard.press("x")
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells

    picker = page.get_by_role("combobox", name="rollout")
    picker.focus()
    page.keyboard.press("End")
    expect(shown).to_contain_text("split/before/rollouts.jsonl#4-0")
    page.get_by_role("textbox", name="search").fill("</think>")
    page.keyboard.press("Enter")
    expect(shown.locator("mark")).to_have_text("</think>")
    page.keyboard.press("n")
    expect(shown).to_contain_text("match ")
    desk.look("any-search")
    page.get_by_role("textbox", name="filter").fill("nonsense:1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("there is no field 'nonsense'")

    page.get_by_role("button", name="Why", exact=True).click()
    link = shown.locator("a", has_text="turn 1").first
    link.focus()
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("turn 1/1")
    assert page.url.endswith("any.ipynb?reset") or "#" not in page.url
    page.keyboard.press("3")
    expect(shown).to_contain_text("lens scored")
    desk.look("any-transcript")

    # Python moves the same view.
    page.locator(".jp-Cell").nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(shown).to_contain_text("lens stored")


def test_hostile_text_does_nothing(desk: Desk) -> None:
    desk.lab.write("any-hostile.ipynb", ANY_HOSTILE)
    desk.open("any-hostile.ipynb")
    desk.run_all()
    page = desk.page
    shown = page.locator(".rollout-page")
    expect(shown).to_contain_text("graded", timeout=WAIT)
    for name in page.get_by_role("group", name="panel").get_by_role("button").all_inner_texts():
        page.get_by_role("button", name=name, exact=True).first.click()
        page.wait_for_timeout(150)
    page.get_by_role("button", name="Transcript", exact=True).click()
    expect(shown).to_contain_text("<script>window.__pwn=1</script>")
    expect(shown).to_contain_text("$\\href{javascript:alert(1)}{x}$")
    for lens in ("stored", "scored", "observed"):
        page.get_by_role("button", name=lens, exact=True).click()
        page.wait_for_timeout(150)
    page.get_by_role("textbox", name="search").fill("<img src=x onerror=window.__pwn=1>")
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="filter").fill("<img src=x onerror=window.__pwn=1>")
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    desk.look("any-hostile")
    desk.check_nothing_ran()


def test_where_no_kernel_runs_it_reads_as_the_other_view_does(desk: Desk) -> None:
    run = executed(_notebook(desk, ANY_HOSTILE), desk.lab.folder)
    frozen = frozen_text(run)
    assert "widget-view" in run
    assert "widget-view" not in frozen
    for name, text, trusted in (("any-left", run, False), ("any-frozen", frozen, False), ("any-mine", frozen, True)):
        (desk.lab.folder / f"{name}.ipynb").write_text(text, encoding="utf-8")
        if trusted:
            desk.lab.trust(f"{name}.ipynb")
        outputs = desk.open(f"{name}.ipynb")
        expect(outputs.first).to_have_attribute("data-mime-type", "text/html", timeout=WAIT)
        expect(outputs.first).to_contain_text("<script>window.__pwn=1</script>")
        desk.check_nothing_ran()
    # As with the other view, only its author sees this, and only before it is frozen.
    (desk.lab.folder / "any-own.ipynb").write_text(run + "\n", encoding="utf-8")
    desk.lab.trust("any-own.ipynb")
    desk.open("any-own.ipynb")
    expect(desk.page.locator(".jp-Notebook")).to_contain_text("Error displaying widget", timeout=WAIT)


def test_nbconvert_shows_the_static_form(desk: Desk) -> None:
    exporter: Any = pytest.importorskip("nbconvert").HTMLExporter(template_name="basic")
    nbformat: Any = pytest.importorskip("nbformat")
    run = executed(_notebook(desk, ANY_HOSTILE), desk.lab.folder)
    for text in (run, frozen_text(run)):
        made = exporter.from_notebook_node(nbformat.reads(text, as_version=4))[0]
        assert "&lt;script&gt;window.__pwn=1&lt;/script&gt;" in made
        assert "<script>window" not in made


def _notebook(desk: Desk, source: str) -> str:
    return desk.lab.write("any-source.ipynb", source).read_text(encoding="utf-8")
