"""`search PATTERN PATH…`: full text over rollouts, each result a place that the command line accepts."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import click

from rollout_loaders.cycles import no_cycles
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.index.needle import Needle, needle_of
from rollout_views.lens import LENSES, Lens
from rollout_views.pattern import compile_pattern

from .arguments import PathCommand, Reading, paths_argument, reading_options

if TYPE_CHECKING:
    from rollout_loaders.model import Rollout
    from rollout_views.searching import Match

NOTHING_FOUND = 1


@click.command("search", cls=PathCommand)
@click.argument("pattern")
@paths_argument
@click.option("-e", "--regex", is_flag=True, help="PATTERN is a regular expression.")
@click.option("-i/-s", "--ignore-case/--match-case", default=None, help="Default: a capital letter matches case.")
@click.option("-l", "--rollouts", "only_rollouts", is_flag=True, help="Each rollout once, with its count.")
@click.option("--lens", type=click.Choice(LENSES), default="observed", show_default=True, help="Which reading.")
@click.option("--max-count", type=click.IntRange(min=1), metavar="N", help="Stop after N matches.")
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a match, one a line.")
@reading_options
def COMMAND(
    pattern: str,
    paths: tuple[str, ...],
    regex: bool,
    ignore_case: bool | None,
    only_rollouts: bool,
    lens: Lens,
    max_count: int | None,
    as_lines: bool,
    reading: Reading,
) -> int:
    """Print every place in which PATTERN stands, folded or not. Exit 1 when there is none.

    In a rollouts file only rows are read that hold a word which the pattern asks for, so words that this program writes
    itself are found where they stand in the record too.
    """
    try:
        compiled = compile_pattern(pattern, regex=regex, match_case=None if ignore_case is None else not ignore_case)
    except re.error as error:
        raise click.BadParameter(f"no regular expression: {error}", param_hint="PATTERN") from error
    needle = needle_of(compiled)
    with contextlib.nullcontext() if needle is None else needle.looked_ahead(paths):
        return _print_matches(compiled, needle, paths, reading, Wanted(lens, only_rollouts, max_count, as_lines))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is printed."""

    lens: Lens
    only_rollouts: bool
    max_count: int | None
    as_lines: bool


def _print_matches(
    pattern: re.Pattern[str], needle: Needle | None, paths: tuple[str, ...], reading: Reading, wanted: Wanted
) -> int:
    # What reads rollouts is imported here, while the files are looked through already.
    with no_cycles():
        from rollout_loaders.locator import format_place
        from rollout_views.foreign import visible_line
        from rollout_views.searching import search_rollout

        from .output import Notices, exit_code

        opened = reading.collection(paths)
    found = 0
    with opened as collection:
        notices = Notices(collection)
        for rollout in collection.holding(needle):
            here = 0
            for match in search_rollout(rollout, pattern, wanted.lens):
                here += 1
                if not wanted.only_rollouts:
                    _print(rollout, match, wanted.as_lines)
                if wanted.max_count is not None and found + here >= wanted.max_count:
                    break
            found += here
            if here and wanted.only_rollouts:
                click.echo(visible_line(f"{format_place(rollout)}: {here}"))
            notices.print_new()
            if wanted.max_count is not None and found >= wanted.max_count:
                break
        code = exit_code(int(collection.has_rollouts), notices)
    return code or (0 if found else NOTHING_FOUND)


def _print(rollout: Rollout, match: Match, as_lines: bool) -> None:
    from rollout_loaders.locator import format_place
    from rollout_views.foreign import visible_line

    from .output import print_json

    place = format_place(rollout, match.place)
    if as_lines:
        print_json(
            {
                "place": place,
                "id": rollout.id,
                "label": match.block.label,
                "start": match.start,
                "end": match.end,
                "before": match.before,
                "text": match.text,
                "after": match.after,
            }
        )
    else:
        click.echo(visible_line(f"{place}: {match.block.label}: {match.before}{match.text}{match.after}"))
