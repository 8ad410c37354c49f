"""Reader of ATIF trajectories, versions 1.0 to 1.8: Harbor's `trajectory.json` and Gym's export (gym-semantics 11).

One JSON document is one rollout; embedded subagent trajectories (1.7) are its further invocations. The RFC gives every
agent step one model call, so every agent step is a turn, also one without any text; a copied one came in as context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.logged import summed
from rollout_loaders.convert.pi_output import scored_of
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Harness,
    Invocation,
    JsonObject,
    Reason,
    Rollout,
    Route,
    SourceRef,
    StoredPart,
    Task,
    Usage,
)
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .atif_trajectory import Trajectory, trajectories
from .harbor_trial import Trial, trial_of
from .logged_file import NOT_SPLIT, LoggedFile, cut_off, document, first_prompt, refuse_forced_split

_VERSION = re.compile(rb'"schema_version"\s*:\s*"ATIF-v?\d')
_LOOSE = re.compile(rb'"step_id"\s*:\s*\d')
_READ = re.compile(r"ATIF-v?1\.([0-8])(?:\.\d+)?$")
_STATUS = "extra.nemo_gym.conversion.status"


class AtifReader:
    """The format `atif`."""

    name = "atif"

    def sniff(self, path: Path, head: bytes) -> Confidence:  # noqa: ARG002 - content decides
        """By `schema_version`, or by steps with the format's own keys where that stands behind the first 64 KiB."""
        if not head.lstrip().startswith(b"{"):
            return Confidence.NO
        if _VERSION.search(head):
            return Confidence.CERTAIN
        keys = (b'"source"', b'"message"', b'"steps"')
        return Confidence.LIKELY if _LOOSE.search(head) and all(key in head for key in keys) else Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the document; nothing is read yet. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return LoggedFile(path, shown, self.name, options, _rollouts)


def _rollouts(
    path: Path,
    shown: str,
    options: ReadOptions,  # noqa: ARG001 - nothing can be forced
    left_over: list[Diagnostic],  # noqa: ARG001 - a document is one rollout, or unreadable
) -> Iterator[Rollout]:
    diagnostics: list[Diagnostic] = []
    data = document(path, shown, diagnostics)
    version = fields.text(data, "schema_version")
    if version is None or not _READ.match(version):
        said = f"schema_version is {version!r}: read as ATIF 1.8, fields that it does not have are kept verbatim"
        diagnostics.append(Diagnostic("format-version-unknown", said))
    found = trajectories(data, diagnostics)
    root = found[0]
    gym = fields.mapping(fields.mapping(data, "extra"), "nemo_gym")
    trial = trial_of(path, shown, diagnostics)
    invocations = tuple(one.invocation for one in found)
    invocations = (cut_off(_with_fields(invocations[0], data), diagnostics), *invocations[1:])
    yield Rollout(
        id=_id(data, gym, path, trial),
        source=SourceRef(shown, "atif", fields.text(data, "session_id"), () if trial is None else (trial.name,)),
        harness=_harness(data),
        route=Route(because=NOT_SPLIT),
        task=_task(gym, root, trial),
        invocations=invocations,
        final_answer=final_answer_of(invocations[0]),
        scored=scored_of(root.output, session_output=False),
        usage=_usage(data, invocations, trial),
        diagnostics=tuple(diagnostics),
        evidence=Evidence(row=None if trial is None else trial.row(), ending=_ending(gym, root, trial)),
        notes=tuple(_notes(data, found)),
        extra={key: data[key] for key in ("notes", "extra", "continued_trajectory_ref") if data.get(key) is not None},
    )


def _with_fields(root: Invocation, data: JsonObject) -> Invocation:
    """The root's stored lens with every field of the document that no step holds."""
    rest = {key: value for key, value in data.items() if key not in ("steps", "subagent_trajectories")}
    parts = [StoredPart(key, "", "field", {key: value}, locator=key) for key, value in rest.items()]
    return replace(root, parts=(*root.parts, *parts))


