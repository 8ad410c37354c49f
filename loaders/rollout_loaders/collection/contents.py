"""One folder's files sorted into artifacts, evidence and what nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rollout_loaders import registry, source
from rollout_loaders.errors import ReadError
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic
from rollout_loaders.reader import Confidence, Reader
from rollout_loaders.remote.path import RemotePath

from .evidence_names import recognise
from .folder import Entry, Listing

RICHNESS = ("opencode-sqlite", "opencode-storage", "opencode-export", "opencode-stdout", "pi-events", "pi-session")
"""Formats that hold sessions of a harness, richest first (CONTRACT 2); an event log of a runner comes after all."""
EVIDENCE_FILE = "evidence-file"
UNKNOWN_FILE = "unknown-file"
_SURE_OF_CONTENT = Confidence.LIKELY


@dataclass(frozen=True, slots=True)
class Found:
    """A file or store that a reader takes."""

    entry: Entry
    reader: Reader

    @property
    def holds_sessions(self) -> bool:
        """True when its rollouts are sessions of OpenCode or Pi, which several artifacts may hold."""
        return self.reader.name in RICHNESS

    @property
    def rank(self) -> int:
        """Position in the order database, export, stdout, session file, event log."""
        if self.reader.name == "pi-events" and self.entry.name == "events.jsonl":
            return len(RICHNESS)
        return RICHNESS.index(self.reader.name) if self.holds_sessions else len(RICHNESS)


@dataclass(frozen=True, slots=True)
class Contents:
    """One folder, sorted. `folders` are those to search further: stores are artifacts."""

    entry: Entry
    artifacts: tuple[Found, ...]
    evidence: tuple[Entry, ...]
    unknown: tuple[Entry, ...]
    folders: tuple[Entry, ...]

    def file(self, name: str) -> Entry | None:
        """The evidence or unknown file of this name."""
        return next((entry for entry in (*self.evidence, *self.unknown) if entry.name == name), None)


def sort_out(listing: Listing, forced: Reader | None, diagnostics: list[Diagnostic]) -> Contents:
    """Sort one listing. `forced` is the only reader asked, when given."""
    artifacts: list[Found] = []
    evidence: list[Entry] = []
    unknown: list[Entry] = []
    folders: list[Entry] = []
    for entry in listing.files:
        found = _judge(entry, forced, diagnostics)
        if isinstance(found, Found):
            artifacts.append(found)
        else:
            (evidence if found else unknown).append(entry)
    for entry in listing.folders:
        store = store_reader(entry, forced, diagnostics)
        if store is not None:
            artifacts.append(Found(entry, store))
        else:
            folders.append(entry)
    return Contents(listing.entry, tuple(artifacts), tuple(evidence), tuple(unknown), tuple(folders))


def _judge(entry: Entry, forced: Reader | None, diagnostics: list[Diagnostic]) -> Found | bool:
    """The artifact, else whether it is evidence."""
    known = recognise(entry.name)
    if known is not None and known.strong:
        return True
    try:
        head = source.head(entry.path)
    except ReadError as error:
        diagnostics.append(Diagnostic("file-unreadable", error.reason, entry.shown))
        return known is not None
    choice = _ask(entry, head, forced, diagnostics)
    reader, sure = choice.reader, choice.confidence
    # A name like `result.json` or `status.json` is only a habit: content that a reader knows wins over it.
    if reader is None or (known is not None and sure < _SURE_OF_CONTENT):
        return known is not None
    return True if _is_part(reader, entry) else Found(entry, reader)


def _is_part(reader: Reader, entry: Entry) -> bool:
    """Whether a reader reads this file as part of another one beside it (a subagent's transcript)."""
    ask = getattr(reader, "is_part", None)
    return ask is not None and bool(ask(entry.path))


def store_reader(entry: Entry, forced: Reader | None, diagnostics: list[Diagnostic]) -> Reader | None:
    """The reader that takes this folder as one store, or None for a folder to search.

    A reader may also take the folder around its store; other artifacts can lie there, so it is searched. Behind a URL
    no folder is a store: its readers open its files one by one.
    """
    if isinstance(entry.path, RemotePath):
        return None
    reader = _ask(entry, b"", forced, diagnostics).reader
    if reader is None:
        return None
    try:
        inside = [Entry(path, path.name) for path in entry.path.iterdir() if path.is_dir()]
    except OSError:
        return reader
    holds_it = any(_ask(inner, b"", reader, []).reader is not None for inner in inside)
    return None if holds_it else reader


def _ask(entry: Entry, head: bytes, forced: Reader | None, diagnostics: list[Diagnostic]) -> registry.Choice:
    path = entry.path
    choice = registry.sniff(path, head) if forced is None else registry.sniff_with((forced,), path, head)
    diagnostics.extend(choice.diagnostics)
    return choice


def name_the_rest(entries: Sequence[Entry], root: Entry, code: str) -> Diagnostic | None:
    """One line for all files of a searched folder that gave no rollout, the commonest names first."""
    if not entries:
        return None
    names = Counter(entry.name for entry in entries)
    shown = ", ".join(f"{count} {name}" if count > 1 else name for name, count in names.most_common(8))
    more = f" and {len(names) - 8} other names" if len(names) > 8 else ""
    files = "1 file" if len(entries) == 1 else f"{len(entries):,} files"
    what = "evidence and no rollout" if code == EVIDENCE_FILE else "no known format"
    return Diagnostic(code, f"{files}: {what} ({shown}{more})", root.shown)
