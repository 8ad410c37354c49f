"""The arguments that commands share: PATH…, `--reader`, `--gym-reasoning`, `--max-answer-chars` (CONTRACT 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rollout_loaders.collection import Collection, open_paths
from rollout_loaders.reader import ReadOptions, StatedPolicy

_POLICY = "rollout_inspect.policy"
_STDIN_PLACE = re.compile(r"-(?=[#@])")
_SHIELD = "\ue000"
"""Stands before an argument that is no option while click parses; nothing that a user types starts with it."""
_Command = TypeVar("_Command", bound=Callable[..., Any])


class PathCommand(click.Command):
    """A command whose PATH may be a place in stdin: `-#3-1` and `-@turn:7` are no options (CONTRACT 2)."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with such arguments shielded, and take the shield off again."""
        shielded = [f"{_SHIELD}{arg}" if _STDIN_PLACE.match(arg) else arg for arg in args]
        left = super().parse_args(ctx, shielded)
        ctx.params.update((name, _bare(value)) for name, value in ctx.params.items())
        return left


def _bare(value: Any) -> Any:
    if isinstance(value, str):
        return value.removeprefix(_SHIELD)
    return tuple(map(_bare, value)) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType]


def _complete_reader(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from rollout_loaders import registry

    return [CompletionItem(name) for name in registry.names() if name.startswith(incomplete)]


def reading_options(command: _Command) -> _Command:
    """The options that say how artifacts are read: `reader`, `gym_reasoning`, `max_answer_chars`, and `--policy`."""
    for option in (
        click.option(
            "--max-answer-chars",
            type=click.IntRange(min=0),
            metavar="N",
            help="The verifier's limit, where it is known: longer scored texts are a finding.",
        ),
        click.option(
            "--gym-reasoning/--no-gym-reasoning",
            "gym_reasoning",
            default=None,
            help="Force the think split on or off; otherwise the provider decides. The output says that it was forced.",
        ),
        click.option(
            "--policy",
            metavar="FILE",
            expose_value=False,
            callback=_read_policy,
            help="The run's agent_outcome_policy (YAML or JSON: status, failure kind or default → action).",
        ),
        click.option(
            "--reader",
            metavar="NAME",
            shell_complete=_complete_reader,
            help="Force a reader, e.g. pi-events; otherwise the content decides.",
        ),
    ):
        command = option(command)
    return command


def _read_policy(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    """Keep the stated policy with the command line: commands that do not show it need not know of it."""
    if value is not None:
        from rollout_inspector.policyfile import read_policy

        ctx.meta[_POLICY] = read_policy(value)


def paths_argument(command: _Command) -> _Command:
    """PATH…, at least one."""
    return click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(readable=False))(command)


def read_options(gym_reasoning: bool | None, max_answer_chars: int | None) -> ReadOptions:
    """What the user forced."""
    return ReadOptions(gym_reasoning, max_answer_chars, stated_policy())


def stated_policy() -> StatedPolicy | None:
    """The policy of `--policy FILE`, if one was given."""
    context = click.get_current_context(silent=True)
    stated: object = None if context is None else context.meta.get(_POLICY)
    return stated if isinstance(stated, StatedPolicy) else None


def forced_gate(gym_reasoning: bool | None) -> str | None:
    """The line of a header that says that the gate is forced (CONTRACT 2); None where it is not."""
    if gym_reasoning is None:
        return None
    return f"think split forced {'on by --gym-reasoning' if gym_reasoning else 'off by --no-gym-reasoning'}"


def collect(
    paths: Sequence[str], reader: str | None, gym_reasoning: bool | None, max_answer_chars: int | None
) -> Collection:
    """The collection that a command line names. Raises `ReadError` for an unknown reader."""
    return open_paths(paths, read_options(gym_reasoning, max_answer_chars), reader)
