"""What lies beside a rollouts file, by rollout: verdicts, call and token captures, native artifacts (CONTRACT 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, RecordedHealth, Rollout, Task
from rollout_loaders.reader import ReadOptions
from rollout_loaders.source import is_file

from . import side_files
from .attempts import key_of
from .contents import Found
from .folder import Entry, Listing, Search
from .paths import shown_join
from .session_evidence import SessionEvidence
from .sessions import Sessions

Gather = Callable[[Entry], list[Found]]
"""All session artifacts in a folder and below."""
_LINE = re.compile(r"L\d+")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
VERDICTS = "rollout_verdicts.jsonl"
_DEPTH_TWO_FOLDERS = 256
_MARKS = {
    ".capture.incomplete": "a model call failed to be captured",
    ".tokens.incomplete": "a call's tokens failed to be captured",
}
_CAPTURES = (".capture.jsonl", ".tokens.jsonl", *_MARKS)


def rollout_ids(task: Task, rollout_id: str) -> tuple[str, ...]:
    """Names that capture files and native folders of this attempt may carry (gym-semantics 1.2)."""
    found: list[str] = []
    key = key_of(task)
    tail = f"-a{task.attempt}" if task.attempt else ""
    if key is not None:
        found.append(f"{key[0]}-{key[1]}{tail}")
    if _ID.fullmatch(rollout_id) and not _LINE.fullmatch(rollout_id):
        found += [rollout_id] if rollout_id.endswith(tail) else [rollout_id, f"{rollout_id}{tail}"]
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class RowEvidence:
    """The folder of one rollouts file, indexed once by name."""

    folder: Entry
    owns_verdicts: bool
    """False when the folder's verdicts may belong to another rollouts file in it."""
    options: ReadOptions
    gather: Gather
    claimed: set[Path] = field(default_factory=set[Path])
    """Native folders that were joined: the search leaves them out."""
    _names: dict[str, Entry] | None = None
    _verdicts: dict[tuple[int, int], RecordedHealth] | None = None

    def touches(self, task: Task, rollout_id: str) -> bool:
        """True when something here changes more than the findings of this rollout: a native session."""
        return any(name in self._index() for name in rollout_ids(task, rollout_id))

    def joins(self, task: Task, rollout_id: str) -> bool:
        """True when anything here becomes part of this rollout: a native session, captured calls or tokens."""
        index = self._index()
        return any(f"{name}{tail}" in index for name in rollout_ids(task, rollout_id) for tail in ("", *_CAPTURES))

    def may_join(self) -> bool:
        """False when nothing here could become part of any rollout, whatever the rollouts are called."""
        return any(name.endswith(_CAPTURES) or entry.path.is_dir() for name, entry in self._index().items())

    def may_claim(self) -> bool:
        """False when there is no folder here that could be a native session."""
        return any(entry.path.is_dir() for entry in self._index().values())

    def attach(self, row: Rollout) -> Rollout:
        """The row with everything that is its own here."""
        row = self._with_verdict(row)
        for name in rollout_ids(row.task, row.id):
            row = self._with_captures(row, name)
            row = self._with_native(row, name)
        return row

    def _with_verdict(self, row: Rollout) -> Rollout:
        if self._verdicts is None:
            path = self.folder.path / VERDICTS
            self._verdicts = side_files.verdicts(path) if self.owns_verdicts and is_file(path) else {}
        key = key_of(row.task)
        found = None if key is None else self._verdicts.get(key)
        if found is None or row.evidence.recorded_health is not None:
            return row
        return _named(
            replace(row, evidence=replace(row.evidence, recorded_health=found)),
            shown_join(self.folder.shown, VERDICTS),
        )

    def _with_captures(self, row: Rollout, name: str) -> Rollout:
        index, record, wrong = self._index(), row.evidence, tuple[Diagnostic, ...]()
        calls_file, tokens_file = index.get(f"{name}.capture.jsonl"), index.get(f"{name}.tokens.jsonl")
        if calls_file is not None:
            from rollout_loaders.formats.gym_capture import merged

            calls, wrong = side_files.captured_calls(calls_file.path)
            record = replace(record, model_calls=merged(record.model_calls, calls))
            row = _named(row, calls_file.shown)
        if tokens_file is not None:
            entries, wrong_tokens = side_files.token_entries(tokens_file.path)
            known = {entry.call_id for entry in record.token_entries}
            added = tuple(entry for entry in entries if entry.call_id not in known)
            record = replace(record, token_entries=(*record.token_entries, *added))
            row, wrong = _named(row, tokens_file.shown), (*wrong, *wrong_tokens)
        for suffix, what in _MARKS.items():
            mark = index.get(name + suffix)
            if mark is not None:
                row, wrong = _named(row, mark.shown), (*wrong, Diagnostic("capture-incomplete", what, mark.shown))
        if record is row.evidence and not wrong:
            return row
        return replace(row, evidence=record, diagnostics=(*row.diagnostics, *wrong))

    def _with_native(self, row: Rollout, name: str) -> Rollout:
        folder = self._index().get(name)
        if folder is None or not folder.path.is_dir():
            return row
        found = self.gather(folder)
        if not found:
            return row
        count = len(self._sessions(found, None))
        if count != 1:
            what = f"{folder.shown} holds {count} sessions, so none is joined to this row"
            ambiguous = Diagnostic("native-ambiguous", what, row.source.locator)
            return replace(row, diagnostics=(*row.diagnostics, ambiguous))
        from . import native

        self.claimed.add(folder.path)
        session, route = native.gated(row, lambda gate: self._sessions(found, gate)[0], self.options.gym_reasoning)
        return native.with_native(row, session, route, (session.source.path, *session.source.artifacts))

    def _sessions(self, found: Sequence[Found], gate: bool | None) -> list[Rollout]:
        options = self.options if gate is None else replace(self.options, gym_reasoning=gate)
        return list(Sessions(found, options, SessionEvidence()).joined_only())

    def _index(self) -> dict[str, Entry]:
        """Entries of the folder and of its few plain subfolders, by name; a nearer one wins."""
        if self._names is None:
            search = Search(self.folder)
            try:
                top = search.listing(self.folder)
            except ReadError:  # a folder that may be entered but not listed: its rollouts file is still read
                top = None
            names = {entry.name: entry for entry in _entries(top)}
            below = [folder for folder in (top.folders if top else ()) if not re.match(r"\d+-\d+", folder.name)]
            for folder in below[:_DEPTH_TWO_FOLDERS]:
                for entry in _entries(search.listing(folder, 1)):
                    names.setdefault(entry.name, entry)
            self._names = names
        return self._names


def _entries(listing: Listing | None) -> Iterator[Entry]:
    if listing is not None:
        yield from listing.folders
        yield from listing.files


def _named(rollout: Rollout, *shown: str) -> Rollout:
    artifacts: Sequence[str] = (*rollout.source.artifacts, *shown)
    return replace(rollout, source=replace(rollout.source, artifacts=tuple(dict.fromkeys(artifacts))))
