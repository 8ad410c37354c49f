"""`diff A B`: two rollouts, two sets, or two git revisions of a folder, compared (CONTRACT 6)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import click

from rollout_inspector.revision import checked_out
from rollout_loaders.collection import Collection
from rollout_loaders.comparison import Delta, Pairing, compare, pair_up, total
from rollout_loaders.errors import ReadError
from rollout_loaders.model import RolloutSummary
from rollout_loaders.remote.address import redacted
from rollout_views import comparison_text
from rollout_views.comparison_json import comparison_document, delta_document
from rollout_views.comparison_report import Report, comparison_report
from rollout_views.foreign import visible_line

from .arguments import PathCommand, Reading, reading_options
from .output import Notices, is_terminal, print_json, print_lines

FORMATS = ("text", "markdown", "html")


@click.command("diff", cls=PathCommand)
@click.argument("left", metavar="A", type=click.Path(readable=False))
@click.argument("right", metavar="B", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="The totals, then one JSON object a pair, one a line.")
@click.option("--output", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--title", default="Rollouts compared", show_default=True, help="Headline of Markdown and HTML.")
@click.option("--open", "opened", is_flag=True, help="Open the comparison in the terminal inspector.")
@click.option("--exit-code", is_flag=True, help="Exit 1 when anything differs.")
@reading_options
def COMMAND(
    left: str,
    right: str,
    as_json: bool,
    output: str,
    title: str,
    opened: bool,
    exit_code: bool,
    reading: Reading,
) -> int:
    """Compare A with B: rollouts, files, folders, or REVISION:PATH in a git checkout."""
    with contextlib.ExitStack() as stack:
        places = [stack.enter_context(checked_out(place)) for place in (left, right)]
        names = (redacted(left), redacted(right))
        collections = [stack.enter_context(reading.collection([place])) for place in places]
        if opened and is_terminal():
            from rollout_inspector.diffapp import DiffApp
            from rollout_inspector.terminal import run_in_terminal

            return run_in_terminal(DiffApp(collections[0], collections[1], names))
        pairing, deltas = _compared(collections[0], collections[1], names)
        deltas = [_as_named(delta, [redacted(place) for place in places], names) for delta in deltas]
        totals = total(deltas)
        if as_json:
            print_json(comparison_document(pairing, totals))
            for delta in deltas:
                print_json(delta_document(delta))
        else:
            report = comparison_report(pairing, deltas, totals)
            forced = reading.forced_gate
            _print(output, title, replace(report, headline=f"{report.headline} · {forced}") if forced else report)
    differs = any(delta.changed for delta in deltas) or pairing.only_left or pairing.only_right
    return 1 if exit_code and differs else 0


def _compared(left: Collection, right: Collection, names: tuple[str, str]) -> tuple[Pairing, list[Delta]]:
    summaries: list[list[RolloutSummary]] = []
    for collection, name in zip((left, right), names, strict=True):
        notices = Notices(collection)
        found = list(collection.summaries())
        notices.finish()
        if not found:
            raise ReadError(name, "no rollout to compare was readable")
        if notices.lost:
            raise ReadError(name, "was not read to its end, so nothing is compared")
        summaries.append(found)
    pairing = pair_up(summaries[0], summaries[1])
    return pairing, [compare(left.load(pair.left), right.load(pair.right)) for pair in pairing.pairs]


def _as_named(delta: Delta, places: Sequence[str], names: tuple[str, str]) -> Delta:
    """A revision's files lie in a private folder meanwhile; what is printed names the revision."""
    paths = [
        name.partition("#")[0].rstrip("/") + side.path.removeprefix(place.partition("#")[0].rstrip("/"))
        for side, place, name in zip((delta.left, delta.right), places, names, strict=True)
    ]
    return replace(delta, left=replace(delta.left, path=paths[0]), right=replace(delta.right, path=paths[1]))


def _print(output: str, title: str, report: Report) -> None:
    if output == "markdown":
        click.echo(comparison_text.markdown(report, title), nl=False)
    elif output == "html":
        click.echo(comparison_text.html(report, title), nl=False)
    else:
        print_lines((visible_line(line) for line in comparison_text.text_lines(report)), paged=True)
