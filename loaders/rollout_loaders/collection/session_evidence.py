"""Evidence beside session artifacts: `result.json`, `prompt.txt`, `requests.jsonl` (gym-semantics 4.1, 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path

from rollout_loaders import source
from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, Evidence, ModelCall, Rollout, RunResult
from rollout_loaders.reader import ReadOptions
from rollout_loaders.remote.address import is_url

from . import side_files
from .contents import Found
from .folder import Entry
from .paths import shown_join, shown_parent

_NAMED_ONLY = ("stderr.log", "stderr.txt", "stdout.jsonl")
_PROMPT_LIMIT = 64 * 1024**2


@dataclass(slots=True)
class SessionEvidence:
    """Reads each evidence file once. `alone` says whether a folder's captured requests can only be one session's."""

    alone: bool = True
    _results: dict[Path, tuple[RunResult | None, tuple[Diagnostic, ...]]] = field(default_factory=lambda: {})
    _calls: dict[Path, tuple[tuple[ModelCall, ...], tuple[Diagnostic, ...]]] = field(default_factory=lambda: {})

    def options_for(self, found: Found, options: ReadOptions) -> ReadOptions:
        """The options to open an artifact with: it is read as session output in a session folder (CONTRACT 3)."""
        if any(result is not None or wrong for result, wrong in map(self._result, _beside(found))):
            return replace(options, session_folder=True)
        return options

    def attach(self, rollout: Rollout, found: Sequence[Found]) -> Rollout:
        """`rollout` with what lies beside its artifacts."""
        folders = list(dict.fromkeys(folder for one in found for folder in _beside(one)))
        for folder in folders:
            rollout = self._with_result(rollout, folder)
            rollout = self._with_calls(rollout, folder)
        return rollout

    def _with_result(self, rollout: Rollout, folder: Beside) -> Rollout:
        result, wrong = self._result(folder)
        for diagnostic in wrong:
            rollout = _with_diagnostic(rollout, replace(diagnostic, locator=folder.name("result.json")))
        record = rollout.evidence
        if result is None or record.run_result is not None:
            return rollout
        record = replace(record, run_result=result, session_folder=folder.shown)
        rollout = _with_artifact(replace(rollout, evidence=record), folder.name("result.json"))
        rollout = self._with_prompt(rollout, folder)
        for name in _NAMED_ONLY:
            if source.is_file(folder.path / name):
                rollout = _with_artifact(rollout, folder.name(name))
        return rollout

    def _with_prompt(self, rollout: Rollout, folder: Beside) -> Rollout:
        path = folder.path / "prompt.txt"
        if not source.is_file(path):
            return rollout
        rollout = _with_artifact(rollout, folder.name("prompt.txt"))
        try:
            # What the runner sent; OpenCode's own copy of it has quotes added (formats trap 18).
            text = source.read_whole(path, _PROMPT_LIMIT).decode("utf-8", "replace")
        except ReadError as error:
            return _with_diagnostic(rollout, Diagnostic("evidence-unreadable", error.reason, folder.name("prompt.txt")))
        return replace(rollout, task=replace(rollout.task, prompt=text))

    def _with_calls(self, rollout: Rollout, folder: Beside) -> Rollout:
        path = folder.path / "requests.jsonl"
        if rollout.evidence.requests_source is not None or not source.is_file(path):
            return rollout
        if path not in self._calls:
            self._calls[path] = side_files.model_calls(path)
        calls, wrong = self._calls[path]
        own = _of_rollout(calls, rollout, self.alone)
        if not own:
            return rollout
        shown = folder.name("requests.jsonl")
        record: Evidence = replace(
            rollout.evidence, model_calls=(*rollout.evidence.model_calls, *own), requests_source=shown
        )
        rollout = _with_artifact(replace(rollout, evidence=record), shown)
        for diagnostic in wrong:
            rollout = _with_diagnostic(rollout, replace(diagnostic, locator=shown))
        return rollout

    def _result(self, folder: Beside) -> tuple[RunResult | None, tuple[Diagnostic, ...]]:
        if folder.path not in self._results:
            path = folder.path / "result.json"
            self._results[folder.path] = side_files.run_result(path) if source.is_file(path) else (None, ())
        return self._results[folder.path]


@dataclass(frozen=True, slots=True)
class Beside:
    """A folder that may hold evidence, with its name as shown."""

    path: Path
    shown: str

    def name(self, name: str) -> str:
        """A file in it, as shown."""
        return shown_join(self.shown, name) if self.shown else name


def _beside(found: Found) -> tuple[Beside, ...]:
    """The artifact's folder, and for a Pi session file the folder that holds `sessions/` (formats 2.5)."""
    entry: Entry = found.entry
    shown = entry.shown.rstrip("/")
    first = Beside(entry.path.parent, _parent(shown))
    if found.reader.name == "pi-session" and first.path.parent.name == "sessions":
        second = Beside(first.path.parent.parent, _parent(_parent(first.shown)))
        return (first, second)
    return (first,)


def _parent(shown: str) -> str:
    if is_url(shown):
        return shown_parent(shown)
    parent = Path(shown).parent
    return "" if parent == Path() else str(parent)


def _of_rollout(calls: tuple[ModelCall, ...], rollout: Rollout, alone: bool) -> tuple[ModelCall, ...]:
    """The calls of this rollout: by session where the request names one, else all when the folder has one rollout."""
    sessions = {invocation.id for invocation in rollout.invocations}
    return tuple(
        call for call in calls if (call.session_id in sessions if call.session_id is not None and sessions else alone)
    )


def _with_artifact(rollout: Rollout, shown: str) -> Rollout:
    if shown in rollout.source.artifacts or shown == rollout.source.path:
        return rollout
    return replace(rollout, source=replace(rollout.source, artifacts=(*rollout.source.artifacts, shown)))


def _with_diagnostic(rollout: Rollout, diagnostic: Diagnostic) -> Rollout:
    return replace(rollout, diagnostics=(*rollout.diagnostics, diagnostic))
