"""A reviewer's label and remark on a rollout: in the user's state folder, keyed by content, never in the source."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout, RolloutSummary
from rollout_loaders.remote.address import is_url


def state_folder() -> Path:
    """Return the user's state folder for this program (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "rollout-inspect"


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `id` and `path` say where it was seen last; the key is the content."""

    label: str
    remark: str
    id: str
    path: str
    at: str


def content_key(rollout: Rollout) -> str:
    """Return a hash of what was said and done, so that a copied or renamed file keeps its notes."""
    digest = hashlib.sha256()
    for invocation in rollout.invocations:
        for turn in invocation.turns:
            facts = [
                turn.message_id,
                *(entry.text for entry in turn.input),
                *(piece.text for piece in (*turn.reasoning, *turn.answer)),
                *(text for call in turn.tool_calls for text in (call.name, str(call.arguments), call.output or "")),
            ]
            for fact in facts:
                digest.update(fact.encode("utf-8", "surrogatepass") + b"\0")
    ending = f"{rollout.id}\0{rollout.grading.reward}\0{rollout.scored.final_text}"
    digest.update(ending.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def seen_at(path: str) -> str:
    """Return where something was seen, as a note keeps it: absolute; a URL is so already."""
    return path if is_url(path) else str(Path(path).absolute())


def parse_note(text: str) -> tuple[str, str]:
    """Split what was typed: a first word that ends in a colon, or stands alone, is the label."""
    text = text.strip()
    head, _, rest = text.partition(" ")
    if head.endswith(":"):
        return head[:-1], rest.strip()
    return (head, "") if not rest else ("", text)


class NoteBook:
    """All notes of the user, read once, written whole at each change."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or state_folder()) / "notes.json"
        self.problem: str | None = None
        self._notes: dict[str, Note] = {}
        self._read()

    def _read(self) -> None:
        try:
            stored = json.loads(self.path.read_text("utf-8"))
            self._notes = {key: Note(**value) for key, value in stored["notes"].items()}
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            # A file that cannot be read must not be overwritten either: it may be a newer version's.
            self.problem = f"{self.path}: {error}"

    def get(self, key: str) -> Note | None:
        """Return the note of a content key."""
        return self._notes.get(key)

    def seen(self) -> dict[tuple[str, str], Note]:
        """Return notes by the path and id where they were seen last, for lists that have not read the content."""
        return {(note.path, note.id): note for note in self._notes.values()}

    def put(self, key: str, rollout: Rollout | RolloutSummary, label: str, remark: str) -> None:
        """Write a note; an empty label and remark take it away. Raises `OSError`."""
        if self.problem is not None:
            raise OSError(self.problem)
        if label or remark:
            moment = datetime.now(UTC).isoformat(timespec="seconds")
            path = seen_at(rollout.source.path)
            self._notes[key] = Note(label, remark, rollout.id, path, moment)
        else:
            self._notes.pop(key, None)
        self._write()

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        document = {"version": 1, "notes": {key: asdict(note) for key, note in self._notes.items()}}
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".notes-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        Path(name).replace(self.path)

    def export(self) -> str:
        """Return all notes, one JSON object a line."""
        return "".join(json.dumps({"key": key, **asdict(note)}) + "\n" for key, note in self._notes.items())