def _id(data: JsonObject, gym: JsonObject, path: Path, trial: Trial | None) -> str:
    """Gym's `<task>-<rollout>`, the trial's name, the document's own id, its run's, the name of its folder."""
    origin = fields.mapping(gym, "source")
    task, rollout = _indices(origin)
    if task is not None and rollout is not None:
        return f"{task}-{rollout}"
    if trial is not None and trial.id is not None:
        return trial.id
    for key in ("trajectory_id", "session_id"):
        own = fields.text(data, key)
        if own:
            return own
    return path.stem if path.stem != "trajectory" else path.parent.name or path.stem


def _indices(origin: JsonObject) -> tuple[int | None, int | None]:
    names = (("_ng_task_index", "task_index"), ("_ng_rollout_index", "rollout_index"))
    task, rollout = (next((v for n in pair if (v := fields.integer(origin, n)) is not None), None) for pair in names)
    return task, rollout


def _harness(data: JsonObject) -> Harness:
    agent = fields.mapping(data, "agent")
    return Harness(
        name=fields.text(agent, "name"), version=fields.text(agent, "version"), model=fields.text(agent, "model_name")
    )


def _task(gym: JsonObject, root: Trajectory, trial: Trial | None) -> Task:
    task, rollout = _indices(fields.mapping(gym, "source"))
    named = None if trial is None else trial.task
    return Task(task_index=task, rollout_index=rollout, task_id=named, prompt=first_prompt(root.invocation))


def _usage(data: JsonObject, invocations: tuple[Invocation, ...], trial: Trial | None) -> Usage:
    """`final_metrics`, which the producer summed itself, else the trial's count, else the sum of the steps."""
    metrics = fields.mapping(data, "final_metrics")
    names = ("total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "total_cost_usd")
    if any(metrics.get(name) is not None for name in names):
        return Usage(
            input=fields.integer(metrics, names[0]),
            output=fields.integer(metrics, names[1]),
            reasoning=fields.integer(fields.mapping(metrics, "extra"), "reasoning_tokens"),
            cached=fields.integer(metrics, names[2]),
            cost=fields.number(metrics, names[3]),
            counted_by="final_metrics of the trajectory",
        )
    if trial is not None and (counted := trial.usage()) != Usage():
        return counted
    turns = [turn for one in invocations for turn in one.turns]
    return summed(turns, "metrics of the steps, copied ones left out")


def _ending(gym: JsonObject, root: Trajectory, trial: Trial | None) -> Ending:
    """The trial around it; else Gym's exporter, which takes completed rows only (gym-semantics 11); else nothing."""
    last = root.invocation.turns[-1] if root.invocation.turns else None
    if trial is not None:
        return trial.ending(None if last is None else last.finish)
    status = fields.text(fields.mapping(gym, "conversion"), "status")
    return Ending(
        says=_STATUS if gym else None,
        word=status,
        rests_on=_STATUS if gym else None,
        last_finish=None if last is None else last.finish,
    )


def _notes(data: JsonObject, found: tuple[Trajectory, ...]) -> Iterator[Reason]:
    copied = sum(one.copied for one in found)
    if copied:
        yield Reason(
            f"{copied} {'step was' if copied == 1 else 'steps were'} copied from an earlier trajectory "
            "(is_copied_context): context, written before this one began.",
            rests_on="is_copied_context",
        )
    tokens = [sum(one.token_ids[place] for one in found) for place in (0, 1)]
    if any(tokens):
        yield Reason(
            f"The steps hold {tokens[0]:,} prompt token ids and {tokens[1]:,} completion token ids.",
            rests_on="metrics",
        )
    continued = fields.text(data, "continued_trajectory_ref")
    if continued:
        yield Reason(f"The trajectory goes on in {continued}.", rests_on="continued_trajectory_ref")


READER = AtifReader()
