"""The JSON-file store of OpenCode 1.1.x: `storage/session|message|part|todo` (formats 1.10)."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rollout_loaders import jsondecode, source
from rollout_loaders.convert.stored import PartOrder, StoredMessage, StoredPart, StoredSession
from rollout_loaders.errors import ReadError
from rollout_loaders.model import Diagnostic, Gap, JsonObject, JsonValue
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .opencode_parts import part_of
from .opencode_records import Records, damaged_message, damaged_part, message_of, message_order, session_of
from .opencode_store import Loaded, SessionSource, StoreArtifact

PICKED = frozenset({"id", "parentID", "title", "version", "agent", "model", "time"})


def _listed(folder: Path, folders: bool = False, records: Records | None = None) -> list[str]:
    """Names of the JSON files or of the folders in `folder`, sorted; none where there is no such folder.

    `records` gets a diagnostic for a folder that is there and cannot be listed.
    """
    try:
        with os.scandir(folder) as entries:
            if folders:
                return sorted(entry.name for entry in entries if entry.is_dir())
            return sorted(entry.name for entry in entries if entry.name.endswith(".json") and entry.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        if records is not None:
            records.unreadable(f"{folder.parent.name}/{folder.name}", (error.strerror or "it cannot be listed").lower())
        return []


def _is_name(ident: str) -> bool:
    """Whether an id can be the name of a file: nothing that leads out of its folder, nothing that no name holds."""
    try:
        os.fsencode(ident)
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return ident not in ("", ".", "..") and "/" not in ident and "\0" not in ident


class Storage:
    """A `SessionSource` over one `storage` folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._records = Records()
        self._sessions: list[StoredSession] | None = None
        self._ownerless_ids: list[str] | None = None

    def _read(self, path: Path, locator: str, records: Records) -> tuple[bytes, JsonObject | None]:
        try:
            raw = source.read_whole(path)
        except ReadError as error:
            records.unreadable(locator, error.reason)
            return b"", None
        return raw, records.decode(raw, locator)

    def sessions(self) -> Sequence[StoredSession]:
        """Every session file, and a session without one for every folder of messages that has none."""
        if self._sessions is None:
            found: dict[str, StoredSession] = {}
            for project in _listed(self._root / "session", True, self._records):
                for name in _listed(self._root / "session" / project, False, self._records):
                    session = self._session(self._root / "session" / project / name)
                    found[session.id] = session
            for session_id in _listed(self._root / "message", True, self._records):
                if session_id not in found:
                    reason = f"session {session_id} has messages but no readable file of its own; it is shown as a root"
                    self._records.diagnostics.append(Diagnostic("session-row-missing", reason, session_id))
                    found[session_id] = StoredSession(session_id, None, None, ())
            self._sessions = list(found.values())
        return self._sessions

    def _session(self, path: Path) -> StoredSession:
        session_id = path.stem
        _, info = self._read(path, f"session:{session_id}", self._records)
        if info is None:
            return StoredSession(session_id, None, None, ())
        session_id = fields.text(info, "id") or session_id
        extra: dict[str, JsonValue] = {key: value for key, value in info.items() if key not in PICKED}
        todo = self._todo(session_id)
        if todo:
            extra["todo"] = todo
        return session_of(info, session_id, extra)

    def _todo(self, session_id: str) -> Sequence[JsonValue]:
        """The last state of `todowrite`: a list in a file of its own."""
        path = self._root / "todo" / f"{session_id}.json"
        if not _is_name(session_id) or not source.is_file(path):
            return ()
        try:
            value = jsondecode.decode(source.read_whole(path)).value
        except (ReadError, jsondecode.BadJson) as error:
            self._records.unreadable(f"todo:{session_id}", str(error))
            return ()
        return fields.as_array(value) or ()

    def load(self, session_ids: Sequence[str]) -> Loaded:
        """Messages and parts of these sessions."""
        records = Records()
        messages: dict[str, list[StoredMessage]] = {}
        for session_id in session_ids:
            folder = self._root / "message" / session_id
            names = _listed(folder, False, records) if _is_name(session_id) else ()
            found = [self._message(folder / name, session_id, records) for name in names]
            messages[session_id] = sorted(found, key=message_order)
        orphans, gaps = self._orphans(session_ids, messages, records)
        return Loaded(messages, orphans, tuple(records.diagnostics), gaps)

    def _orphans(
        self, session_ids: Sequence[str], messages: Mapping[str, Sequence[StoredMessage]], records: Records
    ) -> tuple[dict[str, list[StoredPart]], tuple[Gap, ...]]:
        """Parts of these sessions whose message has no file."""
        known = {message.id for found in messages.values() for message in found}
        orphans: dict[str, list[StoredPart]] = {}
        gaps: list[Gap] = []
        for message_id in self._ownerless():
            if message_id in known:
                continue
            for part in self._parts(message_id, "", records):
                if part.session_id in session_ids:
                    orphans.setdefault(part.session_id, []).append(part)
                    gaps.append(Gap("agent_artifact_record_unowned", part.session_id, part.id))
                    text = f"part:{part.id} belongs to message {message_id}, which has no file"
                    records.diagnostics.append(Diagnostic("part-without-message", text, part.session_id))
        return orphans, tuple(gaps)

    def _ownerless(self) -> list[str]:
        """Folders of parts whose message has no file, in any session."""
        if self._ownerless_ids is None:
            owned = {
                name.removesuffix(".json")
                for session_id in _listed(self._root / "message", folders=True)
                for name in _listed(self._root / "message" / session_id)
            }
            self._ownerless_ids = [name for name in _listed(self._root / "part", folders=True) if name not in owned]
        return self._ownerless_ids

    def _message(self, path: Path, session_id: str, records: Records) -> StoredMessage:
        message_id = path.stem
        raw, data = self._read(path, f"message:{message_id}", records)
        parts = self._parts(message_id, session_id, records)
        if data is None:
            return damaged_message(raw, message_id, session_id, None, parts)
        return message_of(
            data,
            message_id=fields.text(data, "id") or message_id,
            session_id=session_id,
            time=None,
            parts=parts,
        )

    def _parts(self, message_id: str, session_id: str, records: Records) -> list[StoredPart]:
        folder = self._root / "part" / message_id
        found: list[StoredPart] = []
        for name in _listed(folder, False, records):
            part_id = name.removesuffix(".json")
            raw, data = self._read(folder / name, f"part:{part_id}", records)
            if data is None:
                found.append(damaged_part(raw, part_id, message_id, session_id, None))
                continue
            owner = session_id or fields.text(data, "sessionID") or ""
            own_id = fields.text(data, "id") or part_id
            found.append(part_of(data, part_id=own_id, message_id=message_id, session_id=owner, time=None))
        return found

    def newest_parts(self) -> Iterator[tuple[str, str]]:
        """Latest first by part id, which ascends with time; the file's name is the id."""
        found = [
            (name.removesuffix(".json"), message_id)
            for message_id in _listed(self._root / "part", folders=True)
            for name in _listed(self._root / "part" / message_id)
        ]
        for part_id, message_id in sorted(found, reverse=True):
            yield message_id, part_id

    def message(self, message_id: str) -> StoredMessage | None:
        """One message with its parts."""
        for session_id in _listed(self._root / "message", folders=True) if _is_name(message_id) else ():
            path = self._root / "message" / session_id / f"{message_id}.json"
            if source.is_file(path):
                return self._message(path, session_id, Records())
        return None

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Damaged session files."""
        return tuple(self._records.diagnostics)


def store_folder(path: Path) -> Path | None:
    """`path` or its `storage`, whichever holds session files; None when neither does."""
    for folder in (path, path / "storage"):
        if any(_listed(folder / "session" / project) for project in _listed(folder / "session", folders=True)):
            return folder
    return None


@contextmanager
def opened(root: Path) -> Generator[SessionSource]:
    """The store as a session source."""
    yield Storage(root)


class OpencodeStorage:
    """Reader of the JSON-file store."""

    name: str = "opencode-storage"
    """For `--reader`."""

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """A folder with `session/<project>/<session>.json`, or one whose `storage` is such a folder."""
        if head or not path.is_dir():
            return Confidence.NO
        folder = store_folder(path)
        if folder is None:
            return Confidence.NO
        return Confidence.CERTAIN if (folder / "message").is_dir() else Confidence.LIKELY

    def open(self, path: Path, shown: str, options: ReadOptions) -> StoreArtifact:
        """The store as an artifact, shown with the path of the store itself. Raises `ReadError`."""
        folder = store_folder(path)
        if folder is None:
            raise ReadError(shown, "holds no session/<project>/<session>.json", "name OpenCode's storage folder")
        where = shown if folder == path else os.path.join(shown, "storage")  # noqa: PTH118 - `shown` may be no path
        return StoreArtifact(where, self.name, partial(opened, folder), PartOrder.PART_ID, options)


READER = OpencodeStorage()
