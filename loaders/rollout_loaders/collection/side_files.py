"""Evidence files read through the formats; one that cannot be read costs itself and a diagnostic.

The formats are imported when there is something to read: most rollouts have nothing beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rollout_loaders.errors import ReadError
from rollout_loaders.model import Diagnostic, ModelCall, RecordedHealth, RunResult, TokenEntry

_Read = TypeVar("_Read")
_NO_RUNNER = (None, False, None, None)


def run_result(path: Path) -> tuple[RunResult | None, tuple[Diagnostic, ...]]:
    """A session folder's `result.json` (gym-semantics 4.1); None when it holds none of a runner's fields."""
    from rollout_loaders.formats import gym_results

    result, wrong = _or(lambda: gym_results.read_run_result(path), None)
    if result is None or (result.return_code, result.timed_out, result.error, result.cleanup_confirmed) == _NO_RUNNER:
        return None, wrong
    return result, wrong


def model_calls(path: Path) -> tuple[tuple[ModelCall, ...], tuple[Diagnostic, ...]]:
    """A `requests.jsonl`."""
    from rollout_loaders.formats import gym_capture

    return _or(lambda: gym_capture.read_requests(path), ())


def captured_calls(path: Path) -> tuple[tuple[ModelCall, ...], tuple[Diagnostic, ...]]:
    """A `<rollout id>.capture.jsonl`."""
    from rollout_loaders.formats import gym_capture

    return _or(lambda: gym_capture.read_capture(path), ())


def token_entries(path: Path) -> tuple[tuple[TokenEntry, ...], tuple[Diagnostic, ...]]:
    """A `<rollout id>.tokens.jsonl`."""
    from rollout_loaders.formats import gym_tokens

    return _or(lambda: gym_tokens.read_tokens(path), ())


def verdicts(path: Path) -> dict[tuple[int, int], RecordedHealth]:
    """A `rollout_verdicts.jsonl` by (task, rollout)."""
    from rollout_loaders.formats import gym_results

    missing: dict[tuple[int, int], RecordedHealth] = {}
    return _or(lambda: gym_results.read_verdicts(path), missing)[0]


def _or(read: Callable[[], _Read], missing: _Read) -> tuple[_Read, tuple[Diagnostic, ...]]:
    try:
        return read(), ()
    except ReadError as error:
        return missing, (Diagnostic("evidence-unreadable", error.reason),)
    except Exception as error:  # foreign content: the rollout is worth more than what lies beside it
        return missing, (Diagnostic("evidence-unreadable", repr(error)),)
