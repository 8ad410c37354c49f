"""Exports by suffix: a table of writers, and the index page of a folder of exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from rollout_loaders import jsondecode
from rollout_loaders.document import document
from rollout_loaders.model import Rollout, RolloutSummary

from .block import Block, Lens
from .block_html import html_line
from .markdown_text import COMMENT_BYTES, comment
from .notebook_document import notebook
from .page_style import STYLE
from .plain_text import lines
from .shown_place import shown_place, shown_verdict
from .static_html import page
from .table import COLUMNS
from .transcript import blocks, open_lens
from .why import why_blocks

RULE = "═" * 100


def export(rollouts: Sequence[Rollout], suffix: str, lens: Lens = "observed") -> str:
    """Return the export for a suffix such as `.html`. Raises `ValueError` for a suffix that has no writer."""
    writer = WRITERS.get(suffix.lower())
    if writer is None:
        raise ValueError(f"there is no export for {suffix or 'a name without suffix'!r}; there is {', '.join(WRITERS)}")
    return writer(rollouts, lens)


def transcript_text(rollout: Rollout, lens: Lens = "observed", width: int | None = None) -> str:
    """Return a rollout as plain text in full: place, verdict, Why, every conversation."""
    opened = open_lens(rollout, lens)
    top = [shown_place(rollout), shown_verdict(rollout), f"lens {opened}", ""]
    body = [*lines(why_blocks(rollout)[1:], width), "", *lines(_all_blocks(rollout, opened), width)]
    return "\n".join([*top, *body]) + "\n"


def _all_blocks(rollout: Rollout, lens: Lens) -> Iterable[Block]:
    if lens == "scored" or not rollout.invocations:
        yield from blocks(rollout, lens)
        return
    for invocation in rollout.invocations:
        yield from blocks(rollout, lens, invocation.id)


def _text(rollouts: Sequence[Rollout], lens: Lens) -> str:
    return f"\n{RULE}\n\n".join(transcript_text(rollout, lens, 120) for rollout in rollouts)


def _html(rollouts: Sequence[Rollout], lens: Lens) -> str:
    return page(rollouts, lens)


def _markdown(rollouts: Sequence[Rollout], lens: Lens) -> str:
    share = COMMENT_BYTES // max(len(rollouts), 1)
    return "\n---\n\n".join(comment(rollout, lens, max_bytes=max(share, 8_000)) for rollout in rollouts)


def _json(rollouts: Sequence[Rollout], lens: Lens) -> str:
    whole = (document(rollout, items=True, parts=lens == "stored") for rollout in rollouts)
    return "".join(jsondecode.encode(one).decode("ascii") + "\n" for one in whole)


WRITERS: dict[str, Callable[[Sequence[Rollout], Lens], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".txt": _text,
    ".json": _json,
    ".ipynb": notebook,
}

_INDEXED = tuple(column for column in COLUMNS if column.key not in ("id", "place", "attempt"))


def index_page(rows: Iterable[tuple[RolloutSummary, str]], title: str = "Rollouts") -> str:
    """Return the index of a folder of exports: one table row a rollout, its place leading to its file.

    Args:
        rows: summaries with the names of their files, beside the index; names are made by the caller, not foreign.
        title: of the page.
    """
    heads = "".join(f"<th>{column.title}</th>" for column in (*_INDEXED,)) + "<th>transcript</th>"
    body: list[str] = []
    for summary, name in rows:
        cells = "".join(f"<td>{html_line(column.cell(summary))}</td>" for column in _INDEXED)
        link = f'<a href="{html_line(name)}">{escape(shown_place(summary), quote=True)}</a>'
        body.append(f"<tr>{cells}<td>{link}</td></tr>\n")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html_line(title)}</title>\n<style>\n{STYLE}main {{ max-width: none; }}\n"
        "td, th { padding: .15em .6em; text-align: left; }\n</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{html_line(title)}</h1>\n<p>{len(body):,} rollouts</p>\n"
        f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(body)}</tbody>\n</table>\n</main>\n</body>\n</html>\n"
    )
