"""Make `sample_rollouts/` anew: `python -m tests.samples RECORDINGS [NAME …]`."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path

from tests.paths import SAMPLES as FOLDER

from .sample import SAMPLES

MODULES = ("opencode", "pi", "gym", "outcomes", "wider")
"""Modules of this package that register samples, in the order of the README's table."""


def make(recordings: Path, target: Path, names: list[str]) -> None:
    """Write every named sample, or all of them, and the table of the README."""
    for name in names or list(SAMPLES):
        sample = SAMPLES[name]
        folder = target / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        expectation = {"title": sample.title, "why": sample.why, **sample.make(recordings, folder)}
        text = json.dumps(expectation, indent=2, ensure_ascii=True) + "\n"
        (folder / "expect.json").write_text(text, encoding="utf-8")
    (target / "README.md").write_text(readme(), encoding="utf-8")


def readme() -> str:
    """What every sample shows, one line each, and how it was changed."""
    lines = [
        "# Sample rollouts",
        "",
        "Regression fixtures, each a folder with artifacts and an `expect.json`. `rollout-inspect walk sample_rollouts`",
        "steps through them; the tests run over all of them. They were made by `python -m tests.samples RECORDINGS` from",
        "recordings of real runs, trimmed to what carries the rollout; Gym rows are written field by field from what the",
        "format's description says (`tests/samples/gym.py`), and so are other harnesses' files (`tests/samples/wider.py`).",
        "Every further edit is named here.",
        "",
        "`review.ipynb` reviews `split/before` against `split/after`; `python -m tests.samples.review_notebook` makes it anew.",
        "",
        "| sample | shows | edited |",
        "|---|---|---|",
    ]
    for sample in SAMPLES.values():
        lines.append(f"| `{sample.name}` | {sample.title}. {sample.why} | {'; '.join(sample.changes) or 'no'} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for module in MODULES:
        importlib.import_module(f"tests.samples.{module}")
    make(Path(sys.argv[1]), FOLDER, sys.argv[2:])
