"""A ready notebook of rollouts: nbformat 4.5 as JSON, outputs already in it, so that it reads where no kernel runs."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rollout_loaders.locator import format_place
from rollout_loaders.model import JsonObject, Rollout

from .block import Lens
from .inert_math import UNTYPESET
from .markdown_text import code_span
from .plain_text import lines
from .shown_place import show_command, shown_place, shown_verdict
from .static_html import FRAGMENT_BYTES, rollout_fragment
from .transcript import blocks, open_lens

HEAD_LINES = 60
"""Lines of `text/plain`: raw diffs of a notebook show exactly these."""


def notebook(rollouts: Iterable[Rollout], lens: Lens = "observed", *, max_bytes: int = FRAGMENT_BYTES) -> str:
    """Return a notebook with one code cell a rollout, its static output beside it. Deterministic; no widget state."""
    cells: list[JsonObject] = [_markdown("title", "# Rollouts\n\nMade by `rollout-inspect export`.")]
    for index, rollout in enumerate(rollouts, 1):
        cells.append(
            _markdown(f"head-{index}", f"## {code_span(shown_place(rollout))}\n\n{code_span(shown_verdict(rollout))}")
        )
        cells.append(_code(index, rollout, lens, max_bytes))
    document = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def plain_head(rollout: Rollout, lens: Lens = "observed", most: int = HEAD_LINES) -> str:
    """Return the verdict and the first lines of a transcript, with `… more` and how to see it when there is more."""
    shown = [shown_place(rollout), shown_verdict(rollout), ""]
    for line in lines(blocks(rollout, open_lens(rollout, lens)), 100, folds=True):
        if len(shown) >= most - 1:
            shown.append(f"… more: {show_command(rollout)}")
            break
        shown.append(line)
    return "\n".join(shown)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _markdown(ident: str, text: str) -> JsonObject:
    return {"cell_type": "markdown", "id": ident, "metadata": {}, "source": _lines(text)}


def _code(index: int, rollout: Rollout, lens: Lens, max_bytes: int) -> JsonObject:
    source = f"from rollout_widgets import show\n\nshow({format_place(rollout)!a}, lens={lens!a}, static=True)"
    html = rollout_fragment(rollout, lens, prefix=f"r{index}-", max_bytes=max_bytes - len(UNTYPESET) - 10)
    output: JsonObject = {
        "output_type": "display_data",
        "metadata": {},
        "data": {
            "text/html": _lines(f"{UNTYPESET}{html}</div>\n"),
            "text/plain": _lines(plain_head(rollout, lens)),
        },
    }
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"rollout-{index}",
        "metadata": {},
        "outputs": [output],
        "source": _lines(source),
    }
