"""`check PATH…`: every finding, grouped; exit 1 when one of the failing severities is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from rollout_inspector.reports import Found, github, junit, sarif
from rollout_inspector.reports.found import as_json, of_rollout
from rollout_loaders.collection import Collection
from rollout_loaders.document import encode
from rollout_loaders.evidence.findings import FINDINGS, SEVERITIES
from rollout_loaders.evidence.task_health import TaskHealth
from rollout_loaders.locator import format_place
from rollout_views.foreign import visible_line

from .arguments import PathCommand, Reading, reading_options
from .output import NOTHING_READABLE, Notices, exit_code, print_json


class _Codes(click.ParamType[tuple[str, ...]]):
    """Finding codes, by comma."""

    name = "CODES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        codes = tuple(word.strip() for word in str(value).split(",") if word.strip())
        for code in codes:
            if code not in FINDINGS:
                self.fail(f"no finding is called {code}{_meant(code)}", param, ctx)
        return codes


_CITED = "cited (a name of the project's own notes, which are not in the repository; the sentence above is the rule)"


@click.command("check", cls=PathCommand)
@click.argument("paths", nargs=-1, metavar="PATH…", type=click.Path(readable=False))
@reading_options
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a finding, one a line.")
@click.option("--output", type=click.Choice(("text", "github", "junit", "sarif")), default="text", show_default=True)
@click.option(
    "--fail-on",
    type=click.Choice((*SEVERITIES, "never")),
    default="error",
    show_default=True,
    help="Exit 1 on a finding of this severity or a worse one.",
)
@click.option("--select", type=_Codes(), multiple=True, help="Only these findings, e.g. answer-too-long,wal-missing.")
@click.option("--ignore", type=_Codes(), multiple=True, help="Not these findings.")
@click.option("--explain", metavar="CODE", help="Say what a finding means and where its rule comes from.")
def COMMAND(
    paths: tuple[str, ...],
    reading: Reading,
    as_lines: bool,
    output: str,
    fail_on: str,
    select: tuple[tuple[str, ...], ...],
    ignore: tuple[tuple[str, ...], ...],
    explain: str | None,
) -> int:
    """Print every finding, grouped by code."""
    if explain is not None:
        return _explain(explain)
    if not paths:
        raise click.UsageError("Missing argument 'PATH…'")
    if as_lines and output != "text":
        raise click.UsageError(f"--json and --output {output} are two formats: give one")
    chosen = {code for codes in select for code in codes} or set(FINDINGS)
    chosen -= {code for codes in ignore for code in codes}
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on != "never" else ()
    with reading.collection(paths) as collection:
        notices, places = Notices(collection), list[str]()
        found: list[Found] = []
        for one in _findings(collection, notices, places):
            if one.code not in chosen and one.code in FINDINGS:
                continue
            found.append(one)
            if as_lines:
                print_json(as_json(one))
        if not as_lines:
            forced = reading.forced_gate
            if forced and output == "text":
                click.echo(forced)
            _print(output, found, places, failing)
        if exit_code(len(places), notices) == NOTHING_READABLE:
            return NOTHING_READABLE
        return 1 if any(one.severity in failing for one in found) else 0


def _findings(collection: Collection, notices: Notices, places: list[str]) -> Iterator[Found]:
    tasks = TaskHealth()
    for rollout in collection.rollouts():
        places.append(format_place(rollout))
        tasks.add(rollout)
        yield from (of_rollout(rollout, finding) for finding in rollout.findings)
        notices.print_new()
    for path, code, said in tasks.findings():
        yield Found(path, None, path, None, code, FINDINGS[code].severity, said)
    for diagnostic in collection.diagnostics:
        rule = FINDINGS.get(diagnostic.code)
        if rule is not None:
            locator = diagnostic.locator or ""
            path, _, line = locator.partition("#L")
            number = int(line) if line.isdigit() else None
            yield Found(path, number, path, None, rule.code, rule.severity, diagnostic.message)


def _print(output: str, found: Sequence[Found], places: Sequence[str], failing: Sequence[str]) -> None:
    if output == "github":
        for line in github.lines(found):
            click.echo(visible_line(line))
    elif output == "junit":
        click.echo(junit.text(places, found, failing))
    elif output == "sarif":
        from rollout_inspector.version import version_text

        click.echo(encode(sarif.document(found, version_text())).decode("ascii"))
    else:
        for line in text_lines(found, len(places)):
            click.echo(line)


def text_lines(found: Sequence[Found], rollouts: int) -> Iterator[str]:
    """Findings grouped by code, the worst severity first."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.code, []).append(one)
    rank = {severity: index for index, severity in enumerate(SEVERITIES)}
    for code, listed in sorted(groups.items(), key=lambda g: (rank.get(g[1][0].severity, 9), -len(g[1]), g[0])):
        yield visible_line(f"{listed[0].severity}  {code}  {len(listed):,}")
        for one in listed:
            said = one.message if one.message.startswith(one.place) else f"{one.place}  {one.message}"
            yield visible_line(f"    {said}")
    counts = ", ".join(f"{sum(one.severity == severity for one in found):,} {severity}" for severity in SEVERITIES)
    yield f"{rollouts:,} rollout{'' if rollouts == 1 else 's'} checked: {counts}"


def _explain(code: str) -> int:
    rule = FINDINGS.get(code)
    if rule is None:
        raise click.BadParameter(f"no finding is called {code}{_meant(code)}", param_hint="--explain")
    click.echo(f"{rule.code} ({rule.severity})\n{rule.explanation}\n{_CITED}: {rule.source}")
    return 0


def _meant(code: str) -> str:
    import difflib

    close = difflib.get_close_matches(code, FINDINGS, 3, 0.5)
    return f"; did you mean {', '.join(close)}?" if close else ""
