"""Opening artifacts so that a fault in one costs that one: every exception becomes a line that names its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from rollout_loaders import evidence
from rollout_loaders.cycles import built, no_cycles
from rollout_loaders.errors import ReadError, RolloutError
from rollout_loaders.index.opened import indexed
from rollout_loaders.model import Diagnostic, Grading, Reason, Rollout, RolloutSummary, Span
from rollout_loaders.reader import Artifact, ReadOptions
from rollout_loaders.remote.path import RemotePath
from rollout_loaders.remote.refusal import RemoteError

from .contents import Found

RULES_FAILED = "rules-failed"
LOST = "remote-unreadable"
"""A server did not give what it was asked for: what was read is not all that there is, however much it is."""
_Item = TypeVar("_Item", Rollout, RolloutSummary, tuple[int, Rollout])


def open_artifact(found: Found, options: ReadOptions) -> Artifact:
    """Open an artifact. Raises `ReadError`, whatever went wrong."""
    try:
        return indexed(found.reader.open(found.entry.path, found.entry.shown, options), found.entry.path, options)
    except RolloutError:
        raise
    except Exception as error:  # a reader's own fault on hostile input
        raise _failed(found, error) from error


def guarded(found: Found, read: Callable[[], Iterator[_Item]], diagnostics: list[Diagnostic]) -> Iterator[_Item]:
    """Everything that `read` gives; what ends it early is a diagnostic, and what it gave before stays."""
    try:
        items, path = built(read()), found.entry.path
        yield from (_of_state(path, item) for item in items) if isinstance(path, RemotePath) else items
    except RolloutError as error:
        code = LOST if isinstance(error, RemoteError) else "artifact-unreadable"
        diagnostics.append(Diagnostic(code, _without_path(error, found), found.entry.shown))
    except Exception as error:
        diagnostics.append(Diagnostic("reader-failed", _failed(found, error).reason, found.entry.shown))


def _of_state(path: RemotePath, item: _Item) -> _Item:
    """What was read, with the state of the object that it was read of."""
    if isinstance(item, Rollout | RolloutSummary) and item.source.span is None:
        return replace(item, source=replace(item.source, span=Span(0, 0, path.state.version)))
    return item


def find_in(found: Found, artifact: Artifact, name: str) -> Rollout | None:
    """`artifact.find`, its faults as `ReadError`."""
    try:
        with no_cycles():
            return artifact.find(name)
    except RolloutError:
        raise
    except Exception as error:
        raise _failed(found, error) from error


def completed(rollout: Rollout, options: ReadOptions) -> Rollout:
    """The rollout with outcome, grading and the rest. A rule that fails leaves it readable and says so."""
    try:
        with no_cycles():
            return evidence.complete(rollout, options)
    except Exception as error:  # never lose a transcript to a rule
        said = f"the rules failed on this rollout: {error!r}"
        failed = Diagnostic(RULES_FAILED, said, f"{rollout.source.path}#{rollout.id}")
        return replace(
            rollout,
            grading=Grading(state="unreadable", rule=RULES_FAILED, because=(Reason(said),)),
            diagnostics=(*rollout.diagnostics, failed),
        )


def _failed(found: Found, error: Exception) -> ReadError:
    return ReadError(
        found.entry.shown, f"reader {found.reader.name} failed: {error!r}", "please report it with the file"
    )


def _without_path(error: RolloutError, found: Found) -> str:
    text = str(error)
    for path in (found.entry.shown, str(found.entry.path)):
        text = text.removeprefix(f"{path}: ")
    return text
