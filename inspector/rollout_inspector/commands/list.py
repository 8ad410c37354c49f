"""`list PATH…`: one line a rollout."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import click

from rollout_loaders.collection import Collection
from rollout_loaders.collection.paths import path_of
from rollout_loaders.errors import RolloutError
from rollout_loaders.model import RolloutSummary
from rollout_loaders.summary import summarise, summary_document
from rollout_views import table

from .arguments import PathCommand, Reading, paths_argument, reading_options
from .output import Notices, exit_code, is_terminal, print_documents, print_error, print_lines

_FINDINGS_UP_TO = 64 * 1024**2


@click.command("list", cls=PathCommand)
@paths_argument
@reading_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "--findings/--no-findings",
    default=None,
    help="Compute findings, which reads every rollout whole. Default: yes, but not for tables of files above 64 MiB.",
)
@click.option("--width", type=click.IntRange(min=20), metavar="N", help="Columns; default: the terminal's.")
def COMMAND(
    paths: tuple[str, ...],
    reading: Reading,
    as_json: bool,
    findings: bool | None,
    width: int | None,
) -> int:
    """List rollouts: task, reward, state, outcome, model, turns, answer length, findings, and the place to name."""
    with reading.collection(paths) as collection:
        stated = reading.options.policy is not None
        whole = findings if findings is not None else as_json or stated or _is_small(paths)
        if not whole and findings is None:
            print_error("rollout-inspect: findings are left out for files of this size; --findings computes them")
        rows = _summaries(collection, whole, stated)
        if as_json:
            return print_documents(map(summary_document, rows), collection)
        notices = Notices(collection)
        listed = [_without_prompt(summary) for summary in rows]
        if width is None and is_terminal():
            width = shutil.get_terminal_size().columns
        if listed:
            forced = reading.forced_gate
            print_lines([forced] if forced else (), paged=False)
            print_lines(table.lines(listed, width), paged=False)
        return exit_code(len(listed), notices)


def _without_prompt(summary: RolloutSummary) -> RolloutSummary:
    # No column shows it, and a long listing keeps every summary.
    return replace(summary, task=replace(summary.task, prompt=None))


def _summaries(collection: Collection, whole: bool, stated: bool) -> Iterator[RolloutSummary]:
    if stated:
        # What the policy does rests on the whole outcome, so findings come with it.
        return (replace(summarise(rollout), policy=rollout.outcome.policy.action) for rollout in collection.rollouts())
    if not whole:
        return collection.summaries()
    return (summarise(rollout) for rollout in collection.rollouts())


def _is_small(paths: tuple[str, ...]) -> bool:
    """True unless one named file is large; a folder is judged by the files directly in it."""
    for text in paths:
        try:
            path = path_of(text)
            sizes = [p.stat().st_size for p in (path.iterdir() if path.is_dir() else [path]) if p.is_file()]
        except (OSError, ValueError, RolloutError):
            continue
        if sum(sizes) > _FINDINGS_UP_TO:
            return False
    return True
