"""`index PATH… -o FILE.parquet`: summaries of whole runs in one file that `list`, `open`, `check` and `diff` take."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import click

from rollout_loaders.collection import Collection
from rollout_loaders.errors import ReadError
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
@click.option(
    "--ray",
    "address",
    metavar="ADDRESS",
    help="Read on a Ray cluster (extra ray): local, auto, HOST:PORT or ray://HOST:PORT. Every node must see the files.",
)
@reading_options
def COMMAND(
    paths: tuple[str, ...],
    output: str,
    findings: bool,
    address: str | None,
    reading: Reading,
) -> int:
    """Write summaries, codes of findings and locators as Parquet (extra scale); rollouts stay where they lie."""
    target = Path(output)
    if target.suffix != ".parquet":
        raise click.BadParameter("an index is a .parquet file", param_hint="-o")
    from rollout_loaders.index.parquet import write_tables

    with reading.collection(paths) as collection:
        if address is None:
            notices = Notices(collection)
            tables = _tables(collection, findings, notices, target)
        else:
            from rollout_loaders.cluster.indexing import ClusterIndex

            run = ClusterIndex(address, collection, reading.options, findings, target)
            notices = Notices(run)
            tables = _noticed(run.tables(), notices)
        try:
            with contextlib.closing(tables):
                count = write_tables(target, tables)
        except OSError as error:
            raise ReadError(output, f"could not be written ({error.strerror or error})", "check the folder") from error
        code = exit_code(count, notices)
    print_error(f"{output}: {count:,} rollouts")
    return code


def _tables(collection: Collection, findings: bool, notices: Notices, target: Path) -> Generator[Any]:
    from rollout_loaders.index.parquet import tables

    rows = (summarise(rollout) for rollout in collection.rollouts()) if findings else collection.summaries()
    yield from _noticed(tables(target, rows), notices)


def _noticed(tables: Iterator[Any], notices: Notices) -> Generator[Any]:
    for table in tables:
        yield table
        notices.print_new()
