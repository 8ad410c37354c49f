"""`index PATH… -o FILE.parquet`: summaries of whole runs in one file that `list`, `open`, `check` and `diff` take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from rollout_loaders.collection import Collection
from rollout_loaders.errors import ReadError
from rollout_loaders.model import RolloutSummary
from rollout_loaders.summary import summarise

from .arguments import PathCommand, Reading, paths_argument, reading_options
from .output import Notices, exit_code, print_error


@click.command("index", cls=PathCommand)
@paths_argument
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE", help="A .parquet file.")
@click.option(
    "--findings/--no-findings",
    default=True,
    show_default=True,
    help="Compute findings, which reads every rollout whole; without them rollouts files are only listed.",
)
@reading_options
def COMMAND(
    paths: tuple[str, ...],
    output: str,
    findings: bool,
    reading: Reading,
) -> int:
    """Write summaries, codes of findings and locators as Parquet (extra scale); rollouts stay where they lie."""
    target = Path(output)
    if target.suffix != ".parquet":
        raise click.BadParameter("an index is a .parquet file", param_hint="-o")
    from rollout_loaders.index.parquet import write_index

    with reading.collection(paths) as collection:
        notices = Notices(collection)
        try:
            count = write_index(target, _summaries(collection, findings, notices))
        except OSError as error:
            raise ReadError(output, f"could not be written ({error.strerror or error})", "check the folder") from error
        code = exit_code(count, notices)
    print_error(f"{output}: {count:,} rollouts")
    return code


def _summaries(collection: Collection, findings: bool, notices: Notices) -> Iterator[RolloutSummary]:
    rows = (summarise(rollout) for rollout in collection.rollouts()) if findings else collection.summaries()
    for summary in rows:
        yield summary
        notices.print_new()
