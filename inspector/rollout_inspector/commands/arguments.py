"""The arguments that commands share: PATH…, `--reader`, `--gym-reasoning`, `--max-answer-chars` (CONTRACT 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rollout_loaders.collection import Collection, open_paths
from rollout_loaders.reader import ReadOptions, StatedPolicy

_POLICY = "rollout_inspect.policy"
_Command = TypeVar("_Command", bound=Callable[..., Any])


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
    stated: object = click.get_current_context().meta.get(_POLICY)
    return ReadOptions(gym_reasoning, max_answer_chars, stated if isinstance(stated, StatedPolicy) else None)


def collect(
    paths: Sequence[str], reader: str | None, gym_reasoning: bool | None, max_answer_chars: int | None
) -> Collection:
    """The collection that a command line names. Raises `ReadError` for an unknown reader."""
    return open_paths(paths, read_options(gym_reasoning, max_answer_chars), reader)
