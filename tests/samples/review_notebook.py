"""Make `sample_rollouts/review.ipynb`: `python -m tests.samples.review_notebook`. Run live, then frozen."""

from __future__ import annotations

import json
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

from nbclient import NotebookClient

from rollout_widgets.freezing import frozen_text
from tests.paths import SAMPLES

NOTEBOOK = SAMPLES / "review.ipynb"

INTRODUCTION = """\
# What the think split changes

A model that thinks aloud replies `<think>…</think>` and then its answer. Before the change, the verifier was given the whole
reply. After it, the leading block is reasoning, and the verifier is given the answer alone.

Below are the same five tasks, scored before and after. The outputs of this notebook are static: they were made by the
live views of `rollout_widgets`, then frozen, so they read the same here, in a raw diff and in Jupyter."""

TABLE = """\
## The ten rollouts

Four of five pass after the split, two of five before. No run failed, and every reward is graded: each zero is the policy's
or the grader's, none is a missing number."""

COMPARISON = """\
## What moved, and why

Every final answer began with a think block before, and every judge request held one; none does after. Two rewards moved
up, none moved down:

- `2-0`: the judge read 44 characters of reasoning and answer and called them different from `16`. It now reads `16`.
- `3-0`: 44 characters were four over the verifier's limit, so the judge was not asked. It is now asked about `25`.

`0-0` and `1-0` passed already: the judge looked past the reasoning. `4-0` is the pair to look at: its reward stays 0, and the
reason for it changes. For each pair, **A** is before and **B** is after."""

EMPTY = """\
## The one that did not get better

The reply of `4-0` was only its reasoning. Before, the judge read that and said no. After, the answer is empty, the verifier
says `empty_final_answer`, and the judge is not asked. Nothing else is promoted to be the answer. This is what the
verifier read:"""

CONCLUSION = """\
## Conclusion

The rewards that moved did so because the grader now reads the answer, not because the model answered differently: the
turns differ in nothing but the block. Rewards of runs from before the split are not comparable with those after it."""

CELLS: tuple[tuple[str, str, str], ...] = (
    ("introduction", "markdown", INTRODUCTION),
    (
        "sides",
        "code",
        "from rollout_widgets import compare, show, table\n\n"
        'before = "split/before/rollouts.jsonl"\nafter = "split/after/rollouts.jsonl"',
    ),
    ("table-head", "markdown", TABLE),
    ("table", "code", "table([before, after])"),
    ("compare-head", "markdown", COMPARISON),
    ("compare", "code", "compare(before, after)"),
    ("empty-head", "markdown", EMPTY),
    ("empty", "code", 'show(after + "#4-0", lens="scored")'),
    ("conclusion", "markdown", CONCLUSION),
)


def notebook() -> str:
    """The notebook before it is run."""
    cells: list[dict[str, Any]] = []
    for ident, kind, source in CELLS:
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": ident,
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        cells.append(cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def executed(text: str, folder: Path = SAMPLES) -> str:
    """Run a notebook in a fresh kernel beside the samples; no widget state, no times of day are kept."""
    nbformat: Any = import_module("nbformat")
    made = nbformat.reads(text, as_version=4)
    metadata = deepcopy(made.metadata)
    client = NotebookClient(
        made,
        timeout=120,
        kernel_name="python3",
        store_widget_state=False,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    done: Any = client.execute()
    done.metadata = metadata
    return str(nbformat.writes(done)) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(frozen_text(executed(notebook())), encoding="utf-8")
