"""From arguments to units: which artifacts of a searched folder, or beside a named file, belong together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from rollout_loaders import registry, source
from rollout_loaders.errors import ReadError, UnknownFormatError
from rollout_loaders.index.opened import ONE_A_LINE
from rollout_loaders.model import Diagnostic, Rollout, RolloutSummary
from rollout_loaders.reader import Reader, ReadOptions
from rollout_loaders.remote import address
from rollout_loaders.remote.path import RemotePath

from .contents import EVIDENCE_FILE, UNKNOWN_FILE, Contents, Found, name_the_rest, sort_out, store_reader
from .evidence_names import recognise
from .folder import Entry, Search
from .grouping import grouped
from .lines import Lines
from .paths import shown_parent
from .plain import Plain
from .row_evidence import VERDICTS, RowEvidence
from .rows import Rows
from .session_evidence import SessionEvidence
from .sessions import Sessions

ROWS = "gym-rollouts"
SIDECAR = "gym-failures"
DEFAULT_ROWS = "rollouts.jsonl"


class Unit(Protocol):
    """Artifacts that are read together."""

    shown: list[str]
    problems: list[Diagnostic]

    @property
    def paths(self) -> list[Path]:
        """What is read, without the evidence beside it."""
        ...

    def rollouts(self) -> Iterator[Rollout]:
        """Completed and joined."""
        ...

    def summaries(self) -> Iterator[RolloutSummary]:
        """In the same order."""
        ...

    def find(self, name: str, shown: str | None = None) -> Rollout | None:
        """One rollout by locator or id."""
        ...

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Complete after a full pass."""
        ...


class FolderSearch:
    """One folder argument. Units come as they are found; diagnostics are complete at the end."""

    def __init__(self, root: Entry, options: ReadOptions, forced: Reader | None) -> None:
        self._root, self._options, self._forced = root, options, forced
        self._search = Search(root)
        self._claimed: set[Path] = set()
        self._evidence: list[Entry] = []
        self._unknown: list[Entry] = []
        self.diagnostics: list[Diagnostic] = self._search.diagnostics
        self.found_any = False
        self.folders: list[Path] = []
        """Those that were listed."""

    def units(self) -> Iterator[Unit]:
        """Every unit, files before subfolders, in natural order. Raises `ReadError` when the folder holds nothing."""
        yield from self._walk(self._root, 0)
        if not self.found_any:
            raise ReadError(self._root.shown, self._nothing(), f"formats tried: {', '.join(registry.names())}")
        for entries, code in ((self._evidence, EVIDENCE_FILE), (self._unknown, UNKNOWN_FILE)):
            line = name_the_rest(entries, self._root, code)
            if line is not None:
                self.diagnostics.append(line)

    @property
    def unknown(self) -> list[Path]:
        """Files that no reader knew; complete at the end."""
        return [entry.path for entry in self._unknown]

    def _walk(self, entry: Entry, depth: int) -> Iterator[Unit]:
        contents = self._contents(entry, depth)
        if contents is None:
            return
        yield from self._rows(contents)
        if any(found.holds_sessions for found in contents.artifacts):
            # Artifacts of a session lie in its folder and below it (`sessions/`), never in a folder beside it.
            below = [contents, *self._gather_contents(contents, depth)]
            for inner in below[1:]:
                yield from self._rows(inner)
            sessions = [f for c in below if not self._is_claimed(c.entry.path) for f in c.artifacts if f.holds_sessions]
            groups = grouped(sessions)
            for group in groups:
                yield Sessions(group, self._options, SessionEvidence(alone=len(groups) == 1))
            return
        for folder in contents.folders:
            if folder.path not in self._claimed:
                yield from self._walk(folder, depth + 1)

    def _contents(self, entry: Entry, depth: int) -> Contents | None:
        listing = self._search.listing(entry, depth)
        if listing is None:
            return None
        self.folders.append(entry.path)
        contents = sort_out(listing, self._forced, self.diagnostics)
        self.found_any = self.found_any or bool(contents.artifacts)
        self._evidence.extend(contents.evidence)
        self._unknown.extend(contents.unknown)
        return contents

    def _gather_contents(self, contents: Contents, depth: int) -> list[Contents]:
        found: list[Contents] = []
        for folder in contents.folders:
            inner = None if folder.path in self._claimed else self._contents(folder, depth + 1)
            if inner is not None:
                found += [inner, *self._gather_contents(inner, depth + 1)]
        return found

    def _is_claimed(self, path: Path) -> bool:
        return any(folder == path or folder in path.parents for folder in self._claimed)

    def _rows(self, contents: Contents) -> Iterator[Unit]:
        others = [found for found in contents.artifacts if not found.holds_sessions]
        files = [found for found in others if found.reader.name == ROWS]
        sidecars = {found.entry.name: found for found in others if found.reader.name == SIDECAR}
        for found in others:
            if found.reader.name == ROWS:
                sidecar = sidecars.pop(sidecar_name(found.entry.name), None)
                evidence = RowEvidence(
                    contents.entry,
                    len(files) == 1 or found.entry.name == DEFAULT_ROWS,
                    self._options,
                    sessions_below,
                    self._claimed,
                )
                yield Rows(found, sidecar, self._options, evidence, with_orphans=True)
        for found in others:
            if found.reader.name != ROWS and (found.reader.name != SIDECAR or found.entry.name in sidecars):
                yield _alone(found, self._options)

    def _nothing(self) -> str:
        if not self._evidence and not self._unknown:
            return "the folder holds no files" if not self.diagnostics else "the folder holds no file that can be read"
        counted = [f"{len(self._unknown):,} of unknown format"] if self._unknown else []
        counted += [f"{len(self._evidence):,} of evidence"] if self._evidence else []
        return f"no rollout in its {len(self._evidence) + len(self._unknown):,} files ({', '.join(counted)})"


