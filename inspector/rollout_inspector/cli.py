"""The command line: `rollout-inspect PATH…` or `rollout-inspect COMMAND PATH…` (CONTRACT 2).

Exit codes: 0 fine, 1 findings or differences, 2 bad usage or nothing readable, 130 interrupted. Whatever happens the
user sees one line on stderr, never a traceback; `ROLLOUT_INSPECT_DEBUG=1` shows it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from rollout_loaders.cycles import keep
from rollout_loaders.errors import RolloutError
from rollout_views.foreign import visible_line

from .version import NAME, version_text

DEFAULT_COMMAND = "open"
COMMANDS = {
    "open": "Open the terminal inspector.",
    "list": "List rollouts, one line each.",
    "show": "Print transcripts, or JSON documents.",
    "why": "Say why each rollout got its reward.",
    "check": "Print every finding, grouped by code.",
    "walk": "Step through regression fixtures.",
    "diff": "Compare two rollouts or sets of them.",
    "search": "Print every place in which a pattern stands.",
    "index": "Write summaries of whole runs as one Parquet file.",
    "export": "Write HTML, Markdown, text, JSON or a notebook.",
    "serve": "Serve the inspector to this machine's browser.",
}
"""Modules of `rollout_inspector.commands`, each with a click command `COMMAND`, in the order of the help.

What each does stands here too, for the help must not import them all.
"""
_COMPLETE = "_ROLLOUT_INSPECT_COMPLETE"
_INTERRUPTED = 130
_BAD = 2


class CommandsByModule(click.Group):
    """Commands that are imported when they are called, and the default command before a path."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All of them, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: object = importlib.import_module(f"{__package__}.commands.{cmd_name}").COMMAND
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands with what each does, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `open` before anything that is no command: the first word may be a command, otherwise it is a path."""
        if args and args[0] not in {*COMMANDS, *ctx.help_option_names, "--version"}:
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)


def _print_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    # click's own option wants the version when the module is imported, which reads the package's metadata each time.
    if asked and not ctx.resilient_parsing:
        click.echo(f"{NAME}, version {version_text()}")
        ctx.exit()


@click.group(
    NAME,
    cls=CommandsByModule,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="A PATH is a file, a folder (searched), a glob, - (stdin), or one of these with a place: "
    "rollouts.jsonl#3-1, #3-1-a2, #L17, opencode.db#ses_…, …@turn:7. A file named like a command: ./list, or -- list. "
    'Completion: eval "$(_ROLLOUT_INSPECT_COMPLETE=bash_source rollout-inspect)", or zsh_source, fish_source.',
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Find out why a rollout got its reward.

    rollout-inspect PATH… opens the terminal inspector on rollouts of OpenCode, Pi and NeMo Gym; the commands print.
    """


def main() -> NoReturn:
    """The console script."""
    code = run(sys.argv[1:])
    keep()  # to look through all modules for cycles on the way out takes 15 ms
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    with contextlib.suppress(ValueError, OSError):  # not in a thread other than the main one
        signal.signal(signal.SIGTERM, _stop)
    _never_fail_to_print()
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has what they wanted; the interpreter must not complain at exit either.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return _INTERRUPTED
    except RolloutError as error:
        complain(str(error))
        return _BAD
    except RecursionError:
        complain("nested deeper than can be read; please report it with the file")
        return _BAD
    except MemoryError:
        complain("out of memory; name one rollout (PATH#ROLLOUT) instead of the whole file")
        return _BAD
    except Exception as error:
        if os.environ.get("ROLLOUT_INSPECT_DEBUG"):
            raise
        complain(f"internal error: {error!r}; please report it; ROLLOUT_INSPECT_DEBUG=1 shows where")
        return _BAD
    return code


def _invoke(arguments: list[str]) -> int:
    try:
        if _COMPLETE in os.environ:
            cli.main(arguments, prog_name=NAME, complete_var=_COMPLETE)
        # Not `cli.main`: it turns a closed pipe into exit 1 and writes a newline when it is interrupted.
        with cli.make_context(NAME, arguments) as context:
            result: object = cli.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        of = getattr(error, "ctx", None)
        command = of.command_path if isinstance(of, click.Context) else NAME
        text = error.format_message().rstrip(".").replace("\n", " ")
        click.echo(visible_line(f"{command}: {text}; see {command} --help"), err=True)
        return _BAD
    return result if isinstance(result, int) else 0


def complain(what: str) -> None:
    """One line on stderr; foreign characters made visible."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(visible_line(f"{NAME}: {what}" if not what.startswith(("/", ".")) else what), err=True)


def _never_fail_to_print() -> None:
    """Characters that the terminal's encoding lacks are escaped, not fatal."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    # An exception, so that private copies are removed on the way out.
    raise SystemExit(128 + signal.SIGTERM)
