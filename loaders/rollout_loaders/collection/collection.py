"""PATHs to rollouts, streaming (CONTRACT 2)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection as Collection_
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from rollout_loaders import registry, source
from rollout_loaders.errors import LocatorError, ReadError, RolloutError
from rollout_loaders.index.needle import Needle
from rollout_loaders.locator import locate
from rollout_loaders.model import Diagnostic, Place, Rollout, RolloutSummary
from rollout_loaders.reader import Reader, ReadOptions
from rollout_loaders.remote.address import redacted
from rollout_loaders.remote.path import RemotePath
from rollout_loaders.remote.refusal import RemoteError
from rollout_loaders.summary import summarise

from .contents import EVIDENCE_FILE, UNKNOWN_FILE, store_reader
from .folder import Entry
from .lines import Lines
from .opening import LOST, RULES_FAILED
from .paths import Argument, expand
from .plain import Plain
from .search import FolderSearch, Unit, named_unit
from .sessions import Sessions
from .stamps import Stamp, stamp_of
from .wrong import UNREADABLE, Wrong

READY = 4
"""Rollouts that were built to be listed and are kept until they are opened."""


class Collection:
    """What a list of PATHs names. Nothing is read before it is asked for; a pass can be made again.

    Use it as a context manager, or call `close`, to remove the private copy of standard input.
    """

    def __init__(self, paths: Sequence[str], options: ReadOptions, reader: str | None) -> None:
        self._paths = tuple(paths)
        self._options = options
        self._forced: Reader | None = registry.named(reader) if reader is not None else None
        self._stack = contextlib.ExitStack()
        self._stdin: Entry | None = None
        self._units: dict[str, Unit] = {}
        self.wrong = Wrong()
        self._listing: Unit | None = None
        self._place: Place | None = None
        self._places: dict[tuple[str, str], Place] = {}
        self._unread: dict[str, list[Path]] = {}
        self._searched: dict[str, list[Path]] = {}
        self._ready: dict[int, tuple[Stamp, RolloutSummary, Rollout]] = {}
        """By `id` of the summary, which is held so that no other takes its number."""
        self.has_rollouts = False
        """Whether `rollouts` or `holding` met any rollout, also one that it left out."""

    def rollouts(self) -> Iterator[Rollout]:
        """Every rollout, joined and completed, in the order of the PATHs. Trouble is a diagnostic, not an exception."""
        return self.holding(None)

    def holding(self, needle: Needle | None) -> Iterator[Rollout]:
        """As `rollouts`, but of rollouts files only the rows whose record may hold a text.

        Lines that cannot hold it are not parsed, so what is wrong with them is not said.
        """
        for argument in self.arguments():
            yield from self.rollouts_at(argument, needle)

    def rollouts_at(self, argument: Argument, needle: Needle | None = None) -> Iterator[Rollout]:
        """Those of one argument."""
        if argument.rollout is not None:
            yield from self._one(argument, argument.rollout)
            return
        wanted = needle if argument.place is None else None
        whole = (rollout for unit in self.units_of(argument) for rollout in self.rollouts_of(argument, unit, wanted))
        yield from whole if argument.place is None else self._with_place(argument, argument.place, whole)

    def summaries(self) -> Iterator[RolloutSummary]:
        """One line a rollout, as cheap as the format allows."""
        for argument in self.arguments():
            yield from self.summaries_at(argument)

    def early(self) -> Iterator[RolloutSummary]:
        """The same, rows as soon as they are read: `renamed` says afterwards whether any is called otherwise now."""
        for argument in self.arguments():
            yield from self.summaries_at(argument, early=True)

    @property
    def renamed(self) -> bool:
        """Whether a row that `early` gave shares its name with another, and is now called by its line."""
        return any(isinstance(unit, Lines) and unit.renamed for unit in self._units.values())

    @property
    def progress(self) -> tuple[str, float] | None:
        """The file that is being listed, and how much of it has been: from 0 to 1. None where that is not known."""
        unit = self._listing
        found = unit.progress if isinstance(unit, Lines) else None
        return None if unit is None or found is None else (unit.shown[0], found)

    def summaries_at(self, argument: Argument, early: bool = False) -> Iterator[RolloutSummary]:
        """Those of one argument."""
        if argument.rollout is not None:
            yield from self.summaries_named(argument)
            return
        for unit in self.units_of(argument):
            yield from self.summaries_of(argument, unit, early)

    def summaries_named(self, argument: Argument) -> Iterator[RolloutSummary]:
        """Those of the rollouts that an argument names by a locator."""
        if argument.rollout is not None:
            yield from (summarise(rollout) for rollout in self._one(argument, argument.rollout))

    def summaries_of(self, argument: Argument, unit: Unit, early: bool = False) -> Iterator[RolloutSummary]:
        """Those of one unit; what is wrong with it is a diagnostic."""
        self._listing = unit
        with self._refusing(argument.shown):
            if isinstance(unit, Sessions) or (isinstance(unit, Plain) and unit.lists_whole()):
                yield from self._summarised(unit)
            else:
                yield from unit.early() if early and isinstance(unit, Lines) else unit.summaries()
        self._listing = None
        self.wrong.add(unit.diagnostics())

    def _summarised(self, unit: Unit) -> Iterator[RolloutSummary]:
        """Of rollouts that are listed by building them the first few stay ready for whoever opens one."""
        self._ready = {key: one for key, one in self._ready.items() if one[1].source.path not in unit.shown}
        stamp = stamp_of(unit) if len(self._ready) < READY else None
        for rollout in unit.rollouts():
            summary = summarise(rollout)
            if stamp is not None and len(self._ready) < READY:
                self._ready[id(summary)] = (stamp, summary, rollout)
            yield summary

    def load(self, summary: RolloutSummary) -> Rollout:
        """The whole rollout of a summary that this collection gave. Raises `ReadError` or `LocatorError`."""
        shown = summary.source.path
        unit = self._units.get(shown)
        ready = self._ready.pop(id(summary), None)
        if ready is not None and unit is not None and stamp_of(unit) == ready[0]:
            return ready[2]
        if unit is None:
            found = next(iter(open_paths([shown], self._options).rollouts()), None)
            if found is not None and found.id == summary.id:
                return found
            raise LocatorError(f"{shown}: {summary.id} is not of this collection")
        names = dict.fromkeys(name for name in (summary.source.locator, summary.id) if name is not None)
        for name in names:
            rollout = unit.find(name, shown)
            if rollout is not None:
                return rollout
        raise LocatorError(f"{shown}: {summary.id} is no longer there; read it again")

    def may_hold(self, summary: RolloutSummary, needle: Needle) -> bool:
        """False where the record of a rollout cannot hold a text, without reading it: a file is looked through once."""
        unit = self._units.get(summary.source.path)
        if not isinstance(unit, Lines) or summary.source.path != unit.shown[0]:
            return True
        try:
            lines = unit.lines_holding(needle)
        except (RolloutError, OSError):
            return True
        return lines is None or summary.source.locator in lines

    def place_of(self, rollout: Rollout) -> Place | None:
        """The place that the PATH of this rollout named, its turn and invocation filled in."""
        return self._places.get((rollout.source.path, rollout.id))

    @property
    def place(self) -> Place | None:
        """The place of the last locator with `@…`; None when no PATH had one."""
        return self._place

    @property
    def named(self) -> tuple[str, ...]:
        """The PATHs as they may be shown: without what a URL holds of secrets."""
        return tuple(redacted(path) for path in self._paths)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What could not be read and what is wrong with files as a whole; grows with a pass, complete after it.

        `locator` is the path, with `#L17` for a line of it.
        """
        self.wrong.add(registry.problems())
        return self.wrong.all()

    @property
    def unread(self) -> list[Path]:
        """Files of this machine that the last searches met and no reader knew: some may yet be written."""
        return [path for paths in self._unread.values() for path in paths if type(path) is not RemotePath]

    @property
    def searched(self) -> list[Path]:
        """Folders of this machine that the last searches listed."""
        return [path for paths in self._searched.values() for path in paths if type(path) is not RemotePath]

    def close(self) -> None:
        """Remove private copies."""
        self._stack.close()
        self._stdin = None

    def __enter__(self) -> Collection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def arguments(self) -> Iterator[Argument]:
        """What the PATHs name now; what they do not name is a diagnostic."""
        for text in self._paths:
            try:
                arguments = expand(text)
            except RolloutError as error:
                self._refuse(error, text)
                continue
            for argument in arguments:
                if argument.place is not None:
                    self._place = argument.place
                yield argument

    def units_of(self, argument: Argument, known: Collection_[str] = ()) -> Iterator[Unit]:
        """Units of one argument, each known by its paths before it is used; those of `known` paths are left out."""
        search: FolderSearch | None = None
        self._unread[argument.shown] = [argument.path]
        with self._refusing(argument.shown):
            entry = self._entry(argument)
            if self._is_folder(argument, entry):
                search = FolderSearch(entry, self._options, self._forced)
                units: Iterator[Unit] = search.units()
            else:
                units = iter([named_unit(entry, self._options, self._forced, self.wrong.noted)])
            for unit in units:
                self._unread.pop(argument.shown, None)
                if unit.shown[0] in known:
                    continue
                self._units.update(dict.fromkeys(unit.shown, unit))
                yield unit
        if search is not None:
            self.wrong.add(search.diagnostics)
            self._unread[argument.shown] = search.unknown
            self._searched[argument.shown] = search.folders
        if isinstance(argument.path, RemotePath) and all(one.code != LOST for one in self.wrong.all()):
            unseen = argument.path.session.unseen.items()
            self.wrong.add(Diagnostic("beside-unseen", why, folder) for folder, why in unseen)

    def rollouts_of(self, argument: Argument, unit: Unit, needle: Needle | None = None) -> Iterator[Rollout]:
        """Those of one unit; what is wrong with it is a diagnostic."""
        with self._refusing(argument.shown):
            found = unit.rollouts()
            if needle is not None and isinstance(unit, Lines):
                self.has_rollouts = self.has_rollouts or unit.has_rollouts()
                found = unit.holding(needle)
            for rollout in found:
                self.has_rollouts = True
                self.wrong.add(d for d in rollout.diagnostics if d.code == RULES_FAILED)
                yield rollout
        self.wrong.add(unit.diagnostics())

    def _one(self, argument: Argument, name: str) -> Iterator[Rollout]:
        """The rollouts of this name: one in a file, perhaps several in a folder."""
        found: list[Rollout] = []
        known = self.wrong.all()
        for unit in self.units_of(argument):
            with self._refusing(argument.shown):
                rollout = unit.find(name)
                if rollout is not None:
                    found.append(rollout)
            self.wrong.add(unit.problems)
        wrong = {one.code for one in self.wrong.all()[len(known) :]} - {UNKNOWN_FILE, EVIDENCE_FILE}
        if not found and not wrong & {UNREADABLE, LOST}:
            where = " among what can be read" if wrong else ""
            said = f"{argument.shown}: has no rollout {name or 'without a name'}{where}; list shows what it has"
            self._refuse(LocatorError(said), argument.shown)
        yield from found if argument.place is None else self._with_place(argument, argument.place, found)

    def _with_place(self, argument: Argument, place: Place, rollouts: Iterable[Rollout]) -> Iterator[Rollout]:
        """The rollouts that have this place."""
        refusal: LocatorError | None = None
        count = 0
        for rollout in rollouts:
            try:
                located = locate(rollout, place)
            except LocatorError as error:
                refusal = error
                continue
            count += 1
            self._place = located
            self._places[rollout.source.path, rollout.id] = located
            yield rollout
        if not count and refusal is not None:
            self._refuse(refusal, argument.shown)

    @contextlib.contextmanager
    def _refusing(self, shown: str) -> Generator[None, None, None]:
        try:
            yield
        except RolloutError as error:
            self._refuse(error, shown)

    def _refuse(self, error: RolloutError, shown: str) -> None:
        text = str(error)
        path = error.path if isinstance(error, ReadError) else redacted(shown)
        code = LOST if isinstance(error, RemoteError) else UNREADABLE
        self.wrong.add([Diagnostic(code, text.removeprefix(f"{path}: "), path)])

    def _entry(self, argument: Argument) -> Entry:
        if not argument.is_stdin:
            return Entry(argument.path, argument.shown)
        if self._stdin is None:
            self._stdin = Entry(self._stack.enter_context(source.spooled_stdin()), argument.shown)
        return self._stdin

    def _is_folder(self, argument: Argument, entry: Entry) -> bool:
        return (
            not argument.is_stdin
            and entry.path.is_dir()
            and store_reader(entry, self._forced, self.wrong.noted) is None
        )


NOTHING_FORCED = ReadOptions()


def open_paths(paths: Sequence[str], options: ReadOptions = NOTHING_FORCED, reader: str | None = None) -> Collection:
    """What these PATHs name. Raises `ReadError` for a `reader` that does not exist; all else is found while reading."""
    return Collection(paths, options, reader)
