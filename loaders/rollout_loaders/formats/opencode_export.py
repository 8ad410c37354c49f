"""OpenCode's export document and Gym's `export.json` (formats 1.8, gym-semantics 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from rollout_loaders import source
from rollout_loaders.convert.scored import SESSION_OUTPUT
from rollout_loaders.convert.session_rollout import StoredRollout, rollout_of
from rollout_loaders.convert.stored import PartOrder, StoredMessage, StoredPart, StoredSession
from rollout_loaders.errors import ReadError
from rollout_loaders.evidence import complete
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Diagnostic, JsonObject, JsonValue, Rollout, RolloutSummary, SourceRef
from rollout_loaders.reader import Confidence, ReadOptions
from rollout_loaders.summary import summarise

from . import fields
from .opencode_parts import part_of
from .opencode_records import message_of, message_order, session_of
from .opencode_scan import START, RawExport, RawMessage, scan

PICKED = frozenset({"id", "parentID", "title", "version", "agent", "model", "time"})
MARKS = (b'"sessionID"', b'"projectID"', b'"ses_', b'"parts"', b'"providerID"', b'"usage_messages"')


def stored_session(export: RawExport) -> StoredSession:
    """The session of an export with its messages."""
    info = export.info
    named = [fields.text(message.info, "sessionID") for message in export.messages]
    session_id = fields.text(info, "id") or next((name for name in named if name), "") or "session"
    extra: dict[str, JsonValue] = {key: value for key, value in info.items() if key not in PICKED}
    messages = [_message(message, number, session_id) for number, message in enumerate(export.messages, start=1)]
    session = session_of(info, session_id, {**extra, **export.extra})
    return replace(session, messages=tuple(sorted(messages, key=message_order)))


def _message(raw: RawMessage, number: int, session_id: str) -> StoredMessage:
    message_id = fields.text(raw.info, "id") or f"message-{number}"
    parts = [_part(data, position, message_id, session_id) for position, data in enumerate(raw.parts, start=1)]
    message = message_of(raw.info, message_id=message_id, session_id=session_id, time=None, parts=parts)
    return replace(message, unreadable=True) if raw.damaged else message


def _part(data: JsonObject, position: int, message_id: str, session_id: str) -> StoredPart:
    part_id = fields.text(data, "id") or f"{message_id}-part-{position:06d}"
    return part_of(data, part_id=part_id, message_id=message_id, session_id=session_id, time=None)


def usage_messages(export: RawExport) -> tuple[StoredMessage, ...] | None:
    """Every message of every session, which Gym's `export.json` holds beside the root's for the token sums."""
    if export.usage_messages is None:
        return None
    found: list[StoredMessage] = []
    for number, value in enumerate(export.usage_messages, start=1):
        info = fields.mapping(value, "info") or value
        found.append(_message(RawMessage(info), number, fields.text(info, "sessionID") or ""))
    return tuple(found)


@dataclass(slots=True)
class ExportArtifact:
    """One export: one rollout, read as session output."""

    path: str
    format: str
    file: Path
    options: ReadOptions
    _diagnostics: tuple[Diagnostic, ...] = field(default=(), init=False)

    def _rollout(self) -> Rollout:
        export = scan(source.read_whole(self.file))
        if export is None or not (export.info or export.messages):
            raise ReadError(self.path, "is no OpenCode export", "it has no JSON object with `info` or `messages`")
        session = stored_session(export)
        self._diagnostics = tuple(export.diagnostics)
        return rollout_of(
            StoredRollout(
                sessions=(session,),
                order=PartOrder.MESSAGE,
                source=SourceRef(self.path, self.format, session.id),
                reading=SESSION_OUTPUT,
                forced_gate=self.options.gym_reasoning,
                diagnostics=self._diagnostics,
                usage_messages=usage_messages(export),
                doubt=export.cut,
            )
        )

    def rollouts(self) -> Iterator[Rollout]:
        """The one rollout."""
        yield self._rollout()

    def summaries(self) -> Iterator[RolloutSummary]:
        """The one rollout, summarised."""
        yield summarise(complete(self._rollout(), self.options))

    def find(self, locator: str) -> Rollout | None:
        """The rollout, when `locator` is its session."""
        rollout = self._rollout()
        return rollout if locator == rollout.id else None

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """None of its own: all of them are the rollout's."""
        return ()


class OpencodeExport:
    """Reader of export documents, with or without `Exporting session: …` before them, whole or cut off."""

    name: str = "opencode-export"
    """For `--reader`."""

    def sniff(self, path: Path, head: bytes) -> Confidence:  # noqa: ARG002 - content decides
        """An object that starts with `info` or `messages` and speaks of sessions."""
        start = START.search(head)
        if start is None or b"{" in head[: start.start()]:
            return Confidence.NO
        marks = sum(1 for mark in MARKS if mark in head)
        if b'"responses_create_params"' in head or marks == 0:
            return Confidence.NO
        return Confidence.CERTAIN if marks > 2 else Confidence.LIKELY

    def open(self, path: Path, shown: str, options: ReadOptions) -> ExportArtifact:
        """The export as an artifact. Raises `ReadError`."""
        if START.search(source.head(path)) is None and scan(source.read_whole(path)) is None:
            raise ReadError(shown, "is no OpenCode export", "it has no JSON object with `info` or `messages`")
        return ExportArtifact(shown, self.name, path, options)


READER = OpencodeExport()
__all__: Sequence[str] = ("READER", "ExportArtifact", "OpencodeExport", "stored_session", "usage_messages")
