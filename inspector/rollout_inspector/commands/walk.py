"""`walk DIR`: regression fixtures, expected beside actual; `--run` for CI, `--record` makes one, `--accept` updates."""

from __future__ import annotations

from pathlib import Path

import click

from rollout_inspector.reports import fixtures as report
from rollout_loaders.fixtures import FILE_NAME, Result, run_fixtures
from rollout_views.foreign import visible_line

from .arguments import Reading, reading_options
from .output import is_terminal, print_error, print_json


@click.command("walk")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--run", is_flag=True, help="Print what differs and exit 1 on a difference, without opening anything.")
@click.option("--json", "as_lines", is_flag=True, help="With --run: one JSON object a fixture.")
@click.option("--output", type=click.Choice(("text", "github", "junit")), default="text", show_default=True)
@click.option("--record", metavar="PATH", help="Make a fixture of this one rollout in a new folder DIR.")
@click.option("--pin", multiple=True, metavar="FACT", help="With --record: pin this fact; else it asks, or pins all.")
@click.option("--title", help="With --record: what the fixture shows.")
@click.option("--why", help="With --record: the rule it stands for.")
@click.option("--accept", is_flag=True, help="Show each difference and write the actual value where you agree.")
@click.option("--at", metavar="NAME", help="Start at this fixture.")
@click.option("--yes", is_flag=True, help="With --accept: agree to all, after showing them.")
@reading_options
def COMMAND(
    folder: Path,
    run: bool,
    as_lines: bool,
    output: str,
    record: str | None,
    pin: tuple[str, ...],
    title: str | None,
    why: str | None,
    accept: bool,
    at: str | None,
    yes: bool,
    reading: Reading,
) -> int:
    """Step through regression fixtures: folders with artifacts and an expect.json."""
    if record is not None:
        from .recording import record_fixture

        return record_fixture(folder, record, pin, title, why, reading)
    if accept:
        return _accept(folder, yes)
    if run or as_lines or output != "text":
        return _run(folder, as_lines, output)
    if not is_terminal():
        print_error("rollout-inspect: stdout is no terminal; running the fixtures instead (walk --run)")
        return _run(folder, as_lines, output)
    from rollout_inspector.walkapp import walk
    from rollout_loaders.fixtures import find_fixtures

    find_fixtures(folder)  # a folder without any is one line, before the screen is taken
    return walk(folder, at)


def _run(folder: Path, as_lines: bool, output: str) -> int:
    results: list[Result] = []
    for result in run_fixtures(folder):
        results.append(result)
        if as_lines:
            print_json(report.as_json(result))
    if not as_lines:
        if output == "junit":
            click.echo(report.junit(results))
        else:
            for line in report.github(results) if output == "github" else report.table(results):
                click.echo(visible_line(line))
    return 0 if all(result.passed for result in results) else 1


def _accept(folder: Path, yes: bool) -> int:
    from rollout_loaders.fixtures.accepting import accept

    left = 0
    for result in run_fixtures(folder):
        if result.passed:
            continue
        for line in report.table([result]):
            click.echo(visible_line(line))
        if result.error:
            left += 1
            continue
        agreed = [d for d in result.differences if yes or click.confirm(f"accept {d.pointer or '/'}?", default=False)]
        done = accept(result.folder / FILE_NAME, agreed) if agreed else 0
        left += len(result.differences) - done
        click.echo(visible_line(f"{result.name}: {done} written, {len(result.differences) - done} left"))
    return 1 if left else 0