def sidecar_name(name: str) -> str:
    """`<stem>_failures.jsonl` of `<stem>.jsonl` (gym-semantics 1.1)."""
    return f"{name.removesuffix('.jsonl')}_failures.jsonl"


def sessions_below(folder: Entry) -> list[Found]:
    """All session artifacts in a folder and below."""
    search = Search(folder)
    found: list[Found] = []
    waiting = [(folder, 0)]
    while waiting:
        entry, depth = waiting.pop(0)
        listing = search.listing(entry, depth)
        if listing is None:
            continue
        contents = sort_out(listing, None, [])
        found += [artifact for artifact in contents.artifacts if artifact.holds_sessions]
        waiting += [(inner, depth + 1) for inner in contents.folders]
    return found


def named_unit(entry: Entry, options: ReadOptions, forced: Reader | None, diagnostics: list[Diagnostic]) -> Unit:
    """The unit of one named file or store, with the evidence beside it, or of an index. Raises `ReadError`."""
    if forced is None and entry.name.endswith(".parquet"):
        from rollout_loaders.index.parquet import is_parquet  # hashing and temporary files: others need not wait

        from .indexed_runs import IndexedRuns

        if is_parquet(source.head(entry.path, 4)):
            return IndexedRuns(entry, lambda file, name: _of_index(file, name, options, diagnostics))
    found = _named(entry, forced, diagnostics)
    if found.holds_sessions:
        return Sessions([found], options, SessionEvidence())
    if found.reader.name != ROWS:
        return _alone(found, options)
    folder = Entry(entry.path.parent, shown_parent(entry.shown))
    side = Entry(folder.path / sidecar_name(entry.name), f"{entry.shown.removesuffix('.jsonl')}_failures.jsonl")
    sidecar = Found(side, registry.named(SIDECAR)) if side.path != entry.path and source.is_file(side.path) else None
    return Rows(found, sidecar, options, RowEvidence(folder, _owns_verdicts(entry, folder), options, sessions_below))


def _alone(found: Found, options: ReadOptions) -> Unit:
    return Lines(found, options) if found.reader.name in ONE_A_LINE else Plain(found, options)


def _of_index(entry: Entry, name: str, options: ReadOptions, diagnostics: list[Diagnostic]) -> Unit:
    if entry.name.endswith(".parquet"):
        raise ReadError(entry.shown, "is named by an index, but is none of the files that rollouts are read from", "")
    if isinstance(entry.path, RemotePath) and not address.may_be_led_to(entry.path.url):
        raise ReadError(entry.shown, "is named by an index, which may not lead to this machine", "name it yourself")
    # Telling the format of a URL by its content would transfer more than the row that is wanted.
    reader = registry.named(name) if isinstance(entry.path, RemotePath) and name in ONE_A_LINE else None
    return named_unit(entry, options, reader, diagnostics)


def _owns_verdicts(entry: Entry, folder: Entry) -> bool:
    """Verdicts carry no file name (gym-semantics 1.1): they are of `rollouts.jsonl`, or of the only rollouts file."""
    if entry.name == DEFAULT_ROWS or not source.is_file(folder.path / VERDICTS):
        return True
    return not any(_is_rows(path) for path in folder.path.glob("*.jsonl") if path.name != entry.name)


def _is_rows(path: Path) -> bool:
    if recognise(path.name) is not None or not source.is_file(path):
        return False
    try:
        choice = registry.choose(path, str(path))
    except ReadError:
        return False
    return choice.reader is not None and choice.reader.name == ROWS


def _named(entry: Entry, forced: Reader | None, diagnostics: list[Diagnostic]) -> Found:
    if forced is not None:
        return Found(entry, forced)
    if entry.path.is_dir():
        store = store_reader(entry, None, diagnostics)
        if store is None:
            raise UnknownFormatError(entry.shown, registry.names())
        return Found(entry, store)
    known = recognise(entry.name)
    try:
        choice = registry.choose(entry.path, entry.shown)
    except UnknownFormatError:
        if known is None:
            raise
        raise ReadError(
            entry.shown, f"is {known.what}, no rollout", "name the artifact beside it, or the folder"
        ) from None
    diagnostics.extend(choice.diagnostics)
    if choice.reader is None:
        raise UnknownFormatError(entry.shown, registry.names())
    return Found(entry, choice.reader)
