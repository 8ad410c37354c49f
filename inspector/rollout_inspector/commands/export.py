"""`export PATH… -o FILE`: HTML, Markdown, text, JSON or a notebook by suffix; a folder with an index for many."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from rollout_loaders.errors import RolloutError
from rollout_loaders.model import Rollout, RolloutSummary
from rollout_loaders.summary import summarise
from rollout_views.block import LENSES, Lens
from rollout_views.exporting import WRITERS, export, index_page
from rollout_views.foreign import visible_line
from rollout_views.redaction import redact_rollout, report

from .arguments import PathCommand, Reading, paths_argument, reading_options
from .output import Notices, exit_code, print_error

ONE_FILE = 100
"""Most rollouts in one file; more are asked to go into a folder."""


@click.command("export", cls=PathCommand)
@paths_argument
@click.option("-o", "--out", "target", required=True, type=click.Path(), help="FILE, or a folder: DIR/.")
@click.option("--format", "suffix", type=click.Choice([name[1:] for name in WRITERS]), help="For a folder: html.")
@click.option("--lens", type=click.Choice(LENSES), default="observed", show_default=True, help="Which reading.")
@click.option("--redact", is_flag=True, help="Replace API keys, tokens, e-mail addresses and home paths; say how many.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@reading_options
def COMMAND(
    paths: tuple[str, ...],
    target: str,
    suffix: str | None,
    lens: Lens,
    redact: bool,
    force: bool,
    reading: Reading,
) -> int:
    """Write rollouts to one document, or to a folder with an index page."""
    counts: Counter[str] = Counter()
    with reading.collection(paths) as collection:
        notices = Notices(collection)
        rollouts = _redacted(collection.rollouts(), counts) if redact else collection.rollouts()
        path = Path(target)
        if path.is_dir() or target.endswith(os.sep) or suffix is not None:
            written = _folder(rollouts, path, f".{suffix or 'html'}", lens)
        else:
            written = _file(rollouts, path, lens, force)
        code = exit_code(written, notices)
    if redact:
        print_error(report(counts))
    return code


def _redacted(rollouts: Iterable[Rollout], counts: Counter[str]) -> Iterator[Rollout]:
    for rollout in rollouts:
        changed, found = redact_rollout(rollout)
        counts.update(found)
        yield changed


def _file(rollouts: Iterable[Rollout], target: Path, lens: Lens, force: bool) -> int:
    if target.suffix.lower() not in WRITERS:
        said = f"no export ends in {target.suffix or 'nothing'} ({', '.join(WRITERS)})"
        raise click.BadParameter(said, param_hint="-o")
    if target.exists() and not force:
        raise RolloutError(f"{target}: is there already; --force overwrites it")
    found: list[Rollout] = []
    for rollout in rollouts:
        found.append(rollout)
        if len(found) > ONE_FILE:
            raise RolloutError(f"{target}: one file holds at most {ONE_FILE} rollouts; name a folder: -o DIR/")
    if found:
        _refuse_sources(target, found)
        write(target, export(found, target.suffix, lens))
        click.echo(visible_line(f"{target}: {len(found)} rollout{'' if len(found) == 1 else 's'}"))
    return len(found)


def _refuse_sources(target: Path, rollouts: Iterable[Rollout]) -> None:
    """Nothing that is read is ever written to (CONTRACT 2), `--force` or not."""
    if not target.exists():
        return
    read = {name for one in rollouts for name in (one.source.path, *one.source.artifacts)}
    if any(Path(name).exists() and target.samefile(name) for name in read):
        raise RolloutError(f"{target}: is one of the files that were read, which are never written to; name another")


def _folder(rollouts: Iterable[Rollout], target: Path, suffix: str, lens: Lens) -> int:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise RolloutError(f"{target}: is there already and not an empty folder")
    target.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[RolloutSummary, str]] = []
    for rollout in rollouts:
        name = f"{len(rows) + 1:05d}-{_safe(rollout.id)}{suffix}"
        write(target / name, export([rollout], suffix, lens))
        rows.append((summarise(rollout), name))
    if rows:
        write(target / "index.html", index_page(rows))
        click.echo(visible_line(f"{target / 'index.html'}: {len(rows)} rollouts"))
    return len(rows)


def _safe(name: str) -> str:
    """A file name of letters that no shell, browser or file system reads as anything else: ids are foreign text."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:60].strip("-") or "rollout"


def write(target: Path, text: str) -> None:
    """Write a whole file or none: a full disk leaves no half document under its name."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}-", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                file.write(text)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RolloutError(f"{target}: cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
