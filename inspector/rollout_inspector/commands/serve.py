"""`serve PATH…`: the terminal inspector in a browser, on loopback only (extra `serve`)."""

from __future__ import annotations

import shlex
import sys

import click

from rollout_loaders.errors import RolloutError

from .arguments import PathCommand, paths_argument


@click.command("serve", cls=PathCommand)
@paths_argument
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
def COMMAND(paths: tuple[str, ...], port: int) -> int:
    """Serve the inspector to this machine's browser at http://127.0.0.1:PORT."""
    try:
        from rollout_inspector.loopback import LoopbackServer
    except ImportError as error:
        raise RolloutError("serve needs the extra `serve`: pip install 'rollout-inspect[serve]'") from error
    command = shlex.join([sys.executable, "-m", "rollout_inspector", "open", "--", *paths])
    LoopbackServer(command, port).serve()
    return 0
