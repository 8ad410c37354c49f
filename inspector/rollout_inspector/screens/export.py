"""Exports: by the views' own writers, chosen by suffix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rollout_loaders.model import Rollout
from rollout_views.block import Block, Lens
from rollout_views.foreign import visible_line
from rollout_views.markdown_text import block_markdown, code_span
from rollout_views.verdict import verdict_line


def export_rollouts(rollouts: Sequence[Rollout], name: str, lens: Lens) -> tuple[str, bool]:
    """Write rollouts to a file; returns what to say and whether it is a problem.

    A file that exists is never overwritten: it may be what is being read.
    """
    path = Path(name).expanduser()
    if path.exists():
        return f"{path} exists already; nothing was written", True
    try:
        text = export_text(rollouts, path.suffix, lens)
        path.write_text(text, "utf-8", errors="surrogateescape", newline="\n")
    except (OSError, ValueError) as error:
        return f"not exported: {error}", True
    return f"exported {len(rollouts)} to {path}", False


def export_text(rollouts: Sequence[Rollout], suffix: str, lens: Lens) -> str:
    """Return the export for a suffix. Raises `ValueError` for a suffix that has no writer."""
    # Imported late: writers of notebooks and pages are not needed to read a rollout.
    from rollout_views.exporting import export

    return export(rollouts, suffix, lens)


def part_as_markdown(rollout: Rollout, block: Block, locator: str) -> str:
    """Return one block as Markdown, under the place where it stands and the verdict of its rollout."""
    return f"{code_span(visible_line(locator))}\n\n{visible_line(verdict_line(rollout))}\n\n{block_markdown(block)}\n"
