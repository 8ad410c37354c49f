"""`open PATH…`: the terminal inspector."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from rollout_loaders.remote.address import is_url

from .arguments import PathCommand, Reading, paths_argument, reading_options
from .output import is_terminal, print_error


@click.command("open", cls=PathCommand)
@paths_argument
@reading_options
@click.option("--follow/--no-follow", default=False, help="Keep reading files that grow.")
@click.option("--inline", is_flag=True, help="Run below the prompt, not on the whole screen; what was printed stays.")
def COMMAND(
    paths: tuple[str, ...],
    reading: Reading,
    follow: bool,
    inline: bool,
) -> int:
    """Open the terminal inspector. Where stdout is no terminal it prints as `show` does."""
    if follow and any(map(is_url, paths)):
        raise click.UsageError("--follow is for files of this machine: a URL is read as it is now")
    if not is_terminal():
        from . import show  # a terminal's first frame must not wait for what it needs

        print_error("rollout-inspect: stdout is no terminal, so this prints what show prints")
        return show.print_text(paths, reading)
    with contextlib.ExitStack() as stack:
        if any(_is_stdin(path) for path in paths):
            from rollout_loaders.source import spooled_stdin

            spool = str(stack.enter_context(spooled_stdin()))
            paths = tuple(f"{spool}{path[1:]}" if _is_stdin(path) else path for path in paths)
            # The data came by the pipe; the keys come from the terminal.
            os.dup2(os.open("/dev/tty", os.O_RDONLY), sys.stdin.fileno())
        if reading.reader is not None:
            from rollout_loaders import registry

            registry.named(reading.reader)
        from rollout_inspector.app import InspectorApp
        from rollout_inspector.terminal import run_in_terminal

        return run_in_terminal(InspectorApp(paths, reading.options, reading.reader, follow), inline=inline)


def _is_stdin(path: str) -> bool:
    return path == "-" or path.startswith(("-#", "-@"))
