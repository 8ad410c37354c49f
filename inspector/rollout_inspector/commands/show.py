"""`show PATH…`: transcripts as text, or one JSON document a line."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

import click

from rollout_loaders.collection import Collection
from rollout_loaders.document import document
from rollout_loaders.errors import LocatorError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.locator import format_place, locate
from rollout_loaders.model import Place, Rollout
from rollout_views import transcript
from rollout_views.block import LENSES, Block, Lens
from rollout_views.foreign import visible_line
from rollout_views.verdict import verdict_line

from . import styled
from .arguments import PathCommand, Reading, paths_argument, reading_options
from .output import Notices, exit_code, is_terminal, print_documents, print_error, print_lines


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of each rollout is printed."""

    lens: Lens = "observed"
    turn: int | None = None
    width: int | None = None


@click.command("show", cls=PathCommand)
@paths_argument
@reading_options
@click.option(
    "--lens", type=click.Choice(LENSES), default="observed", show_default=True, help="Which reading is shown."
)
@click.option("--turn", type=click.IntRange(min=1), metavar="N", help="This turn only.")
@click.option("--json", "as_json", is_flag=True, help="One document a line instead of text.")
@click.option("--items", is_flag=True, help="With --json: also the observed conversation, Responses-shaped.")
@click.option("--parts", is_flag=True, help="With --json: also the stored parts.")
@click.option("--width", type=click.IntRange(min=20), metavar="N", help="Columns; default: the terminal's.")
def COMMAND(
    paths: tuple[str, ...],
    reading: Reading,
    lens: Lens,
    turn: int | None,
    as_json: bool,
    items: bool,
    parts: bool,
    width: int | None,
) -> int:
    """Print transcripts; on a terminal styled and paged, in a pipe plain."""
    if (items or parts) and not as_json:
        raise click.UsageError("--items and --parts add to the JSON document: give --json too")
    if not as_json:
        wanted = Wanted(lens, turn, width)
        return print_text(paths, reading, wanted)
    if turn is not None:
        raise click.UsageError("--turn is for text; the JSON document is always whole")
    with reading.collection(paths) as collection:
        documents = (document(rollout, items=items, parts=parts) for rollout in collection.rollouts())
        return print_documents(documents, collection)


def print_text(paths: Sequence[str], reading: Reading, wanted: Wanted | None = None) -> int:
    """Print every rollout as text and return the exit code."""
    wanted = wanted or Wanted()
    with reading.collection(paths) as collection:
        notices, counter = Notices(collection), _Counter()
        print_lines(_all_lines(collection, notices, wanted, counter), paged=True)
        code = exit_code(counter.readable, notices)
        if code == 0 and counter.shown == 0 and wanted.turn is not None:
            print_error(f"rollout-inspect: no rollout in what was named has a turn {wanted.turn}")
            return 2
        return code


@dataclass(slots=True)
class _Counter:
    readable: int = 0
    shown: int = 0


def _all_lines(collection: Collection, notices: Notices, wanted: Wanted, counter: _Counter) -> Iterator[str]:
    for rollout in collection.rollouts():
        place = collection.place_of(rollout)
        counter.readable += 1
        lines = list(_rollout_lines(rollout, place, wanted)) if _has(rollout, place, wanted) else []
        if lines:
            if counter.shown:
                yield ""
            counter.shown += 1
            yield from lines
        notices.print_new()


def _has(rollout: Rollout, place: Place | None, wanted: Wanted) -> bool:
    if wanted.turn is None:
        return True
    try:
        locate(rollout, Place(place.invocation if place else None, wanted.turn))
    except LocatorError:
        return False
    return True


def _rollout_lines(rollout: Rollout, place: Place | None, wanted: Wanted) -> Iterator[str]:
    yield from header_lines(rollout)
    lens = transcript.open_lens(rollout, wanted.lens)
    if lens != wanted.lens:
        problem = transcript.lens_problem(rollout, wanted.lens) or "nothing to show"
        yield visible_line(f"lens {wanted.lens}: {problem}; this is lens {lens}")
    yield ""
    colour = is_terminal()
    width = wanted.width or (shutil.get_terminal_size().columns if colour else None)
    turn = wanted.turn if wanted.turn is not None else (place.turn if place else None)
    if turn is not None:
        yield from styled.lines(_turn_blocks(rollout, lens, place, turn), width, colour=colour)
        return
    yield from styled.lines(_conversation(rollout, lens, place), width, colour=colour)


def header_lines(rollout: Rollout) -> Iterator[str]:
    """The place, the verdict line, and what ran it, with a forced gate said."""
    yield visible_line(format_place(rollout))
    yield visible_line(verdict_line(rollout))
    harness, route = rollout.harness, rollout.route
    ran = " ".join(word for word in (harness.name, harness.version) if word)
    words = [word for word in (ran, harness.agent, harness.model) if word]
    if route.forced:
        words.append(f"think split forced {'on' if route.gym_reasoning else 'off'}")
    if words:
        yield visible_line(" · ".join(words))


def _conversation(rollout: Rollout, lens: Lens, place: Place | None) -> Iterator[Block]:
    if lens == "scored":
        yield from transcript.blocks(rollout, lens)
        return
    for number, invocation in enumerate(rollout.invocations):
        if place is not None and place.invocation not in (None, invocation.id):
            continue
        if number:
            words = " · ".join(word for word in (invocation.title, invocation.agent, invocation.status) if word)
            yield Block(f"agent:{invocation.id}", "agent", "boundary", f"subagent {invocation.id}  {words}", rule=True)
        yield from transcript.blocks(rollout, lens, invocation.id)


def _turn_blocks(rollout: Rollout, lens: Lens, place: Place | None, turn: int) -> Iterator[Block]:
    invocation = place.invocation if place else None
    for section in transcript.sections(rollout, lens, invocation):
        if section.place.turn == turn and section.kind in ("turn", "items"):
            yield from transcript.section_blocks(rollout, lens, section)
