"""The anywidget view in marimo, in headless Chromium. marimo is no dependency: run this where it is installed."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.paths import REPO, SAMPLES
from tests.widgets.jupyterlab import CHROMIUM, browser_page, free_port, running_server

pytest.importorskip("anywidget")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium"),
    pytest.mark.skipif(importlib.util.find_spec("marimo") is None, reason="no marimo"),
]
WAIT = 60_000
NOTEBOOK = f"""
import marimo

app = marimo.App()

@app.cell
def _():
    import sys
    sys.path.insert(0, {str(REPO)!r})
    import marimo as mo
    from tests.views.hostile import TEXTS, hostile_rollout
    from rollout_widgets import show
    return TEXTS, hostile_rollout, mo, show

@app.cell
def _(mo, show):
    view = mo.ui.anywidget(show("split", live="anywidget"))
    view
    return (view,)

@app.cell
def _(mo, view):
    mo.md(f"read: {{view.rollout_id}} {{view.lens}} {{view.panel}} {{view.turn}}")
    return

@app.cell
def _(TEXTS, hostile_rollout, show):
    show(hostile_rollout("\\n".join(TEXTS.values())), live="anywidget")
    return

@app.cell
def _(show):
    show("split/after/rollouts.jsonl#4-0")
    return
"""


@pytest.fixture
def app(tmp_path: Path) -> Generator[Page, None, None]:
    shutil.copytree(SAMPLES / "split", tmp_path / "split")
    (tmp_path / "app.py").write_text(NOTEBOOK, encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "marimo", "run", "app.py", "--headless", "--no-token", f"--port={port}"]
    log = tmp_path / "marimo.log"
    with (
        running_server([*command, "--host=127.0.0.1"], f"http://127.0.0.1:{port}/health", log, tmp_path),
        browser_page(tmp_path / "profile") as page,
    ):
        page.goto(f"http://127.0.0.1:{port}")
        yield page


def test_a_view_is_live_and_cells_follow_it(app: Page) -> None:
    shown = app.locator(".rollout-page")
    expect(shown.first).to_contain_text("reward 1 · graded", timeout=WAIT)
    expect(app.get_by_text("read: 0-0 observed Why 1")).to_be_visible()
    app.get_by_role("region", name="rollouts; keys").first.focus()
    app.keyboard.press("l")
    expect(app.get_by_text("read: 0-0 observed Transcript 1")).to_be_visible()
    app.keyboard.press("3")
    expect(app.get_by_text("read: 0-0 scored Transcript 1")).to_be_visible()
    app.get_by_role("button", name="Why", exact=True).first.click()
    expect(app.get_by_text("read: 0-0 scored Why 1")).to_be_visible()
    shown.first.locator("a", has_text="turn 1").first.click()
    expect(app.get_by_text("read: 0-0 scored Transcript 1")).to_be_visible()
    app.get_by_role("combobox", name="rollout").first.focus()
    app.keyboard.press("End")
    expect(app.get_by_text("read: 4-0 scored Transcript 1")).to_be_visible()

    # Hostile text beside it does nothing.
    app.get_by_role("button", name="Transcript", exact=True).nth(1).click()
    expect(shown.nth(1)).to_contain_text("<script>window.__pwn=1</script>")
    for selector in ("script", "img", "iframe", "svg", "object", "embed", "form", "[onerror]"):
        assert shown.nth(1).locator(selector).count() == 0, selector
    assert app.evaluate("window.__pwn") is None

    # The ipywidgets view is no live one here: marimo shows its static form.
    expect(app.get_by_text("the judge was not called").last).to_be_visible()
    expect(app.get_by_role("combobox", name="rollout")).to_have_count(2)
