"""Headless Chromium in front of a real JupyterLab: live, trusted and untrusted without a kernel, frozen, exported.

Screenshots go to the folder that `ROLLOUT_SCREENSHOTS` names.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Generator
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.paths import REPO, SAMPLES
from tests.samples.review_notebook import executed
from tests.views.hostile import TEXTS, hostile_rollout
from tests.widgets.jupyterlab import CHROMIUM, Lab, browser_page, notebook_text, running_lab

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.static_html import page as document
from rollout_widgets.freezing import frozen_text

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium"),
]
WAIT = 60_000
"""Milliseconds."""
ALL = "\n".join(TEXTS.values())
HOSTILE = f"""\
import sys
sys.path.insert(0, {str(REPO)!r})
from tests.views.hostile import TEXTS, hostile_rollout
from rollout_widgets import compare, show, table
rollout = hostile_rollout("\\n".join(TEXTS.values()))
"""
SHOWN = ("show(rollout)", "compare(rollout, hostile_rollout('other'))", "table(rollout)", "rollout.findings")


@dataclass
class Desk:
    """A lab, and the one page that looks at it."""

    lab: Lab
    page: Page
    asked: list[str] = field(default_factory=lambda: [])
    """Every address the browser asked for."""

    def open(self, name: str) -> Locator:
        """Open a notebook alone; returns its outputs."""
        self.page.goto(f"{self.lab.url}/lab/tree/{name}?reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=WAIT)
        return self.page.locator(".jp-Notebook .jp-OutputArea-output")

    def run_all(self) -> None:
        """Run every cell once the kernel is there; before, the lab asks which one."""
        expect(self.page.get_by_role("button", name="| Idle")).to_be_visible(timeout=WAIT)
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_text("Run All Cells", exact=True).click()

    def look(self, name: str) -> None:
        """Keep a screenshot for a person."""
        folder = os.environ.get("ROLLOUT_SCREENSHOTS")
        if folder:
            self.page.screenshot(path=Path(folder) / f"{name}.png")

    def check_nothing_ran(self, within: str = ".jp-OutputArea-output") -> None:
        """No script ran, no foreign element lives, nothing was typeset, nothing left this machine."""
        assert self.page.evaluate("window.__pwn") is None
        for selector in ("script", "img", "iframe", "svg", "object", "embed", "form", "mjx-container", "[onerror]"):
            assert self.page.locator(f"{within} .mathjax_ignore {selector}").count() == 0, selector
            assert self.page.locator(f"{within} section {selector}").count() == 0, selector
        for link in self.page.locator(f"{within} a").all():
            assert re.match(r"#|$", link.get_attribute("href") or ""), link.get_attribute("href")
        home = (self.lab.url, self.lab.url.replace("http", "ws", 1), "data:", "blob:", "file:", "about:")
        assert [address for address in self.asked if not address.startswith(home)] == []


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Desk, None, None]:
    folder, home = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("home")
    shutil.copytree(SAMPLES / "split", folder / "split")
    shutil.copytree(SAMPLES / "subagent", folder / "subagent")
    with running_lab(folder, home) as lab, browser_page(home / "profile") as page:
        made = Desk(lab, page)
        page.on("request", lambda request: made.asked.append(request.url))
        yield made


@pytest.fixture(scope="module")
def hostile_run(desk: Desk) -> str:
    """A notebook of hostile displays, run, its live outputs in it."""
    return executed(notebook_text(HOSTILE, *SHOWN), desk.lab.folder)


def test_a_live_view_is_read_and_moved_with_the_keyboard(desk: Desk) -> None:
    desk.lab.write("live.ipynb", "from rollout_widgets import show\n\nview = show('split')\nview")
    desk.open("live.ipynb")
    desk.run_all()
    page = desk.page
    shown = page.locator(".rollout-page .widget-html-content")
    expect(shown).to_contain_text("reward 1 · graded · completed", timeout=WAIT)
    desk.look("live-why")

    transcript = page.get_by_role("button", name="Transcript", exact=True)
    transcript.focus()
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("turn 1/1")
    expect(shown.locator("details")).to_have_count(1)
    shown.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(shown.locator("blockquote").first).to_be_visible()
    desk.look("live-transcript")

    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement !== document.body")
    picker = page.locator(".widget-dropdown select").first
    picker.focus()
    page.keyboard.press("End")
    expect(shown).to_contain_text("split/before/rollouts.jsonl#4-0")
    search = page.locator(".widget-text input[placeholder='text anywhere in this rollout']")
    search.focus()
    page.keyboard.type("</think>")
    page.keyboard.press("Enter")
    expect(shown.locator("mark")).to_have_text("</think>")
    filter_ = page.locator(".widget-text input[placeholder^='reward<1']")
    filter_.focus()
    page.keyboard.type("reward<1 finding:empty-final-answer")
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("split/after/rollouts.jsonl#4-0")
    filter_.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("nonsense:1")
    page.keyboard.press("Enter")
    expect(page.locator(".widget-html-content", has_text="there is no field 'nonsense'")).to_be_visible()
    desk.look("live-filter")
    scored = page.get_by_role("button", name="scored", exact=True)
    scored.focus()
    page.keyboard.press("Space")
    expect(shown).to_contain_text("lens scored")


def test_hostile_text_does_nothing_in_a_live_view(desk: Desk) -> None:
    desk.lab.write("hostile.ipynb", HOSTILE, *SHOWN)
    desk.open("hostile.ipynb")
    desk.run_all()
    page = desk.page
    shown = page.locator(".rollout-page .widget-html-content")
    expect(shown).to_contain_text("graded", timeout=WAIT)
    page.locator(".jp-RenderedHTMLCommon").first.wait_for(timeout=WAIT)
    for name in page.locator(".widget-toggle-buttons").first.locator("button").all_inner_texts():
        page.get_by_role("button", name=name, exact=True).first.click()
        page.wait_for_timeout(150)
    page.get_by_role("button", name="Transcript", exact=True).first.click()
    expect(shown).to_contain_text("<script>window.__pwn=1</script>")
    expect(shown).to_contain_text("$\\href{javascript:alert(1)}{x}$")
    desk.look("hostile-live")
    for lens in ("stored", "scored", "observed"):
        page.get_by_role("button", name=lens, exact=True).first.click()
        page.wait_for_timeout(150)
    page.wait_for_timeout(500)
    desk.check_nothing_ran()


@pytest.mark.parametrize("trusted", [False, True])
def test_hostile_text_does_nothing_in_a_frozen_notebook(desk: Desk, hostile_run: str, trusted: bool) -> None:
    name = f"frozen-{trusted}.ipynb"
    (desk.lab.folder / name).write_text(frozen_text(hostile_run), encoding="utf-8")
    if trusted:
        desk.lab.trust(name)
    outputs = desk.open(name)
    expect(outputs.first).to_contain_text("graded", timeout=WAIT)
    expect(outputs).to_have_count(len(SHOWN))
    for number in range(len(SHOWN)):
        expect(outputs.nth(number)).to_have_attribute("data-mime-type", "text/html")
        expect(outputs.nth(number)).to_contain_text("<script>window.__pwn=1</script>")
    assert "Error displaying widget" not in page_text(desk)
    desk.page.wait_for_timeout(500)
    desk.look(f"hostile-frozen-{'trusted' if trusted else 'untrusted'}")
    desk.check_nothing_ran()


def test_a_live_output_without_its_kernel_reads_untrusted_and_why_one_freezes(desk: Desk, hostile_run: str) -> None:
    (desk.lab.folder / "left.ipynb").write_text(hostile_run, encoding="utf-8")
    outputs = desk.open("left.ipynb")
    expect(outputs.first).to_have_attribute("data-mime-type", "text/html", timeout=WAIT)
    expect(outputs.first).to_contain_text("graded")
    desk.look("unfrozen-untrusted")
    desk.check_nothing_ran()
    # The author's own copy is trusted: there the widget of a kernel that is gone hides the HTML beside it.
    (desk.lab.folder / "own.ipynb").write_text(hostile_run + "\n", encoding="utf-8")
    desk.lab.trust("own.ipynb")
    desk.open("own.ipynb")
    expect(desk.page.locator(".jp-Notebook")).to_contain_text("Error displaying widget", timeout=WAIT)
    desk.check_nothing_ran()


def test_the_review_reads_in_the_lab(desk: Desk) -> None:
    shutil.copy(SAMPLES / "review.ipynb", desk.lab.folder / "review.ipynb")
    desk.lab.trust("review.ipynb")
    outputs = desk.open("review.ipynb")
    expect(outputs.first).to_contain_text("10 rollouts · 6 of 10 pass", timeout=WAIT)
    desk.look("review")
    outputs.nth(1).scroll_into_view_if_needed()
    expect(outputs.nth(1)).to_contain_text("5 pairs · 5 changed")
    desk.look("review-compare")


def test_exports_of_hostile_text_do_nothing(desk: Desk, hostile_run: str, tmp_path: Path) -> None:
    exporter: Any = pytest.importorskip("nbconvert").HTMLExporter(template_name="basic")
    nbformat: Any = pytest.importorskip("nbformat")
    notebook = nbformat.reads(frozen_text(hostile_run), as_version=4)
    basic = f"<!doctype html><meta charset='utf-8'><body>{exporter.from_notebook_node(notebook)[0]}</body>"
    (tmp_path / "export.html").write_text(document(hostile_rollout(ALL)), encoding="utf-8")
    (tmp_path / "nbconvert.html").write_text(basic, encoding="utf-8")
    for name in ("export", "nbconvert"):
        desk.page.goto((tmp_path / f"{name}.html").as_uri())
        assert "<script>window.__pwn=1</script>" in desk.page.inner_text("body")
        desk.page.wait_for_timeout(300)
        desk.look(f"hostile-{name}")
        desk.check_nothing_ran("body")


def page_text(desk: Desk) -> str:
    return desk.page.locator(".jp-Notebook").inner_text()
