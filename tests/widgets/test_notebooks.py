"""Notebooks run by nbclient and exported by nbconvert: the review, and a live one before and after freezing."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.samples.review_notebook import NOTEBOOK, executed, notebook
from tests.widgets.jupyterlab import notebook_text
from tests.widgets.shown import VIEW, words

from rollout_widgets.freezing import frozen_text, is_frozen


def outputs(text: str) -> list[dict[str, Any]]:
    """The data of every output."""
    made: list[dict[str, Any]] = [
        output["data"] for cell in json.loads(text)["cells"] for output in cell.get("outputs", ())
    ]
    return made


@pytest.fixture(scope="module")
def run() -> str:
    """The review, run and not yet frozen."""
    return executed(notebook())


def test_the_review_is_frozen_and_running_it_gives_the_same(run: str) -> None:
    assert is_frozen(NOTEBOOK)
    assert NOTEBOOK.read_text(encoding="utf-8") == frozen_text(run), (
        "make it anew: python -m tests.samples.review_notebook"
    )


def test_the_review_reads_without_a_kernel() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(outputs(text)) == 3
    assert len(text) < 200_000
    for output in outputs(text):
        assert set(output) == {"text/html", "text/plain"}
        html = "".join(output["text/html"])
        assert words(html)
        assert 5 < len(output["text/plain"]) <= 60
    shown = "\n".join(words("".join(output["text/html"])) for output in outputs(text))
    # sample_rollouts/README.md: 5 of 5 before, 0 of 5 after, and one empty answer scored empty_final_answer.
    assert "final answers that begin with one 5 of 5 0 of 5" in shown
    assert "moved up 2 of 5" in shown
    assert "the scored text is empty (`empty_final_answer`); the judge was not called" in shown
    assert not re.search(r"/(home|root|tmp|work)/|model_id|\d{4}-\d\d-\d\d", text)


def test_a_run_gives_live_and_static_forms(run: str) -> None:
    for output in outputs(run):
        assert set(output) == {VIEW, "text/html", "text/plain"}
    assert "widgets" not in json.loads(run)["metadata"]


def test_an_error_in_a_notebook_is_one_line(tmp_path: Path) -> None:
    source = (
        "from rollout_widgets import show\ntry:\n    show('missing.jsonl')\nexcept Exception:\n"
        "    get_ipython().showtraceback()"
    )
    (output,) = json.loads(executed(notebook_text(source), tmp_path))["cells"][0]["outputs"]
    said = output["traceback"] if output["output_type"] == "error" else [output["text"]]
    assert "".join("".join(part) for part in said).strip() == "missing.jsonl: does not exist; check the spelling"


@pytest.mark.parametrize("freeze", [False, True])
def test_nbconvert_shows_the_static_form(run: str, freeze: bool) -> None:
    nbformat: Any = import_module("nbformat")
    exporter: Any = import_module("nbconvert").HTMLExporter(template_name="basic")
    made = nbformat.reads(frozen_text(run) if freeze else run, as_version=4)
    html, _ = exporter.from_notebook_node(made)
    assert "the judge was not called" in html
    assert "moved up" in html
    assert "<script" not in html or "widget-view" not in html
