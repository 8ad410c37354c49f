"""The arguments that commands share: PATH…, `--reader`, `--gym-reasoning`, `--max-answer-chars` (CONTRACT 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rollout_loaders.fast_dataclass import dataclass

if TYPE_CHECKING:  # a command's line is read before all that reads rollouts is imported
    from rollout_loaders.collection import Collection
    from rollout_loaders.reader import ReadOptions, StatedPolicy

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


@dataclass(frozen=True, slots=True)
class Reading:
    """How the user wants artifacts to be read."""

    reader: str | None
    gym_reasoning: bool | None
    max_answer_chars: int | None
    policy: StatedPolicy | None

    @property
    def options(self) -> ReadOptions:
        """What is forced, as readers take it."""
        from rollout_loaders.reader import ReadOptions

        return ReadOptions(self.gym_reasoning, self.max_answer_chars, self.policy)

    def collection(self, paths: Sequence[str]) -> Collection:
        """The collection that these PATHs name. Raises `ReadError` for an unknown reader."""
        from rollout_loaders.collection import open_paths

        return open_paths(paths, self.options, self.reader)

    @property
    def forced_gate(self) -> str | None:
        """The line of a header that says that the gate is forced (CONTRACT 2); None where it is not."""
        forced = self.gym_reasoning
        if forced is None:
            return None
        return f"think split forced {'on by --gym-reasoning' if forced else 'off by --no-gym-reasoning'}"


def reading_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options that say how artifacts are read; the command gets them as one argument, `reading`."""

    @wraps(command)
    def with_reading(
        *,
        reader: str | None,
        gym_reasoning: bool | None,
        max_answer_chars: int | None,
        policy: StatedPolicy | None,
        **others: Any,
    ) -> int:
        return command(reading=Reading(reader, gym_reasoning, max_answer_chars, policy), **others)

    for option in _READING:
        with_reading = option(with_reading)
    return with_reading


def _complete_reader(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from rollout_loaders import registry

    return [CompletionItem(name) for name in registry.names() if name.startswith(incomplete)]


def _read_policy(_ctx: click.Context, _param: click.Parameter, value: str | None) -> StatedPolicy | None:
    if value is None:
        return None
    from rollout_inspector.policyfile import read_policy

    return read_policy(value)


_READING = (
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
        callback=_read_policy,
        help="The run's agent_outcome_policy (YAML or JSON: status, failure kind or default → action).",
    ),
    click.option(
        "--reader",
        metavar="NAME",
        shell_complete=_complete_reader,
        help="Force a reader, e.g. pi-events; otherwise the content decides.",
    ),
)


def paths_argument(command: _Command) -> _Command:
    """PATH…, at least one."""
    return click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(readable=False))(command)
